// Decides whether a claim holds here, with its numbers. A claim that the measurements do not decide is "not measured":
// a run that reached a limit shows only that the value is larger, and a run that gave up shows nothing.

import { apartAt, apartText } from '../chart/apart.ts';
import {
  type Point,
  type Unit,
  gaveUp,
  pointsHere,
  pointsOfPaper,
  reasonOf,
  scaleOf,
  shown,
  shownPoint,
  unitOf,
  xsOf,
} from '../chart/points.ts';
import { PUBLISHED_MARK } from '../results/published.ts';
import type { PaperClaim, ClaimResult, ExpectedCount, Experiment, Measurement, Metric } from '../results/results.ts';

type Kind = PaperClaim['kind'];
type ClaimOf<K extends Kind> = PaperClaim & { readonly kind: K };
type ClaimFinding = Omit<ClaimResult, 'claim'>;

export function evaluateClaims(experiment: Experiment, rows: readonly Measurement[]): ClaimResult[] {
  const own = rows.filter((row) => row.experiment === experiment.id);
  return experiment.holds.map((claim) => ({ claim, ...outcomeOf(claim, experiment, own) }));
}

function outcomeOf(claim: PaperClaim, experiment: Experiment, rows: readonly Measurement[]): ClaimFinding {
  if (claim.kind !== 'not-reproducible' && rows.length === 0) return notMeasured('not run yet');
  if (claim.only && !claim.only.scales.includes(scaleOf(rows)))
    return notMeasured(`required only at scale ${claim.only.scales.join(' and ')}: ${claim.only.why}`);
  switch (claim.kind) {
    case 'faster':
      return faster(claim, measuring(experiment, claim.metric), rows);
    case 'growth':
      return growth(claim, measuring(experiment, claim.metric), rows);
    case 'finishes':
      return finishes(claim, experiment, rows);
    case 'verdict':
      return verdict(claim, experiment, rows);
    case 'misses':
      return misses(claim, experiment, rows);
    case 'counter':
      return counter(claim, experiment, rows);
    case 'not-reproducible':
      return { outcome: 'not reproducible', detail: claim.why };
  }
}

/** Returns the experiment with another metric on its y axis, for which the paper has no values. */
const measuring = (experiment: Experiment, metric: Metric | undefined): Experiment =>
  metric === undefined ? experiment : { ...experiment, y: { ...experiment.y, metric }, published: {} };

const notMeasured = (detail: string): ClaimFinding => ({ outcome: 'not measured', detail });

const isAt = (x: number | string, wanted: number | string): boolean => String(x) === String(wanted);

const isAmong = (x: number | string, at: readonly (number | string)[] | undefined): boolean =>
  at === undefined || at.some((wanted) => isAt(x, wanted));

/**
 * Reason why a series has no value, at one point or at all: the reasons of its runs, or that this scale has no such
 * point.
 */
function whyAbsent(name: string, { grid }: Experiment, rows: readonly Measurement[], at: unknown): string {
  const own = rows.filter((row) => row.series === name);
  const there = own.filter(({ x }) => typeof at === 'object' || at === 'all' || at === 'last' || isAt(x, String(at)));
  const reason = reasonOf(there.find(gaveUp) ?? there.find((row) => row.reason !== null));
  if (reason !== null) return `${name}: ${reason}`;
  if (own.length === 0) return `${name} was not run`;
  const scale = scaleOf(rows);
  return there.length > 0 ? `${name} has no value` : `scale ${scale} has the points ${grid[scale].join(', ')}`;
}

