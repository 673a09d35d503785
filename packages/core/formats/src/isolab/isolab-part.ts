import { type FilePart, openPart } from '../files/file-parts.ts';
import type { Shard } from '@isolab/history';
import { readLineWindows } from '../files/windows.ts';
import { IsolabReader } from './isolab-reader.ts';
import type { IsolabPart } from './session-order.ts';

/** Part of a file in isolab's own format, with the line of its header. */
export interface IsolabFilePart extends FilePart {
  readonly header: Uint8Array;
  readonly shard?: Shard;
}

/** Reads a part of a file in another thread. Fails, or returns null, if the calling thread must read it. */
export async function readIsolabPart(part: IsolabFilePart, isCancelled: () => boolean): Promise<IsolabPart | null> {
  const reader = new IsolabReader(false, part.shard);
  const input = openPart(part, isCancelled);
  reader.beginFile(input);
  reader.readLines(part.header, 0, part.header.length);
  reader.beginPart();
  await readLineWindows(input, (bytes, start, end) => reader.readLines(bytes, start, end));
  return reader.part();
}
