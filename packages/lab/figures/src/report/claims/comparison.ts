// Decides claims that compare two series. A claim of a paper holds if the measured ratio reaches at least half of the
// paper's at every point; it holds in direction only if just the order is the same. A check of our own has no such band.

import { apartAt, apartText } from '../../chart/apart.ts';
import {
  type Point,
  type Unit,
  pointsHere,
  pointsOfPaper,
  scaleOf,
  shown,
  shownPoint,
  unitOf,
  xsOf,
} from '../../chart/points.ts';
import { PAPER_MARK, PUBLISHED_MARK } from '../../results/published.ts';
import type { Experiment, Measurement } from '../../results/results.ts';
import { FACTOR_BAND, NOISE } from './bands.ts';
import { type ClaimFinding, type ClaimOf, isAt, notMeasured, whyAbsent } from './finding.ts';

type Compared = ClaimOf<'faster'>;

/** Number of runs from which the intervals of two medians are compared, too. */
const RUNS_OF_INTERVALS = 3;
/** Below this, the longer of two times may be due to a disturbance. */
const SHORTEST_SECONDS = 0.002;

interface Comparison {
  readonly x: number | string;
  readonly one: Point;
  readonly other: Point;
  readonly ratio: number;
  /** Factor of the paper at this point; 1 if its value is not at hand. */
  readonly wanted: number;
  readonly is: 'for' | 'equal' | 'against' | 'open';
  /** Whether the magnitude is the paper's. */
  readonly reaches: boolean;
}

export function faster(claim: Compared, experiment: Experiment, rows: readonly Measurement[]): ClaimFinding {
  const { series, than } = claim;
  const unit = unitOf(experiment.y.metric);
  const points = new Points(experiment, rows);
  const asked = askedXs(claim, points, xsOf(experiment, rows));
  const gaps = asked.flatMap((x) => [series, than].flatMap((name) => points.stopped(name, x) ?? []));
  const xs = asked.filter((x) => points.find(series, x) && points.find(than, x));
  if (xs.length === 0 && gaps.length === 0) return notMeasured(whyNotCompared(claim, points.all, experiment, rows));
  const compared = xs.flatMap((x) => compare(x, points, claim, unit) ?? []);
  const apart = apartAt(rows, [series, than]).filter(({ x }) => xs.includes(x));
  const absent = absentXs(claim, experiment, rows, asked);
  const opposite = xs.filter((x) => !compared.some((one) => one.x === x));
  const after = [
    wantedText(claim, compared),
    opposite.length === 0 ? '' : `; the paper has the opposite order at ${opposite.join(', ')}`,
    absent.length === 0 ? '' : `; not both measured at ${absent.join(', ')}`,
    apart.length === 0 ? '' : `; not measured together ${apartText(apart)}`,
  ].join('');
  const failed = compared.filter(({ is }) => is === 'against');
  if (failed.length > 0) {
    const itself = failed.flatMap(({ x }) =>
      [series, than].flatMap((name) => points.find(name + PUBLISHED_MARK, x) ?? []),
    );
    return { outcome: 'fails', detail: `${ratios(failed, unit)}${after}${publishedText(itself, unit)}` };
  }
  const held = compared.filter(({ is }) => is === 'for');
  const open = compared.filter(({ is }) => is === 'open');
  if (gaps.length > 0) {
    const rest = held.length === 0 ? '' : `; elsewhere ${ratios(held, unit)}${after}`;
    return notMeasured(`${gapText(gaps)}${rest}`);
  }
  return {
    ...outcomeOf(claim, compared, unit, after),
    ...(compared.length === open.length && hidden(open, unit, after)),
  };
}

const hidden = (open: readonly Comparison[], unit: Unit, after: string): ClaimFinding =>
  notMeasured(
    open.length === 0
      ? 'the paper has the opposite order at every point measured here'
      : `${openText(open, unit)}${after}`,
  );

/** Points that decide nothing: at some a run was stopped, at the others both times are too short. */
function openText(open: readonly Comparison[], unit: Unit): string {
  const stopped = open.filter(({ one, other }) => one.isLimit || other.isLimit);
  const short = open.filter((it) => !stopped.includes(it));
  return [
    ...(stopped.length === 0 ? [] : [`hidden by limits: ${ratios(stopped, unit)}`]),
    ...(short.length === 0 ? [] : [`too short to compare: ${ratios(short, unit)}`]),
  ].join('; ');
}

