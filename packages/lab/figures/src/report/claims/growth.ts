// Decides claims about growth, by the exponent of a power of x that fits the measured points.

import { plural } from '@isolab/story/markup';
import { pointsHere, pointsOfPaper } from '../../chart/points.ts';
import type { Experiment, Measurement } from '../../results/results.ts';
import { EXPONENT_BAND, FLAT } from './bands.ts';
import { gapText } from './comparison.ts';
import { type ClaimFinding, type ClaimOf, notMeasured, whyAbsent } from './finding.ts';

export function growth(claim: ClaimOf<'growth'>, experiment: Experiment, rows: readonly Measurement[]): ClaimFinding {
  const own = pointsHere(experiment, rows).filter(({ series }) => series === claim.series);
  const gaps = own.filter((point) => point.gaveUp);
  if (gaps.length > 0) return notMeasured(gapText(gaps));
  const shared = pointsOfOneHistory(rows.filter((row) => row.series === claim.series));
  if (shared.length > 0)
    return notMeasured(`the same history was measured at ${shared.join(', ')}, so growth cannot be measured`);
  const points = own.filter(({ x, value }) => Number(x) > 0 && value !== null && value > 0);
  if (points.length < 3) {
    const why = points.length === 0 ? `; ${whyAbsent(claim.series, experiment, rows, 'all')}` : '';
    return notMeasured(`${claim.series} has ${plural(points.length, 'point')}, 3 are needed${why}`);
  }
  const exponent = exponentOf(points);
  const limits = points.filter(({ isLimit }) => isLimit).length;
  const measured = `x^${exponent.toFixed(2)} over ${points.length} points`;
  const { outcome, text } = judged(claim, exponent, experiment, rows);
  const detail = `${measured}, ${text}`;
  return outcome === 'fails' || limits === 0
    ? { outcome, detail }
    : notMeasured(`${detail}; ${limits} of the points reached a limit`);
}

function judged(
  claim: ClaimOf<'growth'>,
  exponent: number,
  experiment: Experiment,
  rows: readonly Measurement[],
): { outcome: ClaimFinding['outcome']; text: string } {
  if ('atMost' in claim)
    return { outcome: exponent > claim.atMost ? 'fails' : 'holds', text: `at most x^${claim.atMost} required` };
  if ('atLeast' in claim)
    return { outcome: exponent < claim.atLeast ? 'fails' : 'holds', text: `at least x^${claim.atLeast} required` };
  const wanted = claim.exponent === 'figure' ? exponentOfPaper(claim, experiment, rows) : claim.exponent;
  if (wanted === null) return { outcome: 'not measured', text: 'the paper has fewer than 3 values of it' };
  const text = `x^${Number(wanted.toFixed(2))} in the paper${claim.exponent === 'figure' ? '’s figure' : ''}`;
  if (Math.abs(exponent - wanted) <= EXPONENT_BAND) return { outcome: 'holds', text };
  const isSame =
    wanted > EXPONENT_BAND ? exponent > FLAT && exponent < wanted : wanted < -EXPONENT_BAND && exponent < -FLAT;
  return { outcome: isSame ? 'direction only' : 'fails', text };
}

/** Exponent of the paper's own values, at the points that were measured here. */
function exponentOfPaper(
  { series }: ClaimOf<'growth'>,
  experiment: Experiment,
  rows: readonly Measurement[],
): number | null {
  const xs = new Set(rows.filter((row) => row.series === series).map(({ x }) => x));
  const points = pointsOfPaper(experiment, rows).filter(
    (point) => point.series === series && Number(point.x) > 0 && (point.value ?? 0) > 0 && !point.isLimit,
  );
  const shared = points.filter(({ x }) => xs.has(x));
  const used = shared.length >= 3 ? shared : points;
  return used.length < 3 ? null : exponentOf(used);
}

const exponentOf = (points: readonly { readonly x: number | string; readonly value: number | null }[]): number =>
  slope(points.map(({ x, value }) => [Math.log(Number(x)), Math.log(value!)]));

/** Points that were measured on the history of another point. */
function pointsOfOneHistory(rows: readonly Measurement[]): (number | string)[] {
  const xs = new Map<string, Set<number | string>>();
  for (const { history, x } of rows) xs.set(history.id, (xs.get(history.id) ?? new Set()).add(x));
  return [...new Set([...xs].flatMap(([id, at]) => (id !== '' && at.size > 1 ? [...at] : [])))];
}

/** Slope of the least-squares line. */
function slope(points: readonly (readonly [number, number])[]): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  let covariance = 0;
  let variance = 0;
  for (const [x, y] of points) {
    covariance += (x - meanX) * (y - meanY);
    variance += (x - meanX) ** 2;
  }
  return variance === 0 ? 0 : covariance / variance;
}
