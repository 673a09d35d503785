import { valueWritten } from './history/entries.ts';
import { type History, countKeys, countTransactions, transactionOf } from './history/history.ts';
import { NO_TIME, OpKind, TxnStatus } from './columns/operation.ts';
import { buildReadFrom } from './history/build-read-from.ts';
import type { ReadFromIndex } from './history/read-from.ts';
import { passesOverFew, toRegisters } from './registers/registers.ts';

/** Measures of how often transactions met. If they never met, every level holds in any database. */
export interface Contention {
  /**
   * Share of committed transactions that overlapped in time with another transaction that wrote one of their keys; null
   * if the history has no times.
   */
  readonly met: number | null;
  /**
   * Share of the reads of committed transactions that saw a version of an overlapping transaction; null without times.
   */
  readonly freshReads: number | null;
  /** Share of attempted transactions that aborted. */
  readonly aborted: number;
  /** Average number of committed writes per written key. */
  readonly versionsPerKey: number;
}

/** Returns whether less than a tenth of the transactions met, so that the history is unlikely to show a violation. */
export const hasLowContention = ({ met }: Contention): boolean => met !== null && met < FEW;

const FEW = 0.1;

/** Counts how often transactions of a history met, that is, overlapped and used the same keys. */
export function contentionOf(given: History): Contention {
  // Scans meet the writers of the rows that they return and, if there are few, of the rows that they skip.
  const history =
    given.scans.table.length > 0 ? toRegisters(given, passesOverFew(given) ? null : new Map()).history : given;
  const index = buildReadFrom(history);
  const { txnStatus } = history;
  const uses = usesByKey(history);
  const times = spansOf(history);
  let committed = 0;
  let aborted = 0;
  for (const status of txnStatus) {
    if (status === TxnStatus.Committed) committed++;
    else if (status === TxnStatus.Aborted) aborted++;
  }
  return {
    met: times === null || committed === 0 ? null : countMet(history, uses, times) / committed,
    freshReads: times === null ? null : countFresh(history, index, times),
    aborted: aborted === 0 ? 0 : aborted / (aborted + committed),
    versionsPerKey: versionsPerKey(given),
  };
}

/** Transactions that use each key, in ascending order without repetition. */
interface Uses {
  /** First use of each key, with one extra slot. */
  readonly start: Int32Array;
  readonly txn: Int32Array;
  readonly writes: Uint8Array;
}

function usesByKey(history: History): Uses {
  const start = new Int32Array(countKeys(history) + 1);
  const last = new Int32Array(countKeys(history)).fill(-1);
  eachUse(history, (key, t) => {
    if (last[key] !== t) start[key + 1]!++;
    last[key] = t;
  });
  for (let key = 0; key < last.length; key++) start[key + 1]! += start[key]!;
  const cursor = start.slice(0, -1);
  const txn = new Int32Array(start.at(-1)!);
  const writes = new Uint8Array(txn.length);
  last.fill(-1);
  eachUse(history, (key, t, isWrite) => {
    if (last[key] !== t) txn[cursor[key]!++] = t;
    last[key] = t;
    if (isWrite) writes[cursor[key]! - 1] = 1;
  });
  return { start, txn, writes };
}

function eachUse(history: History, use: (key: number, t: number, isWrite: boolean) => void): void {
  const { txnStart, opKind, opKey, opValue, ranges } = history;
  for (let t = 0; t < countTransactions(history); t++) {
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      if (opKind[op] !== OpKind.RangeRead) {
        use(opKey[op]!, t, valueWritten(history, op) >= 0);
        continue;
      }
      const range = opValue[op]!;
      for (let row = ranges.rowStart[range]!; row < ranges.rowStart[range + 1]!; row++)
        use(ranges.rowKey[row]!, t, false);
    }
  }
}

/** Begin and end of each transaction as doubles; NaN where the history does not state them. */
interface Spans {
  readonly begin: Float64Array;
  readonly end: Float64Array;
}

function spansOf({ txnBegin, txnEnd, txnStatus }: History): Spans | null {
  if (txnBegin === null || txnEnd === null) return null;
  const number = (time: bigint): number => (time === NO_TIME ? NaN : Number(time));
  const begin = Float64Array.from(txnBegin, number);
  const end = Float64Array.from(txnEnd, number);
  // A transaction whose end was not seen is treated as short, so that it meets only transactions that it certainly met.
  for (let t = 0; t < txnStatus.length; t++) if (Number.isNaN(end[t])) end[t] = begin[t]!;
  return begin.some((time) => !Number.isNaN(time)) ? { begin, end } : null;
}

/** Counts the committed transactions that overlapped with a writer of one of their keys. */
function countMet(history: History, { start, txn, writes }: Uses, { begin, end }: Spans): number {
  const { txnStatus, txnSession } = history;
  const hasMet = new Uint8Array(txnStatus.length);
  for (let key = 0; key + 1 < start.length; key++) {
    const users = txn.subarray(start[key], start[key + 1]);
    const writers = users.filter((_, i) => writes[start[key]! + i] === 1).toSorted((a, b) => begin[a]! - begin[b]!);
    // For each writer, the two writers up to it that end last: at least one of them differs from the transaction in
    // question.
    const latest = new Int32Array(2 * writers.length);
    let [first, second] = [-1, -1];
    for (let i = 0; i < writers.length; i++) {
      const writer = writers[i]!;
      if (first < 0 || end[writer]! > end[first]!) [second, first] = [first, writer];
      else if (second < 0 || end[writer]! > end[second]!) second = writer;
      latest.set([first, second], 2 * i);
    }
    for (const t of users) {
      if (txnStatus[t] !== TxnStatus.Committed || hasMet[t] === 1) continue;
      const before = countBefore(writers, begin, end[t]!);
      for (let i = 2 * before - 2; i >= 0 && i < 2 * before; i++) {
        const other = latest[i]!;
        if (other >= 0 && txnSession[other] !== txnSession[t] && end[other]! > begin[t]!) hasMet[t] = 1;
      }
    }
  }
  return hasMet.reduce((sum, one) => sum + one, 0);
}

/** Counts the writers that begin before a time. */
function countBefore(writers: Int32Array, begin: Float64Array, time: number): number {
  let [low, high] = [0, writers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (begin[writers[middle]!]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function countFresh(history: History, { readFrom }: ReadFromIndex, { begin, end }: Spans): number {
  const { txnStart, txnStatus } = history;
  let fresh = 0;
  for (let t = 0; t < txnStatus.length; t++) {
    if (txnStatus[t] !== TxnStatus.Committed) continue;
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      if (readFrom[op]! < 0) continue;
      const writer = transactionOf(history, readFrom[op]!);
      if (writer !== t && end[writer]! > begin[t]!) fresh++;
    }
  }
  return fresh;
}

function versionsPerKey(history: History): number {
  const { txnStart, txnStatus, opKey } = history;
  const isWritten = new Uint8Array(countKeys(history));
  let versions = 0;
  for (let t = 0; t < txnStatus.length; t++) {
    if (txnStatus[t] !== TxnStatus.Committed) continue;
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      if (valueWritten(history, op) < 0) continue;
      versions++;
      isWritten[opKey[op]!] = 1;
    }
  }
  const keys = isWritten.reduce((sum, one) => sum + one, 0);
  return keys === 0 ? 0 : versions / keys;
}
