/** Bounds the rate of violations by the number of near misses. */
import type { DataKind } from '@isolab/collector';
import { type LevelName, implies } from '@isolab/contract';
import { dataOf } from '../draws/space.ts';
import type { TrialRecord } from './options.ts';

/** Number of chances of a violation in the satisfied histories of one level, by kind of data. */
export interface Chances {
  readonly isolation: string;
  readonly level: LevelName;
  readonly anomaly: string;
  readonly data: DataKind;
  readonly count: number;
  /** Upper bound of the share of chances that end in a violation, at 95 % confidence. */
  readonly below: number;
}

/**
 * Anomalies to which a near miss lacks one edge, by the first words of its shape. A refused update also counts as an
 * overlap.
 */
const ANOMALIES: readonly (readonly [shape: string, anomaly: string, forbiddenFrom: LevelName])[] = [
  ['overlap', 'lost update', 'adya-snapshot-isolation'],
  ['split', 'fractured read', 'read-atomic'],
  ['missed', 'read skew', 'adya-snapshot-isolation'],
  ['refused skew', 'write skew', 'plain-serializable'],
  ['pivot', 'cycle of three transactions', 'plain-serializable'],
];

/** Counts the chances at each level without a violation. */
export function chancesOf(records: readonly TrialRecord[]): Chances[] {
  const loud = new Set(records.filter(({ verdict }) => verdict === 'violated').map(({ isolation }) => isolation));
  const found = new Map<string, Omit<Chances, 'below'>>();
  for (const { verdict, near, draw, isolation, level } of records) {
    if (verdict !== 'satisfied' || loud.has(isolation)) continue;
    for (const [shape, anomaly, from] of ANOMALIES) {
      if (!implies(level, from)) continue;
      const count = Object.entries(near).reduce((sum, [name, n]) => sum + (name.startsWith(shape) ? n : 0), 0);
      if (count === 0) continue;
      const data = dataOf(draw);
      const name = [isolation, anomaly, data].join('\n');
      found.set(name, { isolation, level, anomaly, data, count: count + (found.get(name)?.count ?? 0) });
    }
  }
  return Array.from(found.values(), (one) => ({ ...one, below: below(one.count) }));
}

/** Rule of three: if none of n chances was taken, the rate is below 3/n at 95 % confidence. */
export const below = (chances: number): number => Math.min(1, 3 / chances);