function faster(claim: ClaimOf<'faster'>, experiment: Experiment, rows: readonly Measurement[]): ClaimFinding {
  const { series, than, factor, at } = claim;
  const unit = unitOf(experiment.y.metric);
  const points = [
    ...pointsHere(experiment, rows),
    ...pointsOfPaper(experiment, rows).map((point) => ({ ...point, series: `${point.series} (paper)` })),
  ];
  const find = (name: string, x: number | string): Point | undefined =>
    points.find((point) => point.series === name && point.x === x && point.value !== null);
  const stopped = (name: string, x: number | string): Point | undefined =>
    points.find((point) => point.series === name && point.x === x && point.gaveUp);
  const ran = xsOf(experiment, rows).filter((x) =>
    [series, than].every((name) => (find(name, x) ?? stopped(name, x)) !== undefined),
  );
  const last = ran.at(-1);
  const asked = ran.filter((x) => {
    if (typeof at === 'object') return Number(x) >= at.from;
    return at === 'all' || (at === 'last' ? x === last : isAt(x, at));
  });
  const gaps = asked.flatMap((x) => [series, than].flatMap((name) => stopped(name, x) ?? []));
  const xs = asked.filter((x) => find(series, x) && find(than, x));
  if (xs.length === 0 && gaps.length === 0) return notMeasured(whyNotCompared(claim, points, experiment, rows));
  const compared = xs.map((x) => compare(x, find(series, x)!, find(than, x)!, factor, unit));
  const held = compared.filter(({ is }) => is === 'held');
  const failed = compared.filter(({ is }) => is === 'failed');
  const open = compared.filter(({ is }) => is === 'open');
  const apart = apartAt(rows, [series, than]).filter(({ x }) => xs.includes(x));
  const mixed = apart.length === 0 ? '' : `; not measured together ${apartText(apart)}`;
  const wanted = `${factor === 1 ? '' : `; ${factor}× required`}${mixed}`;
  if (failed.length > 0) {
    const itself = failed.flatMap(({ x }) => [series, than].flatMap((name) => find(name + PUBLISHED_MARK, x) ?? []));
    return { outcome: 'fails', detail: `${ratios(failed, unit)}${wanted}${publishedText(itself, unit)}` };
  }
  if (gaps.length > 0) {
    const rest = held.length === 0 ? '' : `; elsewhere ${ratios(held, unit)}${wanted}`;
    return notMeasured(`${gapText(gaps)}${rest}`);
  }
  if (held.length === 0)
    return notMeasured(`hidden by limits, or too short to compare: ${ratios(open, unit)}${wanted}`);
  const left = open.length === 0 ? '' : `; hidden by limits, or too short to compare: ${ratios(open, unit)}`;
  return { outcome: 'holds', detail: `${ratios(held, unit)}${wanted}${left}` };
}

/** Values of the published programs, if isolab's checkers do not show the paper's claim. */
function publishedText(points: readonly Point[], unit: Unit): string {
  const texts = points.map((point) => `${point.series} at ${point.x} ${shownPoint(point, unit)}`);
  return texts.length === 0 ? '' : `; beside them ${texts.join(', ')}`;
}

/** Reason why a comparison lacks a value that the claim needs, with the series that lacks it. */
function whyNotCompared(
  { series, than, at }: ClaimOf<'faster'>,
  points: readonly Point[],
  experiment: Experiment,
  rows: readonly Measurement[],
): string {
  const isAnywhere = typeof at === 'object' || at === 'all' || at === 'last';
  const missing = [series, than].filter(
    (name) =>
      !points.some((point) => point.series === name && point.value !== null && (isAnywhere || isAt(point.x, at))),
  );
  const reasons = [...new Set(missing.map((name) => whyAbsent(name, experiment, rows, at)))];
  const where = typeof at === 'object' ? ` from ${at.from} on` : isAnywhere ? '' : ` at ${at}`;
  return `${series} and ${than} were not both measured${where}${reasons.map((text) => `; ${text}`).join('')}`;
}

/** Series that gave up, with the points and the reasons. */
function gapText(gaps: readonly Point[]): string {
  const names = [...new Set(gaps.map(({ series }) => series))];
  return names
    .map((name) => {
      const own = gaps.filter(({ series }) => series === name);
      return `${name} at ${own.map(({ x }) => x).join(', ')} ${own[0]!.reason ?? 'gave up'}`;
    })
    .join('; ');
}

