import { type FilePart, openPart } from '../files/file-parts.ts';
import { readLineWindows } from '../files/windows.ts';
import { LONGEST_LINE, type TextPart, TextReader } from './text-reader.ts';

/** Reads a part of a file in another thread. Fails, or returns null, if the calling thread must read it. */
export async function readTextPart(part: FilePart, isCancelled: () => boolean): Promise<TextPart | null> {
  const input = openPart(part, isCancelled);
  const reader = new TextReader(input);
  await readLineWindows(input, (bytes, start, end) => reader.readLines(bytes, start, end), LONGEST_LINE);
  return reader.part();
}
