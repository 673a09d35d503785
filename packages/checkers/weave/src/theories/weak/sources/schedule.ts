/** Orders that guess which writer an ambiguous read saw: the latest candidate before it. */
import { INITIAL_TXN } from '@isolab/contract';
import { addTo } from '@isolab/graph';
import { Outcome, type ReadFromIndex } from '@isolab/history';
import type { EdgeFacts } from '../edges/facts.ts';
import type { OpenReads } from './open-reads.ts';
import type { Version } from './versions.ts';

/**
 * Sorts transactions into an order near the guess: each comes after its certain sources and its predecessor in the
 * session, and each open read after a writer that it may have seen. A transaction that has to wait comes as soon as
 * possible; transactions that wait forever come last.
 */
export function schedule(
  { history, happened, source, previous }: EdgeFacts,
  open: OpenReads,
  order: Int32Array,
): Int32Array {
  const { txnStart } = history;
  const waits = new Int32Array(order.length); // number of reasons for which each transaction waits
  const behind = new Map<number, number[]>(); // by transaction: its waiters, once for each reason
  const readers = new Map<Version, number[]>(); // by version: the transactions that wait for any of its writers
  const versions = new Map<number, Version[]>(); // by transaction: its writes that others wait for
  for (let t = 0; t < order.length; t++) {
    for (let i = open.start[t]; i < open.start[t + 1]; i++) {
      const { version } = open.reads[i]!;
      if (version.writers[0] === INITIAL_TXN) continue;
      waits[t]++;
      if (!readers.has(version)) for (const writer of version.writers) addTo(versions, writer, version);
      addTo(readers, version, t);
    }
    const wait = (before: number): void => {
      if (before < 0 || happened[before] === 0) return;
      waits[t]++;
      addTo(behind, before, t);
    };
    if (happened[t] === 0) continue;
    wait(previous[t]);
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) wait(source[op]);
  }

  const placed: number[] = [];
  const isReached = new Uint8Array(order.length);
  const release = (t: number): void => {
    if (--waits[t] === 0 && isReached[t] === 1) placed.push(t);
  };
  let visited = 0;
  for (const t of order) {
    isReached[t] = 1;
    if (waits[t] === 0) placed.push(t);
    for (; visited < placed.length; visited++) {
      const next = placed[visited]!;
      for (const other of behind.get(next) ?? []) release(other);
      for (const version of versions.get(next) ?? []) {
        for (const reader of readers.get(version) ?? []) release(reader);
        readers.delete(version);
      }
    }
  }
  for (const t of order) if (waits[t] > 0) placed.push(t);
  return Int32Array.from(placed);
}

/**
 * Merges all transactions into one order: transactions that happened keep the given order, and each other transaction
 * follows its predecessor in the pace of sessions.
 */
export function guessedOrder({ outcome }: ReadFromIndex, order: Int32Array, byPace: Int32Array): Int32Array {
  if (order.length === byPace.length) return order;
  const others = new Map<number, number[]>(); // by the transaction that they follow
  let last = -1;
  for (const t of byPace) {
    if (outcome[t] === Outcome.Happened) last = t;
    else addTo(others, last, t);
  }
  const all = [...(others.get(-1) ?? [])];
  for (const t of order) {
    all.push(t);
    for (const other of others.get(t) ?? []) all.push(other);
  }
  return Int32Array.from(all);
}
