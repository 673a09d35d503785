/**
 * Estimates how near a history without a violation came to one. An anomaly consists of a few edges between concurrent
 * transactions; the estimate counts, by shape, patterns that lack one edge. It guides draws and is not a verdict: it
 * assumes that the versions of a key follow the order in which their transactions returned.
 */
import { type LevelName, implies } from '@isolab/contract';
import { type History, OpKind, type ReadFromIndex, TxnStatus, countTransactions, transactionOf } from '@isolab/history';

/** Number of occurrences of each shape of near miss. */
export type Nearness = Readonly<Record<string, number>>;

/**
 * Counts the shapes:
 * - `missed`: a read missed a write of a concurrent transaction (an anti-dependency);
 * - `split`: the reader missed two writes of the same transaction: had it seen one of them, the read would be
 * fractured;
 * - `overlap`: two concurrent attempts wrote a key, and one committed: with both, a lost update;
 * - `refused`: an aborted attempt would have formed a cycle with a committed one: each missed a write of the other, to
 * one key (`update`) or to two (`skew`);
 * - `pivot`: two consecutive anti-dependencies with concurrent ends: one more edge closes a cycle.
 * The missed version may be the first version of its key or a later version (`first`, `later`). It may directly follow
 * the version that was read or not (`next`, `far`). For a pivot, it also matters which end returned first.
 */
export function nearnessOf(history: History, index: ReadFromIndex, level: LevelName): Nearness {
  const { txnBegin, txnEnd } = history;
  if (txnBegin === null || txnEnd === null) return {};
  const begin = Float64Array.from(txnBegin, Number);
  const end = Float64Array.from(txnEnd, Number);
  const meet: Meets = (a, b) => a !== b && begin[a]! < end[b]! && begin[b]! < end[a]!;
  const writers = writersByKey(history, end);
  const shapes = new Map<string, number>();
  const count = (shape: string): void => void shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
  const missed = missedWrites(history, index, writers, meet, count);
  if (implies(level, 'adya-snapshot-isolation')) countOverlaps(history, writers, meet, count);
  const isCommitted = (t: number): boolean => history.txnStatus[t] === TxnStatus.Committed;
  if (implies(level, 'plain-serializable')) countPivots(missed, end, meet, isCommitted, count);
  countRefused(history, missed, implies(level, 'plain-serializable'), count);
  return Object.fromEntries([...shapes].toSorted());
}

type Meets = (a: number, b: number) => boolean;
type Count = (shape: string) => void;

/** The attempts that wrote each key, in the order in which they returned. */
function writersByKey({ txnStart, opKind, opKey, txnStatus }: History, end: Float64Array): Map<number, number[]> {
  const writers = new Map<number, number[]>();
  for (let t = 0; t < txnStatus.length; t++) {
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      if (!isWrite(opKind[op]!)) continue;
      const of = writers.get(opKey[op]!);
      if (!of) writers.set(opKey[op]!, [t]);
      else if (of.at(-1) !== t) of.push(t);
    }
  }
  for (const of of writers.values()) of.sort((a, b) => end[a]! - end[b]!);
  return writers;
}

const isRead = (kind: number): boolean => kind === OpKind.Read || kind === OpKind.ListRead;

const isWrite = (kind: number): boolean =>
  kind !== OpKind.Read && kind !== OpKind.ListRead && kind !== OpKind.RangeRead && kind !== OpKind.Scan;

/**
 * For each reader, including aborted readers, the writers whose writes it missed. Each has the shape of the first
 * missed write.
 */
type Missed = ReadonlyMap<number, ReadonlyMap<number, string>>;

function missedWrites(
  history: History,
  { readFrom }: ReadFromIndex,
  writers: ReadonlyMap<number, readonly number[]>,
  meet: Meets,
  count: Count,
): Missed {
  const { txnStart, opKind, opKey, txnStatus } = history;
  const isCommitted = (t: number): boolean => txnStatus[t] === TxnStatus.Committed;
  const missed = new Map<number, Map<number, string>>();
  for (let t = 0; t < countTransactions(history); t++) {
    const keys = new Set<number>();
    const from = new Map<number, string>();
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      const key = opKey[op]!;
      if (!isRead(opKind[op]!) || keys.has(key)) continue;
      keys.add(key);
      const source = readFrom[op]! >= 0 ? transactionOf(history, readFrom[op]!) : -1;
      if (source === t) continue;
      const committed = (writers.get(key) ?? []).filter(isCommitted);
      const next = committed.indexOf(source) + 1;
      for (let i = next; i < Math.min(committed.length, next + MOST_MISSED); i++) {
        const writer = committed[i]!;
        if (!meet(t, writer)) continue;
        const shape = `${i === next ? 'next' : 'far'} ${next === 0 ? 'first' : 'later'}`;
        if (isCommitted(t)) count(`${from.has(writer) ? 'split' : 'missed'} ${shape}`);
        if (!from.has(writer)) from.set(writer, shape);
      }
    }
    if (from.size > 0) missed.set(t, from);
  }
  return missed;
}

function countOverlaps(
  { txnStatus }: History,
  writers: ReadonlyMap<number, readonly number[]>,
  meet: Meets,
  count: Count,
): void {
  const isCommitted = (t: number): boolean => txnStatus[t] === TxnStatus.Committed;
  for (const of of writers.values())
    for (let i = 0; i < of.length; i++)
      for (let j = i + 1; j < Math.min(of.length, i + NEIGHBOURS); j++)
        if (isCommitted(of[i]!) !== isCommitted(of[j]!) && meet(of[i]!, of[j]!))
          count(`overlap ${i === 0 ? 'first' : 'later'}`);
}

function countRefused(
  { txnStart, txnStatus, opKind, opKey }: History,
  missed: Missed,
  isSerializable: boolean,
  count: Count,
): void {
  const keysOf = (t: number, wanted: (kind: number) => boolean): Set<number> => {
    const keys = new Set<number>();
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) if (wanted(opKind[op]!)) keys.add(opKey[op]!);
    return keys;
  };
  for (const [attempt, writers] of missed) {
    if (txnStatus[attempt] === TxnStatus.Committed) continue;
    const written = keysOf(attempt, isWrite);
    let nearest: string | null = null;
    for (const [writer, shape] of writers) {
      const [read, wrote] = [keysOf(writer, isRead), keysOf(writer, isWrite)];
      const both = [...written].filter((key) => read.has(key));
      if (both.some((key) => wrote.has(key))) {
        nearest = `update ${shape}`;
        break; // this update alone explains the refusal
      }
      if (both.length > 0 && isSerializable) nearest ??= `skew ${shape}`;
    }
    if (nearest !== null) count(`refused ${nearest}`);
  }
}

function countPivots(
  missed: Missed,
  end: Float64Array,
  meet: Meets,
  isCommitted: (t: number) => boolean,
  count: Count,
): void {
  for (const [reader, pivots] of missed)
    for (const [pivot, first] of isCommitted(reader) ? pivots : [])
      for (const [writer, second] of missed.get(pivot) ?? [])
        if (meet(reader, writer))
          count(`pivot ${first}, ${second}, ${earliest(end, reader, pivot, writer)} ends first`);
}

function earliest(end: Float64Array, reader: number, pivot: number, writer: number): string {
  const least = Math.min(end[reader]!, end[pivot]!, end[writer]!);
  return least === end[writer] ? 'writer' : least === end[pivot] ? 'pivot' : 'reader';
}

/** Concurrent attempts returned one after another, with only a few clients in between. */
const NEIGHBOURS = 16;
const MOST_MISSED = 8;
