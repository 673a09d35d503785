import type { FilePart } from './files/file-parts.ts';

type ReadPart = (part: FilePart, isCancelled: () => boolean) => Promise<unknown>;

/** Loads the reader of parts of files with the name of its task, for another thread. */
export async function readerOfParts(task: string): Promise<ReadPart> {
  if (task === 'read text') return (await import('./text/text-part.ts')).readTextPart;
  return (await import('./isolab/isolab-part.ts')).readIsolabPart;
}
