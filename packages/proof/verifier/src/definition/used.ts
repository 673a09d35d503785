import type { RawFacts } from '../facts/raw-facts.ts';

/** Returns the keys that transactions that happened use, regardless of the outcome of their operations. */
export function keysUsed({
  history,
  happened,
  txnOf,
}: Pick<RawFacts, 'history' | 'happened' | 'txnOf'>): ReadonlySet<number> {
  const used = new Set<number>();
  for (let op = 0; op < txnOf.length; op++) if (happened[txnOf[op]] === 1) used.add(history.opKey[op]);
  return used;
}
