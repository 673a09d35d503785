import { type Entries, entriesByKey, valueRead, valueWritten } from '../history/entries.ts';
import { type History, countKeys, countOperations, countSessions, countTransactions } from '../history/history.ts';
import { findInitialTransaction } from '../history/initial-transaction.ts';
import { findInternalAnomalies } from '../history/internal-anomalies.ts';
import type { InternalAnomalyName } from '../history/internal-anomaly.ts';
import type { TransactionId } from '../columns/ids.ts';
import { NO_TIME, OP_NAMES, OpKind, TxnStatus, UNKNOWN_LIST, UNKNOWN_VALUE } from '../columns/operation.ts';
import { passesOverFew, toRegisters } from './registers.ts';
import { type RowCounts, countRows } from './row-counts.ts';
import { buildReadFrom } from '../history/build-read-from.ts';
import { Outcome, ReadFrom, type ReadFromIndex } from '../history/read-from.ts';
import { HISTORY_SHAPES, type HistoryShape, checkShape } from '../history/shape.ts';

/** Contents of a history, and the share that can serve as evidence. */
export interface HistoryStatistics {
  readonly sessions: number;
  readonly transactions: number;
  readonly committed: number;
  readonly aborted: number;
  readonly unknown: number;
  /** Transactions of unknown outcome that happened, because other transactions read from them. */
  readonly unknownObserved: number;
  readonly operations: number;
  readonly committedOperations: number;
  readonly operationKinds: Readonly<Partial<Record<(typeof OP_NAMES)[number], number>>>;
  readonly keys: number;
  /** Null for a history without tables. */
  readonly rows: RowCounts | null;
  /** Number of operations in the longest committed transaction. */
  readonly longestTransaction: number;
  /** Share of reads among the operations of committed transactions. */
  readonly readShare: number;
  /** Reads in transactions that happened, by source. */
  readonly reads: ReadCounts;
  readonly repeatedWrites: number;
  readonly shapes: Readonly<Record<HistoryShape, boolean>>;
  readonly internalAnomalies: Readonly<Record<InternalAnomalyName, number>>;
  readonly coverage: Coverage;
  /** Number of transactions with times, and the real time between the first begin and the last end. */
  readonly timed: number;
  readonly timeSpan: bigint | null;
  /**
   * Transaction that resembles an explicit initial transaction; only a hint, because nothing in the history confirms
   * it.
   */
  readonly initialTransaction: TransactionId | null;
}

export interface ReadCounts {
  readonly external: number;
  readonly initial: number;
  readonly own: number;
  readonly thinAir: number;
  readonly ambiguous: number;
  readonly unknown: number;
}

/** Potential of a history to show anomalies: without conflicts, every level holds trivially. */
export interface Coverage extends Conflicts {
  /** Share of external reads whose writer is known. */
  readonly resolvedReads: number;
}

export interface Conflicts {
  /** Keys written by at least two transactions that happened. */
  readonly contendedKeys: number;
  /** Keys that one transaction writes and another reads or writes: only these can serve as evidence. */
  readonly sharedKeys: number;
  /** Transactions that happened and share no key with other transactions. */
  readonly isolatedTransactions: number;
}

export function computeStatistics(
  history: History,
  entries: Entries = entriesByKey(history),
  index: ReadFromIndex = buildReadFrom(history),
): HistoryStatistics {
  const statistics = computePlain(history, entries, index);
  if (history.scans.table.length === 0) return statistics;
  // Reads and shared keys of scans are counted for returned rows only.
  const registers = toRegisters(history, new Map()).history;
  const { reads, coverage } = computePlain(registers, entriesByKey(registers), buildReadFrom(registers));
  const all = passesOverFew(history, MANY_PASSED_OVER) ? toRegisters(history).history : registers;
  const internalAnomalies = findInternalAnomalies(all, buildReadFrom(all)).counts;
  return { ...statistics, reads, coverage, internalAnomalies };
}

/** Limit on the growth of a history whose scans read all skipped rows, for the search for an anomaly. */
const MANY_PASSED_OVER = 10;

