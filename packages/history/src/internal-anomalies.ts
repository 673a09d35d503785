import { type Entries, entriesByKey, valueRead, valueWritten } from './entries.ts';
import { type History, countKeys } from './history.ts';
import { EMPTY_LIST, OpKind, TxnStatus, UNKNOWN_LIST, UNKNOWN_VALUE } from './operation.ts';
import { Outcome, ReadFrom, type ReadFromIndex } from './read-from.ts';

/**
 * The anomalies that show in a single read, its own transaction and the transaction that it read from. Every level
 * from read committed upwards forbids them all, except that read committed allows non-repeatable reads.
 */
export const INTERNAL_ANOMALIES = [
  'thin-air-read',
  'aborted-read',
  'future-read',
  'not-my-own-write',
  'not-my-last-write',
  'intermediate-read',
  'non-repeatable-read',
] as const;

export type InternalAnomalyName = (typeof INTERNAL_ANOMALIES)[number];

export interface InternalAnomaly {
  readonly name: InternalAnomalyName;
  /** The read that shows it. */
  readonly read: number;
  /**
   * The other operation: the write that should not have been seen (aborted, future, intermediate), the own write that
   * should have been (not-my-own, not-my-last), or the earlier read that saw something else; -1 for thin air.
   */
  readonly other: number;
}

/** Internal anomalies in columns, in the order of their reads within each key. */
export interface InternalAnomalies {
  readonly count: number;
  readonly counts: Readonly<Record<InternalAnomalyName, number>>;
  at(index: number): InternalAnomaly;
}

/** All internal anomalies of transactions that happened. */
export function findInternalAnomalies(
  history: History,
  index: ReadFromIndex,
  entries: Entries = entriesByKey(history),
): InternalAnomalies {
  const finder = new Finder(history, index, entries);
  for (let key = 0; key < countKeys(history); key++) finder.checkKey(key);
  return finder.finish();
}

const THIN_AIR = 0;
const ABORTED = 1;
const FUTURE = 2;
const NOT_MY_OWN = 3;
const NOT_MY_LAST = 4;
const INTERMEDIATE = 5;
const NON_REPEATABLE = 6;

class Finder {
  readonly #history: History;
  readonly #index: ReadFromIndex;
  readonly #entries: Entries;
  readonly #name: number[] = [];
  readonly #read: number[] = [];
  readonly #other: number[] = [];
  /** For every list node the node, itself or an ancestor, whose append was aborted or missing; 0 for none, -1 unset. */
  readonly #rotten: Int32Array;
  /** 1 for a write that its own transaction overwrites, or appends after. */
  readonly #superseded: Uint8Array;

  constructor(history: History, index: ReadFromIndex, entries: Entries) {
    this.#history = history;
    this.#index = index;
    this.#entries = entries;
    this.#rotten = new Int32Array(history.lists.parent.length).fill(-1);
    this.#rotten[EMPTY_LIST] = 0;
    this.#superseded = findSuperseded(history, entries);
  }

  /** Walks through the key's entries, transaction by transaction. */
  checkKey(key: number): void {
    const { keyStart, entry } = this.#entries;
    const { outcome } = this.#index;
    for (let from = keyStart[key], end = keyStart[key + 1]; from < end;) {
      const t = this.#txnOf(entry[from]);
      let to = from + 1;
      while (to < end && this.#txnOf(entry[to]) === t) to++;
      if (outcome[t] === Outcome.Happened) this.#checkTransaction(t, from, to);
      from = to;
    }
  }

  #txnOf(entry: number): number {
    return this.#entries.txnOfOp[this.#opOf(entry)];
  }

