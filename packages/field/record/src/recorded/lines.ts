import { PRIVATE, openInput } from '@isolab/formats';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Lock } from '../sql/locks.ts';
import type { Level } from '../sql/planned.ts';

/** A transaction's line in its recorded form; keys and rows are JSON values. */
export interface TransactionLine {
  readonly session: string;
  readonly status?: string;
  readonly begin?: number;
  readonly committing?: number;
  readonly end?: number;
  readonly commitTs?: number;
  readonly ops: readonly (readonly unknown[])[];
  readonly level?: Level;
  readonly steps?: readonly RecordedStep[];
  /** The transaction's own number and the numbers of its subtransactions. */
  readonly xids?: readonly number[];
  readonly shapes?: readonly (readonly [number, string])[];
}

/**
 * The number of operations of a statement. The flag marks a statement that may have unseen writes, until the recording is
 * complete. `locks` are advisory locks and locks on tables that the transaction held from the statement on.
 */
export type RecordedStep = readonly [shape: number, operations: number, flag?: 0 | 1, locks?: readonly Lock[]];

/** Reads the lines of a file, also of a gzipped one, with their numbers, from 1. */
export async function* linesOf(path: string): AsyncGenerator<readonly [number: number, text: string]> {
  let number = 0;
  const file = await openInput(path);
  if (file.kind === 'directory') return;
  for await (const text of createInterface({ input: Readable.from(file.chunks), crlfDelay: Infinity }))
    yield [++number, text];
}

export const isTransaction = (text: string): boolean => text.startsWith('{"session":');

export interface Versioned {
  readonly xmin: number;
}

/** Reads the transactions of a recording with the numbers of their lines, without a line that was cut off. */
export async function* transactionsIn(path: string): AsyncGenerator<readonly [number: number, line: TransactionLine]> {
  for await (const [number, text] of linesOf(path)) {
    const line = isTransaction(text) ? whole<TransactionLine>(text) : null;
    if (line !== null) yield [number, line];
  }
}

/** Returns the content of a line; null if the line was cut off. */
export function whole<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

/** Rewrites a file line by line to another path. */
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