/** Outcome of a claim if no point has the opposite order. */
function outcomeOf(claim: Compared, compared: readonly Comparison[], unit: Unit, after: string): ClaimFinding {
  const decided = compared.filter(({ is }) => is !== 'open');
  const open = compared.filter(({ is }) => is === 'open');
  const left = open.length === 0 ? '' : `; ${openText(open, unit)}`;
  const detail = `${ratios(decided, unit)}${after}${left}`;
  const short = decided.filter(({ reaches }) => !reaches);
  const isReached = claim.upTo ? short.length < decided.length : short.length === 0;
  if (isReached) return { outcome: 'holds', detail };
  if (claim.origin === 'sanity') return { outcome: 'fails', detail };
  const equal = short.filter(({ is }) => is === 'equal').map(({ x }) => x);
  if (!decided.some(({ is }) => is === 'for')) return { outcome: 'fails', detail: `no difference: ${detail}` };
  if (2 * equal.length > decided.length)
    return { outcome: 'fails', detail: `no difference at ${equal.join(', ')}, most of the points: ${detail}` };
  return {
    outcome: 'direction only',
    detail: `${detail}${equal.length === 0 ? '' : `; no difference at ${equal.join(', ')}`}`,
  };
}

/** Measured points, and those of the paper under their names with "(paper)". */
class Points {
  readonly all: readonly Point[];
  readonly paper: readonly Point[];

  constructor(experiment: Experiment, rows: readonly Measurement[]) {
    this.paper = pointsOfPaper(experiment, rows);
    this.all = [
      ...pointsHere(experiment, rows),
      ...this.paper.map((point) => ({ ...point, series: point.series + PAPER_MARK })),
    ];
  }

  find(name: string, x: number | string): Point | undefined {
    return this.all.find((point) => point.series === name && point.x === x && point.value !== null);
  }

  stopped(name: string, x: number | string): Point | undefined {
    return this.all.find((point) => point.series === name && point.x === x && point.gaveUp);
  }

  /** Ratio of two series in the paper's figure; null where it lacks one of them, or one ran out of time. */
  ratioOfPaper(series: string, than: string, x: number | string): number | null {
    const valueOf = (name: string): Point | undefined =>
      this.paper.find((point) => point.series === name.replace(PUBLISHED_MARK, '') && point.x === x);
    const [one, other] = [valueOf(series), valueOf(than)];
    if (!one?.value || other?.value === undefined || other.value === null || one.isLimit) return null;
    return other.value / one.value;
  }
}

/** Points of the grid that a claim about all of them lacks; the paper's values need not be at every point. */
function absentXs(
  { at, than }: Compared,
  { grid }: Experiment,
  rows: readonly Measurement[],
  asked: readonly (number | string)[],
): (number | string)[] {
  if (at !== 'all' || than.endsWith(PAPER_MARK)) return [];
  return grid[scaleOf(rows)].filter((x) => !asked.some((one) => isAt(one, x)));
}

/** Points that the claim is about, among those where both series ran. */
function askedXs(
  { series, than, at }: Compared,
  points: Points,
  xs: readonly (number | string)[],
): (number | string)[] {
  const ran = xs.filter((x) =>
    [series, than].every((name) => (points.find(name, x) ?? points.stopped(name, x)) !== undefined),
  );
  const last = ran.at(-1);
  return ran.filter((x) => {
    return at === 'all' || (at === 'last' ? x === last : [at].flat().some((wanted) => isAt(x, wanted)));
  });
}