  #opOf(entry: number): number {
    const numOps = this.#history.opKind.length;
    return entry < numOps ? entry : this.#entries.rowOp[entry - numOps];
  }

  #checkTransaction(t: number, from: number, to: number): void {
    const { opKind } = this.#history;
    const { entry } = this.#entries;
    let lastAppend = -1; // of the whole transaction
    for (let i = from; i < to; i++) if (opKind[entry[i]] === OpKind.Append) lastAppend = entry[i];

    let lastWrite = -1; // the transaction's own latest write, or append since its last list read
    let lastRead = -1; // its latest read before any own write
    let appends: number[] | null = null;
    for (let i = from; i < to; i++) {
      const e = entry[i];
      if (opKind[e] === OpKind.ListRead) {
        if (this.#history.opValue[e] === UNKNOWN_LIST) continue;
        this.#checkList(e, t, lastRead, appends ?? [], lastAppend);
        lastRead = e;
        appends = null;
      } else if (opKind[e] === OpKind.Append) {
        (appends ??= []).push(e);
      } else {
        const value = valueRead(this.#history, e);
        if (value >= 0 && value !== UNKNOWN_VALUE) {
          this.#checkRead(e, value, t, lastWrite, lastRead);
          if (lastWrite < 0) lastRead = e;
        }
        if (valueWritten(this.#history, e) >= 0) lastWrite = e;
      }
    }
  }

  #checkRead(e: number, value: number, t: number, lastWrite: number, lastRead: number): void {
    const numOps = this.#history.opKind.length;
    const read = this.#opOf(e);
    const writer = e < numOps ? this.#index.readFrom[e] : this.#index.rowReadFrom[e - numOps];
    if (writer === ReadFrom.None || (lastWrite >= 0 && writer === lastWrite)) return;
    const { txnOfOp } = this.#entries;
    const writerTxn = writer >= 0 ? txnOfOp[writer] : -1;

    if (writer === ReadFrom.ThinAir) this.#add(THIN_AIR, read, -1);
    else if (writer >= 0 && this.#history.txnStatus[writerTxn] === TxnStatus.Aborted) this.#add(ABORTED, read, writer);
    else if (writerTxn === t && writer > read) this.#add(FUTURE, read, writer);
    else if (lastWrite >= 0) {
      this.#add(writerTxn === t ? NOT_MY_LAST : NOT_MY_OWN, read, lastWrite);
    } else if (writer >= 0 && this.#superseded[writer]) this.#add(INTERMEDIATE, read, writer);

    if (lastWrite < 0 && lastRead >= 0 && valueRead(this.#history, lastRead) !== value) {
      this.#add(NON_REPEATABLE, read, this.#opOf(lastRead));
    }
  }

  /** The list must be what the transaction read last, or any list before its first read, plus its own appends. */
  #checkList(read: number, t: number, lastRead: number, appends: readonly number[], lastAppend: number): void {
    const { opValue, lists } = this.#history;
    const { nodeAppend } = this.#index;
    const rotten = this.#findRotten(opValue[read]);
    if (rotten !== EMPTY_LIST) {
      const append = nodeAppend[rotten];
      this.#add(append < 0 ? THIN_AIR : ABORTED, read, append < 0 ? -1 : append);
    }

    const future = lastAppend > read ? this.#ownLaterAppend(read, t) : -1;
    if (future >= 0) this.#add(FUTURE, read, future);

    let node = opValue[read];
    let missing = appends.length - 1;
    while (missing >= 0 && node !== EMPTY_LIST && lists.element[node] === opValue[appends[missing]]) {
      node = lists.parent[node];
      missing--;
    }
    if (missing >= 0) {
      const last = appends[appends.length - 1]!;
      const seesEarlier = appends.some((append) => append !== last && lists.element[opValue[read]] === opValue[append]);
      this.#add(seesEarlier ? NOT_MY_LAST : NOT_MY_OWN, read, last);
      return;
    }
    if (lastRead >= 0) {
      if (node !== opValue[lastRead] && future < 0) this.#add(NON_REPEATABLE, read, lastRead);
      return;
    }
    const writer = this.#index.readFrom[read];
    if (writer < 0 || this.#entries.txnOfOp[writer] === t || rotten === node) return;
    if (this.#superseded[writer]) this.#add(INTERMEDIATE, read, writer);
  }

  #findRotten(node: number): number {
    const rotten = this.#rotten;
    const { parent } = this.#history.lists;
    const fresh: number[] = [];
    for (; rotten[node] < 0; node = parent[node]) fresh.push(node);
    let found = rotten[node];
    for (let n = fresh.pop(); n !== undefined; n = fresh.pop()) {
      if (found === EMPTY_LIST && this.#isRotten(n)) found = n;
      rotten[n] = found;
    }
    return found;
  }

  #isRotten(node: number): boolean {
    const append = this.#index.nodeAppend[node];
    if (append === ReadFrom.ThinAir) return true;
    return append >= 0 && this.#history.txnStatus[this.#entries.txnOfOp[append]] === TxnStatus.Aborted;
  }

  /** The append of an element of the list, if the transaction itself makes it only later; or -1. */
  #ownLaterAppend(read: number, t: number): number {
    const { parent } = this.#history.lists;
    for (let node = this.#history.opValue[read]; node !== EMPTY_LIST; node = parent[node]) {
      const append = this.#index.nodeAppend[node];
      if (append > read && this.#entries.txnOfOp[append] === t) return append;
    }
    return -1;
  }

  #add(name: number, read: number, other: number): void {
    this.#name.push(name);
    this.#read.push(read);
    this.#other.push(other);
  }

  finish(): InternalAnomalies {
    const name = this.#name;
    const read = this.#read;
    const other = this.#other;
    const counts = Object.fromEntries(INTERNAL_ANOMALIES.map((anomaly) => [anomaly, 0])) as Record<
      InternalAnomalyName,
      number
    >;
    for (const n of name) counts[INTERNAL_ANOMALIES[n]!]++;
    return {
      count: name.length,
      counts,
      at: (i) => ({ name: INTERNAL_ANOMALIES[name[i]!]!, read: read[i]!, other: other[i]! }),
    };
  }
}

function findSuperseded(history: History, { keyStart, entry, txnOfOp }: Entries): Uint8Array {
  const superseded = new Uint8Array(history.opKind.length);
  for (let key = 0; key < keyStart.length - 1; key++) {
    let last = -1;
    for (let i = keyStart[key]; i < keyStart[key + 1]; i++) {
      if (valueWritten(history, entry[i]) < 0) continue;
      if (last >= 0 && txnOfOp[last] === txnOfOp[entry[i]]) superseded[last] = 1;
      last = entry[i];
    }
  }
  return superseded;
}