function computePlain(history: History, entries: Entries, index: ReadFromIndex): HistoryStatistics {
  const { txnStatus, txnStart, opKind } = history;
  const transactions = countTransactions(history);
  const byStatus = [0, 0, 0];
  let unknownObserved = 0;
  let committedOperations = 0;
  let committedReads = 0;
  let longestTransaction = 0;
  for (let t = 0; t < transactions; t++) {
    const length = txnStart[t + 1] - txnStart[t];
    byStatus[txnStatus[t]]++;
    if (txnStatus[t] === TxnStatus.Unknown && index.outcome[t] === Outcome.Happened) unknownObserved++;
    if (txnStatus[t] !== TxnStatus.Committed) continue;
    committedOperations += length;
    longestTransaction = Math.max(longestTransaction, length);
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (isReadOperation(opKind[op])) committedReads++;
  }
  const kinds = Array.from(OP_NAMES, () => 0);
  for (let op = 0; op < opKind.length; op++) kinds[opKind[op]]++;
  const reads = countReads(history, entries, index);

  return {
    sessions: countSessions(history),
    transactions,
    committed: byStatus[TxnStatus.Committed]!,
    aborted: byStatus[TxnStatus.Aborted]!,
    unknown: byStatus[TxnStatus.Unknown]!,
    unknownObserved,
    operations: countOperations(history),
    committedOperations,
    operationKinds: Object.fromEntries(
      OP_NAMES.map((name, kind) => [name, kinds[kind]!] as const).filter(([, count]) => count > 0),
    ),
    keys: countKeys(history),
    rows: countRows(history),
    longestTransaction,
    readShare: committedOperations === 0 ? 0 : committedReads / committedOperations,
    reads,
    repeatedWrites: index.repeatedWrites,
    shapes: Object.fromEntries(
      (Object.keys(HISTORY_SHAPES) as HistoryShape[]).map((shape) => [shape, checkShape(history, index, shape).holds]),
    ) as Record<HistoryShape, boolean>,
    internalAnomalies: findInternalAnomalies(history, index).counts,
    coverage: { resolvedReads: shareResolved(reads), ...countConflicts(history, entries, index) },
    ...countTimes(history),
    initialTransaction: findInitialTransaction(history),
  };
}

const isReadOperation = (kind: number): boolean =>
  kind === OpKind.Read || kind === OpKind.ListRead || kind === OpKind.RangeRead || kind === OpKind.Scan;

function countReads(history: History, { txnOfOp, rowOp }: Entries, index: ReadFromIndex): ReadCounts {
  const { opKind, opValue, txnStart } = history;
  const reads = { external: 0, initial: 0, own: 0, thinAir: 0, ambiguous: 0, unknown: 0 };
  const count = (t: number, from: number, known: boolean): void => {
    if (!known) reads.unknown++;
    else if (from === ReadFrom.Initial) reads.initial++;
    else if (from === ReadFrom.ThinAir) reads.thinAir++;
    else if (from === ReadFrom.Ambiguous) reads.ambiguous++;
    else if (from >= 0 && txnOfOp[from] === t) reads.own++;
    else if (from >= 0) reads.external++;
  };
  for (let t = 0; t < countTransactions(history); t++) {
    if (index.outcome[t] !== Outcome.Happened) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const value = valueRead(history, op);
      if (opKind[op] === OpKind.ListRead) count(t, index.readFrom[op], opValue[op] !== UNKNOWN_LIST);
      else if (value >= 0) count(t, index.readFrom[op], value !== UNKNOWN_VALUE);
    }
  }
  rowOp.forEach((op, row) => {
    if (index.outcome[txnOfOp[op]] === Outcome.Happened) count(txnOfOp[op], index.rowReadFrom[row], true);
  });
  return reads;
}

function shareResolved({ external, initial, ambiguous, unknown, thinAir }: ReadCounts): number {
  const all = external + initial + ambiguous + unknown + thinAir;
  return all === 0 ? 1 : (external + initial) / all;
}

function countConflicts(
  history: History,
  { keyStart, entry, rowOp, txnOfOp }: Entries,
  { outcome }: ReadFromIndex,
): Conflicts {
  const numOps = countOperations(history);
  const txnOf = (e: number): number => txnOfOp[e < numOps ? e : rowOp[e - numOps]];
  const connected = new Uint8Array(countTransactions(history));
  let contendedKeys = 0;
  let sharedKeys = 0;
  for (let key = 0; key < keyStart.length - 1; key++) {
    const writers = { first: -1, several: false };
    const users = { first: -1, several: false };
    for (let i = keyStart[key]; i < keyStart[key + 1]; i++) {
      const t = txnOf(entry[i]);
      if (outcome[t] !== Outcome.Happened) continue;
      meet(users, t);
      if (valueWritten(history, entry[i]) >= 0) meet(writers, t);
    }
    if (writers.several) contendedKeys++;
    if (writers.first < 0 || !users.several) continue;
    sharedKeys++;
    for (let i = keyStart[key]; i < keyStart[key + 1]; i++) connected[txnOf(entry[i])] = 1;
  }
  let isolatedTransactions = 0;
  for (let t = 0; t < connected.length; t++)
    if (outcome[t] === Outcome.Happened && connected[t] === 0) isolatedTransactions++;
  return { contendedKeys, sharedKeys, isolatedTransactions };
}

function meet(seen: { first: number; several: boolean }, t: number): void {
  if (seen.first < 0) seen.first = t;
  else if (seen.first !== t) seen.several = true;
}

function countTimes({ txnBegin, txnEnd }: History): { timed: number; timeSpan: bigint | null } {
  let timed = 0;
  let first: bigint | null = null;
  let last: bigint | null = null;
  for (let t = 0; t < (txnBegin?.length ?? 0); t++) {
    const begin = txnBegin![t];
    if (begin === NO_TIME) continue;
    timed++;
    if (first === null || begin < first) first = begin;
    const end = txnEnd === null || txnEnd[t] === NO_TIME ? begin : txnEnd[t];
    if (last === null || end > last) last = end;
  }
  return { timed, timeSpan: first === null ? null : last! - first };
}