/** Compares two series at a point; null if the paper itself has the opposite order there. */
function compare(x: number | string, points: Points, claim: Compared, unit: Unit): Comparison | null {
  const one = points.find(claim.series, x)!;
  const other = points.find(claim.than, x)!;
  const ratio = one.value === 0 ? (other.value === 0 ? 1 : Infinity) : other.value! / one.value!;
  const published = claim.factor === 'figure' ? points.ratioOfPaper(claim.series, claim.than, x) : claim.factor;
  const wanted = published ?? 1;
  if (claim.factor === 'figure' && wanted < 1) return null;
  const isShort = unit === 's' && one.value! < SHORTEST_SECONDS && other.value! < SHORTEST_SECONDS;
  const made = (is: Comparison['is'], reaches: boolean): Comparison => ({ x, one, other, ratio, wanted, is, reaches });
  if (isShort || (one.isLimit && other.isLimit)) return made('open', false);
  // A check of our own, and a value beside the paper's, have no noise.
  const isExact = claim.origin === 'sanity' || claim.than.endsWith(PAPER_MARK);
  if (isExact) {
    const reaches = !one.isLimit && ratio >= wanted;
    if (!reaches && other.isLimit) return made('open', false);
    return made(reaches ? 'for' : 'against', reaches);
  }
  const least = Math.min(1, wanted) / NOISE;
  if (ratio <= least || (one.isLimit && ratio < 1)) return made(other.isLimit ? 'open' : 'against', false);
  if (one.isLimit) return made('open', false);
  if (wanted < 1) return made('for', true);
  const isEqual = ratio < NOISE || (!other.isLimit && overlap(one, other));
  if (isEqual)
    return made(other.isLimit ? 'open' : 'equal', claim.factor === 'figure' && published !== null && wanted < NOISE);
  // A figure whose values are lost shows the order alone.
  return made('for', published !== null && ratio >= wanted * FACTOR_BAND);
}

/** Returns whether the intervals of the two medians overlap, if there are enough runs for intervals. */
const overlap = (one: Point, other: Point): boolean =>
  Math.min(one.repeats, other.repeats) >= RUNS_OF_INTERVALS && one.low! <= other.high! && other.low! <= one.high!;

/** Text of the paper's factor: the stated factor, or the range of its values at the compared points. */
function wantedText({ factor, upTo, origin }: Compared, compared: readonly Comparison[]): string {
  if (factor === 1) return '';
  if (origin === 'sanity' || Number(factor) < 1) return `; ${factor}× required`;
  if (factor !== 'figure') return `; ${upTo ? 'up to ' : ''}${factor}× in the paper`;
  const wanted = compared.map((one) => one.wanted);
  if (wanted.every((one) => one === 1)) return '; the values of the paper’s figure are not at hand';
  const [low, high] = [Math.min(...wanted), Math.max(...wanted)].map((one) => `${Number(one.toPrecision(2))}×`);
  return `; ${low === high ? low : `${low} to ${high}`} in the paper’s figure`;
}

/** Values of the published programs, if isolab's checkers do not show the paper's claim. */
function publishedText(points: readonly Point[], unit: Unit): string {
  const texts = points.map((point) => `${point.series} at ${point.x} ${shownPoint(point, unit)}`);
  return texts.length === 0 ? '' : `; beside them ${texts.join(', ')}`;
}

/** Reason why a comparison lacks a value that the claim needs, with the series that lacks it. */
function whyNotCompared(
  { series, than, at }: Compared,
  points: readonly Point[],
  experiment: Experiment,
  rows: readonly Measurement[],
): string {
  const isAnywhere = at === 'all' || at === 'last';
  const missing = [series, than].filter(
    (name) =>
      !points.some(
        (point) =>
          point.series === name && point.value !== null && (isAnywhere || [at].flat().some((x) => isAt(point.x, x))),
      ),
  );
  const reasons = [...new Set(missing.map((name) => whyAbsent(name, experiment, rows, at)))];
  const where = isAnywhere ? '' : ` at ${[at].flat().join(', ')}`;
  return `${series} and ${than} were not both measured${where}${reasons.map((text) => `; ${text}`).join('')}`;
}

/** Series that gave up, with the points and the reasons. */
export function gapText(gaps: readonly Point[]): string {
  const names = [...new Set(gaps.map(({ series }) => series))];
  return names
    .map((name) => {
      const own = gaps.filter(({ series }) => series === name);
      return `${name} at ${own.map(({ x }) => x).join(', ')} ${own[0]!.reason ?? 'gave up'}`;
    })
    .join('; ');
}

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
