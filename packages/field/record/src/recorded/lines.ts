import { PRIVATE } from '@isolab/formats';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import type { Level } from '../sql/planned.ts';

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

/** A version of a row, with the number of its writer. */
export interface Versioned {
  readonly xmin: number;
}

export async function* transactionsIn(path: string): AsyncGenerator<readonly [number: number, line: TransactionLine]> {
  for await (const [number, text] of linesOf(path))
    if (isTransaction(text)) yield [number, JSON.parse(text) as TransactionLine];
}

/** Writes a file again, line by line, to another place. */
export const rewrite = (
  path: string,
  to: string,
  changed: (text: string, number: number) => Iterable<string>,
  rest: () => Iterable<string> = () => [],
): Promise<void> =>
  pipeline(
    async function* () {
      for await (const [number, text] of linesOf(path)) for (const line of changed(text, number)) yield `${line}\n`;
      for (const line of rest()) yield `${line}\n`;
    },
    createWriteStream(to, { mode: PRIVATE }),
  );