interface Comparison {
  readonly x: number | string;
  readonly one: Point;
  readonly other: Point;
  readonly ratio: number;
  readonly is: 'held' | 'failed' | 'open';
}

function compare(x: number | string, one: Point, other: Point, factor: number, unit: Unit): Comparison {
  const ratio = one.value === 0 ? (other.value === 0 ? 1 : Infinity) : other.value! / one.value!;
  const isShort = unit === 's' && one.value! < SHORTEST_SECONDS && other.value! < SHORTEST_SECONDS;
  const isOpen = isShort || (other.isLimit && (one.isLimit || ratio < factor));
  const is = isOpen ? 'open' : !one.isLimit && ratio >= factor ? 'held' : 'failed';
  return { x, one, other, ratio, is };
}

/** Below this, the longer of two times may be due to a disturbance. */
const SHORTEST_SECONDS = 0.002;

/** Lists a few ratios in full; for many ratios, the range, and the smallest ratio in full. */
function ratios(list: readonly Comparison[], unit: Unit): string {
  const full = (it: Comparison): string =>
    `at ${it.x} ${ratioText(it)} (${valueText(it.one, unit)} and ${valueText(it.other, unit)})`;
  if (list.length <= 3) return list.map(full).join('; ');
  const sorted = list.toSorted((a, b) => a.ratio - b.ratio);
  return `${ratioText(sorted[0]!)} to ${ratioText(sorted.at(-1)!)} at ${list.map(({ x }) => x).join(', ')}; least ${full(sorted[0]!)}`;
}

const ratioText = ({ ratio, one, other }: Comparison): string =>
  `${other.isLimit && !one.isLimit ? '≥ ' : ''}${Number.isFinite(ratio) ? Number(ratio.toPrecision(2)) : '∞'}×`;

const valueText = ({ value, isLimit }: Point, unit: Unit): string => `${isLimit ? '≥ ' : ''}${shown(value!, unit)}`;

function growth(claim: ClaimOf<'growth'>, experiment: Experiment, rows: readonly Measurement[]): ClaimFinding {
  const own = pointsHere(experiment, rows).filter(({ series }) => series === claim.series);
  const gaps = own.filter((point) => point.gaveUp);
  if (gaps.length > 0) return notMeasured(gapText(gaps));
  const shared = pointsOfOneHistory(rows.filter((row) => row.series === claim.series));
  if (shared.length > 0)
    return notMeasured(`the same history was measured at ${shared.join(', ')}, so growth cannot be measured`);
  const points = own.filter(({ x, value }) => Number(x) > 0 && value !== null && value > 0);
  if (points.length < 3) {
    const why = points.length === 0 ? `; ${whyAbsent(claim.series, experiment, rows, 'all')}` : '';
    return notMeasured(`${claim.series} has ${points.length} points, 3 are needed${why}`);
  }
  const exponent = slope(points.map(({ x, value }) => [Math.log(Number(x)), Math.log(value!)]));
  const text = `x^${exponent.toFixed(2)} over ${points.length} points, at most x^${claim.atMost} required`;
  if (exponent > claim.atMost) return { outcome: 'fails', detail: text };
  const limits = points.filter(({ isLimit }) => isLimit).length;
  return limits > 0
    ? notMeasured(`${text}; ${limits} of the points reached a limit`)
    : { outcome: 'holds', detail: text };
}

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

function finishes(
  { series, at }: ClaimOf<'finishes'>,
  experiment: Experiment,
  rows: readonly Measurement[],
): ClaimFinding {
  const own = rows.filter(
    (row) => row.series === series && row.verdict !== 'skipped' && (at === 'all' || isAt(row.x, at)),
  );
  if (own.length === 0) return notMeasured(whyAbsent(series, experiment, rows, at));
  const ended = own.filter(({ verdict: is }) => is === 'unknown');
  const xs = xsOf(experiment, own).join(', ');
  if (ended.length === 0) return { outcome: 'holds', detail: `verdicts at ${xs}` };
  const list = [...new Set(ended.map(({ x, reason }) => `at ${x}: ${reason ?? 'no verdict'}`))];
  return { outcome: 'fails', detail: list.join('; ') };
}

