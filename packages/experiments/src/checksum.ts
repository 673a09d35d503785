import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

export const sha256OfText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Of a directory: of the names and checksums of its files, in the order of their names. */
export function sha256OfListing(files: readonly { readonly name: string; readonly sha256: string }[]): string {
  const inOrder = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return sha256OfText(inOrder.map(({ name, sha256 }) => `${name}\0${sha256}\n`).join(''));
}
