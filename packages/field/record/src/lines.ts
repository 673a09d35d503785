import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Level } from './sql/planned.ts';

/** A transaction's line as it is recorded; keys and rows as JSON has them. */
export interface TransactionLine {
  readonly session: string;
  readonly status?: string;
  readonly begin?: number;
  readonly ops: readonly (readonly unknown[])[];
  readonly level?: Level;
  /**
   * Operations of each statement. A statement has the flag until the recording is complete: it may have written unseen.
   */
  readonly steps?: readonly (readonly [shape: number, operations: number, flag?: 1])[];
  /** Its own number, and those of its subtransactions. */
  readonly xids?: readonly number[];
  readonly shapes?: readonly (readonly [number, string])[];
}

/** The lines of a file with their numbers, from 1. */
export async function* linesOf(path: string): AsyncGenerator<readonly [number: number, text: string]> {
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity }))
    yield [++number, text];
}

export const isTransaction = (text: string): boolean => text.startsWith('{"session":');
