import {
  type History,
  type InternalAnomaly,
  OpKind,
  Outcome,
  ReadFrom,
  type ReadFromIndex,
  TxnStatus,
  UNKNOWN_VALUE,
  findInternalAnomalies,
  transactionOf,
} from '@isolab/history';
import type { Unexplained } from './unexplained.ts';

/**
 * A read that saw one of several transactions, or one transaction when the reader or that transaction may not have
 * happened.
 */
export interface OpenRead {
  readonly read: number;
  readonly reader: number;
  /** INITIAL_WRITER stands for the initial transaction. */
  readonly candidates: readonly number[];
}

/** Choices besides the order: the read sources, which determine the transactions of unknown outcome that happened. */
export interface Choices {
  readonly reads: readonly OpenRead[];
  /** 1 for each transaction that happened only if a transaction that happened read from it. */
  readonly isOpen: Uint8Array;
  /** For each open transaction with an internal anomaly: the read that proves that it did not happen. */
  readonly impossible: ReadonlyMap<number, InternalAnomaly>;
}

export const INITIAL_WRITER = -1;

export function choicesOf(history: History, index: ReadFromIndex, isUnexplained: Unexplained): Choices {
  const isOpen = new Uint8Array(history.txnStatus.length);
  if (index.ambiguousReads === 0) return { reads: [], isOpen, impossible: new Map() };
  const lastWriters = lastWritersOf(history, index);
  const reads: OpenRead[] = [];
  const toVisit: number[] = [];
  for (let t = 0; t < isOpen.length; t++) if (index.outcome[t] === Outcome.Happened) toVisit.push(t);
  for (let i = 0; i < toVisit.length; i++) {
    const t = toVisit[i]!;
    for (const read of readsOfOthers(history, t)) {
      if (isUnexplained(read)) continue;
      const candidates = candidatesOf(history, index, lastWriters, t, read);
      let needsOpen = false;
      for (const writer of candidates) {
        if (writer < 0 || index.outcome[writer] === Outcome.Happened) continue;
        needsOpen = true;
        if (isOpen[writer] === 0) toVisit.push(writer);
        isOpen[writer] = 1;
      }
      if (candidates.length > 1 || needsOpen) reads.push({ read, reader: t, candidates });
    }
  }
  return { reads, isOpen, impossible: impossibleOnes(history, index, isOpen) };
}

/** The reads of registers with known results before the transaction's own first write of the key. */
function readsOfOthers({ txnStart, opKind, opKey, opValue }: History, t: number): number[] {
  const written = new Set<number>();
  const reads: number[] = [];
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    if (opKind[op] === OpKind.Write) written.add(opKey[op]);
    else if (opKind[op] === OpKind.Read && opValue[op] !== UNKNOWN_VALUE && !written.has(opKey[op])) reads.push(op);
  }
  return reads;
}

type LastWriters = (read: number) => readonly number[];

/**
 * Unaborted transactions whose last write of the key is the version that a read saw, for reads with several possible
 * writers.
 */
function lastWritersOf(history: History, index: ReadFromIndex): LastWriters {
  const { txnStart, txnStatus, opKind, opKey, opValue } = history;
  const name = (op: number): string => `${opKey[op]} ${opValue[op]}`;
  const writers = new Map<string, number[]>();
  index.readFrom.forEach((from, op) => {
    if (from === ReadFrom.Ambiguous) writers.set(name(op), []);
  });
  for (let t = 0; t < txnStatus.length; t++) {
    if (txnStatus[t] === TxnStatus.Aborted) continue;
    const written = new Set<number>();
    for (let op = txnStart[t + 1] - 1; op >= txnStart[t]; op--) {
      if (opKind[op] !== OpKind.Write || written.has(opKey[op])) continue;
      written.add(opKey[op]);
      writers.get(name(op))?.push(t);
    }
  }
  return (read) => writers.get(name(read)) ?? [];
}

function candidatesOf(
  history: History,
  { readFrom }: ReadFromIndex,
  lastWriters: LastWriters,
  t: number,
  read: number,
): number[] {
  const from = readFrom[read];
  if (from >= 0) {
    const writer = transactionOf(history, from);
    const isLeft =
      writer !== t && history.txnStatus[writer] !== TxnStatus.Aborted && isLastWrite(history, writer, from);
    return isLeft ? [writer] : [];
  }
  if (from !== ReadFrom.Ambiguous) return [];
  const others = lastWriters(read).filter((writer) => writer !== t);
  return history.opValue[read] === history.keyInitial[history.opKey[read]] ? [INITIAL_WRITER, ...others] : others;
}

function isLastWrite({ txnStart, opKind, opKey }: History, t: number, write: number): boolean {
  for (let op = write + 1; op < txnStart[t + 1]; op++)
    if (opKind[op] === OpKind.Write && opKey[op] === opKey[write]) return false;
  return true;
}

function impossibleOnes(history: History, index: ReadFromIndex, isOpen: Uint8Array): Map<number, InternalAnomaly> {
  const found = new Map<number, InternalAnomaly>();
  if (!isOpen.includes(1)) return found;
  const outcome = index.outcome.map((each, t) => (isOpen[t] === 1 ? Outcome.Happened : each));
  const anomalies = findInternalAnomalies(history, { ...index, outcome });
  for (let i = 0; i < anomalies.count; i++) {
    const anomaly = anomalies.at(i);
    const t = transactionOf(history, anomaly.read);
    // Axioms decide whether a repeated read of a key must return the same value.
    if (isOpen[t] === 1 && anomaly.name !== 'non-repeatable-read') found.set(t, anomaly);
  }
  return found;
}
