// Shared parts of the decisions about claims.

import { gaveUp, reasonOf, scaleOf } from '../../chart/points.ts';
import type { PaperClaim, ClaimResult, Experiment, Measurement } from '../../results/results.ts';

type Kind = PaperClaim['kind'];
export type ClaimOf<K extends Kind> = PaperClaim & { readonly kind: K };
export type ClaimFinding = Pick<ClaimResult, 'outcome' | 'detail'>;

export const notMeasured = (detail: string): ClaimFinding => ({ outcome: 'not measured', detail });

export const isAt = (x: number | string, wanted: number | string): boolean => String(x) === String(wanted);

/**
 * Reason why a series has no value, at one point or at all: the reasons of its runs, or that this scale has no such
 * point.
 */
export function whyAbsent(
  name: string,
  { grid }: Experiment,
  rows: readonly Measurement[],
  at: ClaimOf<'faster'>['at'],
): string {
  const own = rows.filter((row) => row.series === name);
  const there = own.filter(({ x }) => at === 'all' || at === 'last' || [at].flat().some((wanted) => isAt(x, wanted)));
  const reason = reasonOf(there.find(gaveUp) ?? there.find((row) => row.reason !== null));
  if (reason !== null) return `${name}: ${reason}`;
  if (own.length === 0) return `${name} was not run`;
  if (there.length > 0) return `${name} has no value`;
  const points = grid[scaleOf(rows)];
  const isThere = [at].flat().some((wanted) => points.some((x) => isAt(x, wanted)));
  return isThere
    ? `${name} was not run at ${[at].flat().join(', ')}`
    : `scale ${scaleOf(rows)} has the points ${points.join(', ')}`;
}
