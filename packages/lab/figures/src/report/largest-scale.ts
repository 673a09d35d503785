// Decides each claim by the largest scale that measured it: a better outcome at a smaller scale does not count. A scale
// with fewer than half of its points decides a claim only if no other scale does.

import { scaleOf } from '../chart/points.ts';
import type { ClaimResult, Experiment, Measurement, Scale } from '../results/results.ts';
import { evaluateClaims } from './claims.ts';
import { type DataOfSeries, type DataOrigin, dataOfClaim } from './data-kinds.ts';

/** Measurements of an experiment at one scale. */
export interface Measured {
  readonly experiment: Experiment;
  readonly rows: readonly Measurement[];
  readonly data?: DataOfSeries;
}

export interface Decided extends ClaimResult {
  /** Origin of the histories that decided the claim. */
  readonly data: DataOrigin | undefined;
}

/** Decides the claims of one experiment; `scales` has its measurements at each scale, the largest first. */
export function decideClaims(scales: readonly Measured[]): Decided[] {
  const each = scales.map(({ experiment, rows, data = new Map() }) =>
    evaluateClaims(experiment, rows).map((result) => ({ ...result, data: dataOfClaim(result.claim, data) })),
  );
  const isMost = scales.map(hasMostPoints);
  return (each[0] ?? []).map((largest, i) => {
    const results = each.map((claims) => claims[i]!);
    const decided = results.filter(({ scale }) => scale !== null);
    const decisive = decided.find((result) => isMost[results.indexOf(result)]) ?? decided[0];
    return decisive ?? { ...largest, detail: reasonsOf(results, scales) };
  });
}

function hasMostPoints({ experiment, rows }: Measured): boolean {
  const measured = new Set(rows.map(({ x }) => x));
  return rows.length > 0 && 2 * measured.size >= experiment.grid[scaleOf(rows)].length;
}

/** Reasons why no scale decided a claim, each with its scales if they differ. Scales without measurements add none. */
function reasonsOf(results: readonly ClaimResult[], scales: readonly Measured[]): string {
  const reasons = new Map<string, Scale[]>();
  for (const [i, { detail }] of results.entries()) {
    const { rows } = scales[i]!;
    if (rows.length > 0) reasons.set(detail, [...(reasons.get(detail) ?? []), scaleOf(rows)]);
  }
  if (reasons.size < 2) return [...reasons.keys()][0] ?? results[0]!.detail;
  return [...reasons].map(([detail, at]) => `at ${at.join(' and ')}: ${detail}`).join('; ');
}

/** Scales that decided claims, the largest first. */
export const scalesIn = (results: readonly ClaimResult[]): Scale[] =>
  (['paper', 'laptop', 'ci'] as const).filter((scale) => results.some((result) => result.scale === scale));

/** Text about the number of claims that each scale decided, to follow another text; empty without any. */
export function scalesText(results: readonly ClaimResult[]): string {
  const counts = scalesIn(results).map(
    (scale) => `${results.filter((result) => result.scale === scale).length} at ${scale}`,
  );
  return counts.length === 0 ? '' : `; each claim at the largest scale that measured it: ${counts.join(', ')}`;
}
