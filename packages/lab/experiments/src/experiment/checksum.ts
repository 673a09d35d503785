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

/** Checksum of a directory: a hash of its files' names and checksums, in the order of the names. */
export function sha256OfListing(files: readonly { readonly name: string; readonly sha256: string }[]): string {
  const inOrder = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return sha256OfText(inOrder.map(({ name, sha256 }) => `${name}\0${sha256}\n`).join(''));
}

/**
 * Prefix of git's object name, which stands for the checksum of a history that was not available when its list was
 * written.
 */
const BY_GIT = 'git-';

export const isKnownToGitAlone = (checksum: string): boolean => checksum.startsWith(BY_GIT);

/** git's object name of a file with this content. */
export const objectOfBytes = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** Checksum of a history from git's object names of its files, if only these are known. */
export const checksumByGit = (
  files: readonly { readonly name: string; readonly object: string }[],
  isFolder: boolean,
) =>
  BY_GIT + (isFolder ? sha256OfListing(files.map(({ name, object }) => ({ name, sha256: object }))) : files[0]!.object);

/** Checksum of a history, by the method of the given checksum. */
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
