import { type History, type IdColumn, OpKind, type TransactionId, countKeys, countValues } from '@isolab/history';
import { type Rows, lowerBoundBy, sortedBy } from './sorted.ts';

/** Rank of a write for readers. Lower ranks are better. */
export const Rank = {
  /** The last write of the key in a transaction that may have happened. */
  Last: 0,
  /** A write that its own transaction overwrote or extended. */
  InPassing: 1,
  /** Write of a transaction that did not happen. */
  Aborted: 2,
} as const;

/** All writes and appends, by key and value. */
export class StatedVersions {
  /** Rank of each operation that is a write. */
  readonly rank: Uint8Array;
  readonly #history: History;
  readonly #only: Int32Array; // by value: its only write to any key, or NONE, or REPEATED
  // The writes of repeated values, sorted by value, key and rank, with the start of each value. Built on first use.
  #repeated: Rows | null = null;

  constructor(history: History, txnOf: IdColumn<TransactionId>, mayHaveHappened: Uint8Array) {
    this.#history = history;
    this.rank = rankWrites(history, txnOf, mayHaveHappened);
    this.#only = onlyWrites(history);
  }

  /** The write of a version whose value has no other write to any key; otherwise −1. */
  onlyWrite(key: number, value: number): number {
    const write = this.#only[value];
    return write >= 0 && this.#history.opKey[write] === key ? write : -1;
  }

  /** All writes of a version, the best first. */
  writesOf(key: number, value: number): Int32Array {
    const write = this.#only[value];
    if (write !== REPEATED) return this.onlyWrite(key, value) < 0 ? NO_WRITES : Int32Array.of(write);
    const { opKey } = this.#history;
    const { item, start } = (this.#repeated ??= this.#sortRepeated());
    const from = lowerBoundBy(opKey, item, start[value], start[value + 1], key);
    return item.subarray(from, lowerBoundBy(opKey, item, from, start[value + 1], key + 1));
  }

  /** The write of a version if only one of its writes may have happened; otherwise −1. */
  soleWrite(key: number, value: number): number {
    const writes = this.writesOf(key, value);
    const isSole = writes.length > 0 && (writes.length === 1 || this.rank[writes[1]] === Rank.Aborted);
    return isSole && this.rank[writes[0]] !== Rank.Aborted ? writes[0] : -1;
  }

  /** Number of writes of a version that are last writes. */
  countLast(writes: Int32Array): number {
    return lowerBoundBy(this.rank, writes, 0, writes.length, Rank.InPassing);
  }

  #sortRepeated(): Rows {
    const { opKind, opKey, opValue } = this.#history;
    const writes = new Int32Array(opKind.length);
    let count = 0;
    for (let op = 0; op < opKind.length; op++)
      if (isWrite(opKind[op]) && this.#only[opValue[op]] === REPEATED) writes[count++] = op;
    const byRank = sortedBy(writes.subarray(0, count), this.rank, Rank.Aborted + 1).item;
    const byKey = sortedBy(byRank, opKey, countKeys(this.#history)).item;
    return sortedBy(byKey, opValue, countValues(this.#history));
  }
}

export const isWrite = (kind: number): boolean => kind === OpKind.Write || kind === OpKind.Append;

function onlyWrites(history: History): Int32Array {
  const { opKind, opValue } = history;
  const only = new Int32Array(countValues(history)).fill(NONE);
  for (let op = 0; op < opKind.length; op++)
    if (isWrite(opKind[op])) only[opValue[op]] = only[opValue[op]] === NONE ? op : REPEATED;
  return only;
}

function rankWrites(
  { opKind, opKey, keyInitial }: History,
  txnOf: IdColumn<TransactionId>,
  mayHaveHappened: Uint8Array,
): Uint8Array {
  const rank = new Uint8Array(opKind.length);
  const writer = new Int32Array(keyInitial.length).fill(-1); // by key, from the end: the transaction that wrote it
  for (let op = opKind.length - 1; op >= 0; op--) {
    if (!isWrite(opKind[op])) continue;
    const t = txnOf[op];
    if (mayHaveHappened[t] === 0) rank[op] = Rank.Aborted;
    else if (writer[opKey[op]] === t) rank[op] = Rank.InPassing;
    writer[opKey[op]] = t;
  }
  return rank;
}

const NONE = -1;
const REPEATED = -2;
const NO_WRITES = new Int32Array(0);
