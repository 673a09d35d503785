/**
 * How near a history that violates nothing came to a violation. What a level forbids is made of a few edges between
 * transactions that were under way at the same time; counted is what lacks one of them. It is a guess that guides draws,
 * and no verdict: versions of a key are taken to follow one another as their transactions returned.
 */
import { type LevelName, implies } from '@isolab/contract';
import { type History, OpKind, type ReadFromIndex, TxnStatus, countTransactions, transactionOf } from '@isolab/history';

export interface Nearness {
  /** Reads that missed a write of a transaction that was under way at the same time: anti-dependencies. */
  readonly missed: number;
  /** Of those, pairs with two keys in common: had only one of them been missed, the read would be fractured. */
  readonly splits: number;
  /** Pairs of attempts under way at the same time that wrote the same key, at most one of which committed. */
  readonly overlaps: number;
  /** Two anti-dependencies in a row, whose ends were under way at the same time: one edge more makes a cycle. */
  readonly pivots: number;
}

/** Counts what lacks one edge; a history without times shows nothing of it. */
export function nearnessOf(history: History, { readFrom }: ReadFromIndex): Nearness {
  const { txnBegin, txnEnd, txnStatus } = history;
  if (txnBegin === null || txnEnd === null) return { missed: 0, splits: 0, overlaps: 0, pivots: 0 };
  const begin = Float64Array.from(txnBegin, Number);
  const end = Float64Array.from(txnEnd, Number);
  const meet = (a: number, b: number): boolean => a !== b && begin[a]! < end[b]! && begin[b]! < end[a]!;
  const writers = writersByKey(history, end);
  const { missed, splits, into, out } = antiDependencies(history, readFrom, writers, meet);
  const isCommitted = (t: number): boolean => txnStatus[t] === TxnStatus.Committed;
  return {
    missed,
    splits,
    overlaps: countOverlaps(writers, meet, isCommitted),
    pivots: countPivots(into, out, meet),
  };
}

/** How much of it counts at a level, in near misses. */
export function missesAt(level: LevelName, { missed, splits, overlaps, pivots }: Nearness): number {
  const isSnapshot = implies(level, 'adya-snapshot-isolation');
  const isSerializable = implies(level, 'plain-serializable');
  return missed + 2 * splits + (isSnapshot ? 2 * overlaps : 0) + (isSerializable ? 4 * pivots : 0);
}

type Meets = (a: number, b: number) => boolean;

/** For each key the attempts that wrote it, in the order in which they returned. */
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

const isWrite = (kind: number): boolean =>
  kind !== OpKind.Read && kind !== OpKind.ListRead && kind !== OpKind.RangeRead;

/** Each transaction that missed a write of another one, by both. */
function antiDependencies(
  history: History,
  readFrom: Int32Array,
  writers: ReadonlyMap<number, readonly number[]>,
  meet: Meets,
) {
  const { txnStart, opKind, opKey, txnStatus } = history;
  const into = new Map<number, Set<number>>();
  const out = new Map<number, Set<number>>();
  let [missed, splits] = [0, 0];
  for (let t = 0; t < countTransactions(history); t++) {
    if (txnStatus[t] !== TxnStatus.Committed) continue;
    const counted = new Set<number>();
    const keys = new Set<number>();
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      const key = opKey[op]!;
      if ((opKind[op] !== OpKind.Read && opKind[op] !== OpKind.ListRead) || keys.has(key)) continue;
      keys.add(key);
      const of = writers.get(key) ?? [];
      const source = readFrom[op]! >= 0 ? transactionOf(history, readFrom[op]!) : -1;
      if (source === t) continue;
      for (let i = of.length - 1; i >= 0 && of[i] !== source; i--) {
        const writer = of[i]!;
        if (txnStatus[writer] !== TxnStatus.Committed || !meet(t, writer)) continue;
        missed++;
        if (counted.has(writer)) splits++;
        counted.add(writer);
        add(into, writer, t);
        add(out, t, writer);
      }
    }
  }
  return { missed, splits, into, out };
}

function add(sets: Map<number, Set<number>>, from: number, to: number): void {
  const set = sets.get(from);
  if (set) set.add(to);
  else sets.set(from, new Set([to]));
}

function countOverlaps(
  writers: ReadonlyMap<number, readonly number[]>,
  meet: Meets,
  isCommitted: (t: number) => boolean,
): number {
  let overlaps = 0;
  for (const of of writers.values())
    for (let i = 0; i < of.length; i++)
      for (let j = i + 1; j < Math.min(of.length, i + NEIGHBOURS); j++)
        if (meet(of[i]!, of[j]!) && !(isCommitted(of[i]!) && isCommitted(of[j]!))) overlaps++;
  return overlaps;
}

function countPivots(
  into: ReadonlyMap<number, ReadonlySet<number>>,
  out: ReadonlyMap<number, ReadonlySet<number>>,
  meet: Meets,
): number {
  let pivots = 0;
  for (const [pivot, sources] of into)
    for (const target of out.get(pivot) ?? []) for (const source of sources) if (meet(source, target)) pivots++;
  return pivots;
}

/** Attempts that were under way at the same time returned one after the other, but for a few clients in between. */
const NEIGHBOURS = 16;