function verdict(
  { series, is, at }: ClaimOf<'verdict'>,
  experiment: Experiment,
  rows: readonly Measurement[],
): ClaimFinding {
  const errs = new Set(experiment.series.filter(({ trusted }) => trusted === false).map(({ name }) => name));
  const isAsked = (name: string): boolean => (series === 'all' ? !errs.has(name) : name === series);
  const own = rows.filter((row) => isAsked(row.series) && isAmong(row.x, at));
  const decided = own.filter((row) => row.verdict === 'satisfied' || row.verdict === 'violated');
  if (decided.length === 0) {
    const [name = series] = own.map((row) => row.series);
    return notMeasured(`no verdict; ${whyAbsent(name, experiment, rows, 'all')}`);
  }
  const wrong = decided.filter((row) => row.verdict !== is || row.certificate === 'rejected');
  if (wrong.length > 0) {
    const list = new Set(
      wrong.map(
        (row) => `${row.series} at ${row.x}: ${row.certificate === 'rejected' ? 'certificate rejected' : row.verdict}`,
      ),
    );
    return { outcome: 'fails', detail: [...list].join('; ') };
  }
  const open = own.length - decided.length;
  return {
    outcome: 'holds',
    detail: `${decided.length} of ${decided.length} verdicts${open === 0 ? '' : `, ${open} runs without a verdict`}`,
  };
}

function misses({ series, at }: ClaimOf<'misses'>, experiment: Experiment, rows: readonly Measurement[]): ClaimFinding {
  const own = rows.filter((row) => row.series === series && row.verdict !== 'skipped' && isAmong(row.x, at));
  const ended = own.filter((row) => row.verdict !== 'unknown' || row.reason?.startsWith('incomplete') === true);
  const found = ended.filter((row) => row.verdict === 'violated');
  if (found.length > 0) return { outcome: 'fails', detail: `violated at ${xsOf(experiment, found).join(', ')}` };
  if (ended.length === 0 || ended.length < own.length) return notMeasured(whyAbsent(series, experiment, rows, 'all'));
  const accepted = ended.filter((row) => row.verdict === 'satisfied').length;
  const others = accepted === ended.length ? '' : ', the other runs find no violation';
  const where = xsOf(experiment, ended).join(', ');
  return { outcome: 'holds', detail: `at ${where}: ${accepted} of ${ended.length} runs accept${others}` };
}

function counter(claim: ClaimOf<'counter'>, experiment: Experiment, rows: readonly Measurement[]): ClaimFinding {
  const { series, counter: name, x, of } = claim;
  let sum = 0;
  for (const at of typeof x === 'object' ? x : [x]) {
    // The counts of a run that reached a limit or gave up are incomplete.
    const values = rows
      .filter((row) => row.series === series && isAt(row.x, at) && (row.verdict !== 'unknown' || of === 'any run'))
      .flatMap((row) => row.counters[name] ?? []);
    if (values.length === 0)
      return notMeasured(`${series} did not count ${name} at ${at}; ${whyAbsent(series, experiment, rows, at)}`);
    sum += values.reduce((total, value) => total + value, 0) / values.length;
  }
  const { low, high, text } = expectedOf(claim);
  return { outcome: sum >= low && sum <= high ? 'holds' : 'fails', detail: `${shown(sum, '')}, ${text} required` };
}

export function expectedOf(expected: ExpectedCount): { low: number; high: number; text: string } {
  if ('atLeast' in expected)
    return { low: expected.atLeast, high: Infinity, text: `at least ${shown(expected.atLeast, '')}` };
  if ('atMost' in expected)
    return { low: -Infinity, high: expected.atMost, text: `at most ${shown(expected.atMost, '')}` };
  const { equals, within } = expected;
  const text = within === 0 ? shown(equals, '') : `${shown(equals, '')} ± ${shown(within, '')}`;
  return { low: equals - within, high: equals + within, text };
}
