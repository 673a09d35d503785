import { FormatError, type IsolabReader } from '@isolab/formats';
import { type History, type Interner, toRegisters } from '@isolab/history';
import type { KeyStates } from './key-states.ts';
import { returnedRows } from './returned-rows.ts';
import { type Lines, isOutcome, sessionIn } from '../stream/lines.ts';
import type { ListStates } from './list-states.ts';

/** The unsettled transactions, as a history that begins in the state that the settled transactions left. */
export interface Snapshot {
  /** Exchanges are represented as reads and writes. */
  readonly history: History;
  readonly lineOf: Int32Array;
  /** For each line, the transaction that it records or whose outcome it states; −1 if there is no such transaction. */
  readonly txnOf: Int32Array;
  readonly stateKey: Int32Array;
  readonly values: Interner;
  readonly sessions: Interner;
  /** Reads of lists that do not continue from the state. */
  readonly otherLists: ReadonlySet<number>;
  /** Number of table scans in each transaction; null if there are no scans. */
  readonly scansOf: Int32Array | null;
}

export type NewReader = () => IsolabReader;

/** Reads lines that follow a state. A FormatError names the line by its number in the stream. */
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
  const whole = finished(reader, name);
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

/** Returns a reader of lines that has read the header. */
export function readerBehind(newReader: NewReader, header: Uint8Array, name: string): IsolabReader {
  const reader = newReader();
  reader.beginFile({ name, share: () => 0 });
  reader.readLines(header, 0, header.length);
  return reader;
}

/** An outcome belongs to the preceding transaction of its session. */
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

/** Returns the history of lines. Refuses operations that concern keys or transactions of other lines. */
export function finished(reader: IsolabReader, name: string): History {
  const refuse = (found: string, expected: string): never => {
    throw new FormatError(name, null, `it has ${found}, expected ${expected}; ${WHOLE}`);
  };
  if (!reader.builder.counters.isEmpty) refuse('increments', 'reads and writes');
  const history = reader.finish();
  if (history.ranges.low.length > 0) refuse('range reads', 'reads and writes of single keys');
  return history;
}

const WHOLE = 'check the complete history with isolab check';

interface WithLine extends Error {
  readonly line: number;
  readonly column: number;
  readonly found: string;
  readonly expected: string;
}

/** Returns the problem that a reader found with a line; null for any other error. */
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
