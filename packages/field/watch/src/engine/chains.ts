import { type LevelName, implies } from '@isolab/contract';
import { isCheckedInFull } from './full-checks.ts';

/**
 * Groups levels into chains in which each level implies the next, strongest first: one engine per chain. A level that
 * is judged by full checks gets its own engine.
 */
export function chains(levels: readonly LevelName[]): LevelName[][] {
  const strongestFirst = [...new Set(levels)].toSorted((a, b) => (implies(a, b) ? -1 : implies(b, a) ? 1 : 0));
  const all: LevelName[][] = [];
  for (const level of strongestFirst) {
    const chain = isCheckedInFull(level)
      ? undefined
      : all.find((one) => !isCheckedInFull(one[0]!) && implies(one.at(-1)!, level));
    if (chain === undefined) all.push([level]);
    else chain.push(level);
  }
  return all;
}
