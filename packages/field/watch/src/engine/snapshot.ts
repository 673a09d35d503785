import { FormatError, type IsolabReader } from '@isolab/formats';
import { type History, type Interner, toRegisters } from '@isolab/history';
import type { KeyStates } from './key-states.ts';
import { returnedRows } from './returned-rows.ts';
import { type Lines, isOutcome, sessionIn } from '../stream/lines.ts';
import type { ListStates } from './list-states.ts';

/** The transactions that are not settled, as a history that begins in the state that the others left. */
export interface Snapshot {
  /** Exchanges are spelled as reads and writes. */
  readonly history: History;
  readonly lineOf: Int32Array;
  /** The transaction of each line, be it its own or that of its outcome; −1 if it is of none. */
  readonly txnOf: Int32Array;
  readonly stateKey: Int32Array;
  readonly values: Interner;
  readonly sessions: Interner;
  /** Reads of lists that do not continue from the state. */
  readonly otherLists: ReadonlySet<number>;
  /** Number of scans of tables that each transaction has; null if there are none. */
  readonly scansOf: Int32Array | null;
}

export type NewReader = () => IsolabReader;

/** Reads lines on top of a state. A FormatError names the line by its number in the stream. */
export function readSnapshot(
  newReader: NewReader,
  header: Uint8Array,
  lines: Lines,
  left: { readonly state: KeyStates; readonly lists: ListStates },
  name: string,
): Snapshot {
  const reader = readerBehind(newReader, header, name);
  try {
    reader.readLines(lines.bytes, 0, lines.size);
  } catch (error) {
    throw atLineOfStream(error, lines, name);
  }
  reader.endFile();
  const { builder } = reader;
  const { keys, values, sessions } = builder;
  const stateKey = left.state.initialize({ keys, values, initialOf: (key, value) => builder.initialOf(key, value) });
  const whole = reader.finish();
  refuseRanges(whole, name);
  const { history: returned, scansOf } = returnedRows(whole);
  const lineOf = Int32Array.from(whole.txnPosition, (position) => position - 2);
  const { history, others } = left.lists.continued(toRegisters(returned).history, stateKey, values);
  return {
    history,
    lineOf,
    txnOf: ownersOf(history, lineOf, lines),
    stateKey,
    values,
    sessions,
    otherLists: others,
    scansOf,
  };
}

/** A reader of lines that has read the header. */
export function readerBehind(newReader: NewReader, header: Uint8Array, name: string): IsolabReader {
  const reader = newReader();
  reader.beginFile({ name, share: () => 0 });
  reader.readLines(header, 0, header.length);
  return reader;
}

/** An outcome is of the transaction before it in its session. */
function ownersOf({ txnSession }: History, lineOf: Int32Array, lines: Lines): Int32Array {
  const txnOf = new Int32Array(lines.count).fill(-1);
  for (let t = 0; t < lineOf.length; t++) txnOf[lineOf[t]] = t;
  if (lineOf.length === lines.count) return txnOf;
  const latest = new Map<string, number>();
  const nameOf: string[] = []; // by session
  for (let line = 0; line < lines.count; line++) {
    const t = txnOf[line];
    if (t >= 0) latest.set((nameOf[txnSession[t]] ??= sessionIn(lines.line(line))), t);
    else if (isOutcome(lines.bytes, lines.start[line])) txnOf[line] = latest.get(sessionIn(lines.line(line))) ?? -1;
  }
  return txnOf;
}

/** Range reads pass over all keys between their bounds, which lines do not list. */
export function refuseRanges({ ranges }: History, name: string): void {
  if (ranges.low.length === 0) return;
  throw new FormatError(
    name,
    null,
    'it has range reads, expected reads and writes of single keys; check it when it is complete',
  );
}

interface WithLine extends Error {
  readonly line: number;
  readonly column: number;
  readonly found: string;
  readonly expected: string;
}

/** Problem that a reader found with a line; null if it is another error. */
export const syntaxProblemOf = (error: unknown): WithLine | null =>
  error instanceof Error && (error as { code?: unknown }).code === 'syntax-problem' ? (error as WithLine) : null;

function atLineOfStream(error: unknown, lines: Lines, name: string): unknown {
  const problem = syntaxProblemOf(error);
  if (problem === null) return error;
  const { line, column, found, expected } = problem;
  return new FormatError(
    name,
    `line ${lines.number[line - 2]!}, column ${column}`,
    `found ${found}, expected ${expected}`,
  );
}
