/**
 * Model of a recorded history for predictions: the transactions that happened, session by session, with the source of
 * each external read and the order of the versions of each key. Operations are numbered across all transactions.
 * It needs a history of reads and writes, and the place of each transaction in a commit order.
 */
import type { IndexedHistory } from '@isolab/contract';
import { type History, OpKind, Outcome, ReadFrom, UNKNOWN_VALUE, countKeys } from '@isolab/history';

/** Source of a read of the initial version. */
export const INITIAL = -1;
/** Source of an operation that is not an external read: of a write, or of a read of an own or unknown value. */
export const NO_SOURCE = -2;

export interface Model {
  readonly history: History;
  /** Transaction of the history that each transaction represents, in the order of sessions. */
  readonly txnOf: Int32Array;
  readonly session: Int32Array;
  /** First operation of each transaction, with one extra slot. */
  readonly start: Int32Array;
  /** Transaction of each operation. */
  readonly txn: Int32Array;
  readonly isWrite: Uint8Array;
  readonly key: Int32Array;
  /** Value of each operation, as in the history. */
  readonly value: Int32Array;
  /** Operation of the history that each operation represents. */
  readonly operation: Int32Array;
  /** Write that each external read saw, INITIAL or NO_SOURCE. */
  readonly source: Int32Array;
  /** External reads of each write. */
  readonly readers: readonly (readonly number[])[];
  /** Transactions that write each key, in the order of the versions. */
  readonly writers: readonly (readonly number[])[];
  /** Next writer of the key after the version that each operation wrote, or saw as an external read; −1 for none. */
  readonly next: Int32Array;
  /** Place of each transaction among the writers of a key, by key. */
  readonly places: readonly ReadonlyMap<number, number>[];
}

type Columns = Pick<Model, 'txnOf' | 'session' | 'start' | 'txn' | 'isWrite' | 'key' | 'value' | 'operation'>;

export function modelOf(input: IndexedHistory, place: Int32Array): Model {
  const columns = columnsOf(input);
  const writers = writersOf(input.history, columns, place);
  const source = sourcesOf(input, columns, writers, place);
  const readers: number[][] = Array.from(source, () => []);
  for (let op = 0; op < source.length; op++) if (source[op] >= 0) readers[source[op]].push(op);
  const places = writers.map((of) => new Map(of.map((t, i) => [t, i])));
  const next = Int32Array.from(source, (seen, op) => {
    if (columns.isWrite[op] === 0 && seen === NO_SOURCE) return -1;
    const writer = columns.isWrite[op] === 1 ? columns.txn[op] : seen < 0 ? -1 : columns.txn[seen];
    const key = columns.key[op];
    return writers[key]![writer < 0 ? 0 : places[key]!.get(writer)! + 1] ?? -1;
  });
  return { history: input.history, ...columns, source, readers, writers, next, places };
}

/** Lists the operations of the transactions that happened. Reads without a known result are left out. */
function columnsOf({ history, index }: IndexedHistory): Columns {
  const { txnStart, txnSession, opKind, opKey, opValue } = history;
  const [txnOf, start, operation]: [number[], number[], number[]] = [[], [], []];
  for (let t = 0; t < index.outcome.length; t++) {
    if (index.outcome[t] !== Outcome.Happened) continue;
    txnOf.push(t);
    start.push(operation.length);
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
      if (opKind[op] === OpKind.Write || opValue[op] !== UNKNOWN_VALUE) operation.push(op);
  }
  start.push(operation.length);
  const txn = new Int32Array(operation.length);
  for (let t = 0; t < txnOf.length; t++) txn.fill(t, start[t], start[t + 1]);
  const column = (of: (op: number) => number): Int32Array => Int32Array.from(operation, of);
  return {
    txnOf: Int32Array.from(txnOf),
    session: Int32Array.from(txnOf, (t) => txnSession[t]),
    start: Int32Array.from(start),
    txn,
    isWrite: Uint8Array.from(operation, (op) => (opKind[op] === OpKind.Write ? 1 : 0)),
    key: column((op) => opKey[op]),
    value: column((op) => opValue[op]),
    operation: column((op) => op),
  };
}

function writersOf(history: History, { txnOf, start, isWrite, key }: Columns, place: Int32Array): number[][] {
  const writers: number[][] = Array.from({ length: countKeys(history) }, () => []);
  const byPlace = Array.from(txnOf.keys()).toSorted((a, b) => place[txnOf[a]] - place[txnOf[b]]);
  for (const t of byPlace)
    for (let op = start[t]; op < start[t + 1]; op++)
      if (isWrite[op] === 1 && writers[key[op]].at(-1) !== t) writers[key[op]].push(t);
  return writers;
}

/** Finds the write that each external read saw. Of several writers of its value, the commit order shows the writer. */
function sourcesOf(
  { history, index }: IndexedHistory,
  columns: Columns,
  writers: readonly (readonly number[])[],
  place: Int32Array,
): Int32Array {
  const { txnOf, start, txn, isWrite, key, value, operation } = columns;
  const numberOf = new Map(Array.from(operation, (op, i) => [op, i]));
  const source = new Int32Array(operation.length).fill(NO_SOURCE);
  const written = new Map<number, number>(); // by key: the transaction that wrote it last in the loop
  for (let op = 0; op < operation.length; op++) {
    if (isWrite[op] === 1) written.set(key[op], txn[op]);
    else if (written.get(key[op]) !== txn[op]) {
      const from = index.readFrom[operation[op]];
      if (from === ReadFrom.Initial) source[op] = INITIAL;
      else if (from >= 0) source[op] = leftBy(columns, numberOf.get(from) ?? NO_SOURCE);
      else if (from === ReadFrom.Ambiguous) source[op] = nearest(op);
    }
  }
  return source;

  /** Returns the last version of that value before the reader; the first one after the reader if there is none. */
  function nearest(read: number): number {
    const candidates = writers[key[read]]
      .filter((t) => t !== txn[read])
      .map((t) => ({ t, write: lastWrite(columns, t, key[read], start[t + 1]) }))
      .filter(({ write }) => value[write] === value[read]);
    const at = place[txnOf[txn[read]]];
    const before = candidates.findLast(({ t }) => place[txnOf[t]] < at);
    if (before !== undefined) return before.write;
    if (history.keyInitial[key[read]] === value[read]) return INITIAL;
    return candidates[0]?.write ?? NO_SOURCE;
  }
}

/** Returns a write if it is the last one of its transaction to its key, and otherwise NO_SOURCE. */
function leftBy(columns: Columns, write: number): number {
  if (write < 0) return NO_SOURCE;
  const t = columns.txn[write];
  return lastWrite(columns, t, columns.key[write], columns.start[t + 1]) === write ? write : NO_SOURCE;
}

/** Returns the last write of a transaction to a key before an operation; −1 if there is none. */
export function lastWrite(
  { start, isWrite, key }: Pick<Model, 'start' | 'isWrite' | 'key'>,
  t: number,
  wanted: number,
  end: number,
): number {
  for (let op = end - 1; op >= start[t]; op--) if (isWrite[op] === 1 && key[op] === wanted) return op;
  return -1;
}
