/** The rows that a scan or an aggregate excludes, one by one. */
import type { History } from '../history/history.ts';
import { type Predicate, isOpaque } from '../rows/predicate.ts';
import type { Aggregate } from '../rows/scans.ts';
import { heldIn } from './versions-of-rows.ts';

/** Returns the predicate that only rows of the aggregate may satisfy. */
export function excludedBy(where: Predicate, aggregate: Aggregate): Predicate {
  if (aggregate.kind === 'count') return where;
  const { kind, column, result } = aggregate;
  const held = heldIn(where, column);
  return result === null ? held : ['and', held, [kind === 'min' ? '<' : '>', column, result]];
}

/** Returns whether the aggregate excludes each row independently of the others. */
export const saysOfEach = ({ kind, result }: Aggregate): boolean =>
  result === null || kind === 'min' || kind === 'max' || (kind === 'count' && result === 0);

/** Returns the predicate that no skipped row may satisfy; null if the scan states nothing about single rows. */
export function excludedFrom({ scans }: History, scan: number): Predicate | null {
  const { predicate, predicates, aggregate, aggregates } = scans;
  const where = predicates[predicate[scan]]!;
  if (aggregate[scan] < 0) return where;
  const result = aggregates[aggregate[scan]]!;
  return isOpaque(where) || !saysOfEach(result) ? null : excludedBy(where, result);
}
