import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

export const sha256OfBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const sha256OfText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Checksum of a directory: of the names and checksums of its files, in the order of their names. */
export function sha256OfListing(files: readonly { readonly name: string; readonly sha256: string }[]): string {
  const inOrder = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return sha256OfText(inOrder.map(({ name, sha256 }) => `${name}\0${sha256}\n`).join(''));
}

/**
 * Prefix of git's name of a history's content, for histories whose content was not at hand when their list was written.
 */
const BY_GIT = 'git-';

export const isKnownToGitAlone = (checksum: string): boolean => checksum.startsWith(BY_GIT);

/** git's name of a file with this content. */
export const objectOfBytes = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** Checksum of a history by git's names of its files, where only these are known. */
export const checksumByGit = (
  files: readonly { readonly name: string; readonly object: string }[],
  isFolder: boolean,
) =>
  BY_GIT + (isFolder ? sha256OfListing(files.map(({ name, object }) => ({ name, sha256: object }))) : files[0]!.object);

/** Checksum of a history, by the method of the checksum that it is compared with. */
export function checksumLike(
  expected: string,
  files: readonly { readonly name: string; readonly content: Uint8Array }[],
  isFolder: boolean,
): string {
  if (isKnownToGitAlone(expected))
    return checksumByGit(
      files.map(({ name, content }) => ({ name, object: objectOfBytes(content) })),
      isFolder,
    );
  const listing = files.map(({ name, content }) => ({ name, sha256: sha256OfBytes(content) }));
  return isFolder ? sha256OfListing(listing) : listing[0]!.sha256;
}
