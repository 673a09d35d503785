// Turns rows into the points of a figure: for every series and x one local value and one of the paper, in the same
// unit.

import { answerOf } from '../results/answers.ts';
import { PAPER_MARK, isPublishedSeries, shownSeries } from '../results/published.ts';
import type { Experiment, Metric, Measurement, Scale } from '../results/results.ts';
import { type Estimate, medianOf, shareOf } from './statistics.ts';

export type Unit = 's' | 'MB' | '%' | '';

export interface Point {
  readonly series: string;
  readonly x: number | string;
  readonly source: 'here' | 'paper';
  /**
   * Median of the repeats that ran, or the share of successful trials; a repeat that reached its limit counts with the
   * limit. Null if nothing was measured or a run gave up.
   */
  readonly value: number | null;
  /** Interval of the median or the share. */
  readonly low: number | null;
  readonly high: number | null;
  /** Whether the median run reached its limit of time or memory, so the true value is larger. */
  readonly isLimit: boolean;
  /** Whether at least one repeat ended by itself without a verdict. The time of the point then has no meaning. */
  readonly gaveUp: boolean;
  readonly repeats: number;
  /** Reason why there is no value, or only a limit. */
  readonly reason: string | null;
}

/** Stage of a stacked bar. */
export interface StagePoint {
  readonly x: number | string;
  /** A series, "paper", or "<series> (paper)". */
  readonly bar: string;
  readonly stage: string;
  readonly value: number;
}

export const unitOf = (metric: Metric): Unit =>
  typeof metric === 'object' || metric === 'foundIn30Minutes'
    ? ''
    : metric === 'found'
      ? '%'
      : metric === 'peakRssBytes' || metric === 'netRssBytes'
        ? 'MB'
        : 's';

/** Returns whether each run is a trial, which may or may not find a violation. */
const isOfTrials = (metric: Metric): boolean => metric === 'found' || metric === 'foundIn30Minutes';

/** Scale of the rows, which determines their limits. */
export const scaleOf = (rows: readonly Measurement[]): Scale => {
  const scale = rows.at(-1)?.run.scale;
  return scale === 'laptop' || scale === 'paper' ? scale : 'ci';
};

/** Limit of a series, in the unit of the metric; null if there is no limit. */
export function limitOf({ limits, y }: Experiment, scale: Scale): number | null {
  const { seconds, megabytes } = limits[scale];
  const unit = unitOf(y.metric);
  return unit === 's' ? seconds : unit === 'MB' ? megabytes : null;
}

/** Value of one run; null if it was not measured. */
export function valueOf(row: Measurement, metric: Metric): number | null {
  if (typeof metric === 'object') return row.counters[metric.counter] ?? null;
  if (metric === 'found' || metric === 'foundIn30Minutes') return estimateOfTrials([row], metric)?.value ?? null;
  if (metric === 'peakRssBytes') return row.peakRssBytes === null ? null : row.peakRssBytes / 1e6;
  if (metric === 'netRssBytes')
    return row.peakRssBytes === null || row.idleRssBytes === undefined
      ? null
      : Math.max(0, row.peakRssBytes - row.idleRssBytes) / 1e6;
  if (metric === 'withPreparationMs')
    return row.wallMs === null || row.prepareMs === undefined ? null : (row.wallMs + row.prepareMs) / 1000;
  if (metric === 'endToEndMs') return row.wallMs === null ? null : (row.wallMs + generationOf(row)) / 1000;
  const ms = metric === 'cpuMs' ? row.cpuMs : metric === 'fromFileMs' ? (row.fromFileMs ?? row.wallMs) : row.wallMs;
  return ms === null ? null : ms / 1000;
}

/** Stage of the collection of a history, which is not part of a checker's run. */
export const GENERATION = 'generation';

/** Time that clients took to make the history: a stage of rows of collected histories. */
const generationOf = ({ stages }: Measurement): number => stages.find(({ name }) => name === GENERATION)?.ms ?? 0;

/** Returns whether the run reached its time limit, or would have, since a run on an easier history did. */
const timedOut = ({ verdict, reason }: Measurement): boolean =>
  verdict === 'unknown' && /^timeout( at |$)/.test(reason ?? '');

/**
 * Returns whether the run ended by itself without a verdict. This includes runs that would not have fitted in memory,
 * most of which are refused within milliseconds: their time is neither the time of an answer nor a bound on it.
 */
export const gaveUp = (row: Measurement): boolean => answerOf(row) === 'unknown' && !timedOut(row);

/** Returns whether the run gave up, its metric is memory, and it had used most of the limit. */
function filledMemory(row: Measurement, metric: Metric, limit: number | null): boolean {
  if (row.reason !== 'memory' || unitOf(metric) !== 'MB' || limit === null) return false;
  return (valueOf(row, metric) ?? 0) >= limit / 2;
}

export function pointsOf(experiment: Experiment, rows: readonly Measurement[]): Point[] {
  return [...pointsHere(experiment, rows), ...pointsOfPaper(experiment, rows)];
}

export function pointsHere(experiment: Experiment, rows: readonly Measurement[]): Point[] {
  const points: Point[] = [];
  for (const series of seriesOf(experiment, rows)) {
    for (const x of xsOf(experiment, rows)) {
      const own = rows.filter((row) => row.series === series && row.x === x);
      if (own.length > 0) points.push(pointOf(experiment, series, x, own));
    }
  }
  return points;
}

/** Returns whether the metric describes the origin of the history, which is the same for all checkers. */
const isOfHistory = (metric: Metric): boolean => typeof metric === 'object' && metric.counter.startsWith('history.');

function pointOf(experiment: Experiment, series: string, x: number | string, rows: readonly Measurement[]): Point {
  const { metric } = experiment.y;
  const limit = limitOf(experiment, scaleOf(rows));
  // A run that gives up has found no violation, which counts as an answer in trials.
  const isAnswered = isOfTrials(metric) || isOfHistory(metric);
  const hasGivenUp = !isAnswered && rows.some((row) => gaveUp(row) && !filledMemory(row, metric, limit));
  // A run skipped because another history of the point reached the time limit adds no information.
  const isLeftOut = ({ verdict, reason }: Measurement): boolean =>
    verdict === 'skipped' || reason === `timeout at ${x}`;
  const ran = hasGivenUp ? [] : rows.filter((row) => !isLeftOut(row));
  const runs = ran.flatMap((row) => {
    const isEnded = answerOf(row) === 'unknown' && !isAnswered;
    const value = isEnded ? reached(row, metric, limit) : valueOf(row, metric);
    return value === null ? [] : [{ value, isEnded }];
  });
  const estimate = isOfTrials(metric)
    ? estimateOfTrials(ran, metric)
    : runs.length === 0
      ? null
      : medianOf(runs.map(({ value }) => value));
  return {
    series,
    x,
    source: 'here',
    value: estimate?.value ?? null,
    low: estimate?.low ?? null,
    high: estimate?.high ?? null,
    // The median is a bound if the run in the middle was ended.
    isLimit:
      runs.toSorted((a, b) => a.value - b.value || Number(a.isEnded) - Number(b.isEnded))[runs.length >> 1]?.isEnded ??
      false,
    gaveUp: hasGivenUp,
    repeats: runs.length,
    reason: reasonOf(rows.find(gaveUp) ?? rows.find((row) => row.reason !== null)),
  };
}

/** Value of a run that was ended: the limit, or the amount of another resource that it had used. */
function reached(row: Measurement, metric: Metric, limit: number | null): number | null {
  if (timedOut(row) && unitOf(metric) !== 's') return valueOf(row, metric);
  return metric === 'endToEndMs' && limit !== null ? limit + generationOf(row) / 1000 : limit;
}

/** Share of trials that found a violation, in percent, or their number in half an hour at the pace of all. */
function estimateOfTrials(rows: readonly Measurement[], metric: Metric): Estimate | null {
  if (rows.length === 0) return null;
  const { value, low, high } = shareOf(rows.filter(({ verdict }) => verdict === 'violated').length, rows.length);
  const ms = rows.reduce((sum, row) => sum + (row.wallMs ?? 0) + generationOf(row), 0);
  if (metric === 'foundIn30Minutes' && ms === 0) return null;
  const scale = metric === 'foundIn30Minutes' ? (HALF_AN_HOUR_MS * rows.length) / ms : 100;
  return { value: value * scale, low: low * scale, high: high * scale };
}

const HALF_AN_HOUR_MS = 1_800_000;

/** Reason why there is no value, or only a limit. */
export function reasonOf(row: Measurement | undefined): string | null {
  if (row === undefined || !gaveUp(row)) return row?.reason ?? null;
  return row.reason === 'memory' ? 'did not fit in memory' : `gave up: ${row.reason ?? 'no verdict'}`;
}

/** If values of the paper exceed its stated limit, its runs were not ended by that limit. */
function limitOfPaper(experiment: Experiment, divisor: number): number | null {
  const limit = limitOf(experiment, 'paper');
  const values = Object.values(experiment.published).flatMap((series) => Object.values(series));
  return limit !== null && values.some((value) => value !== null && value / divisor > limit) ? null : limit;
}

/** Values of the paper, also at points that this scale omits: the axes are those of its figure. */
export function pointsOfPaper(experiment: Experiment, rows: readonly Measurement[] = []): Point[] {
  const { published, publishedUnit, x: axis } = experiment;
  const divisor = publishedUnit === 'ms' ? 1000 : 1;
  const limit = limitOfPaper(experiment, divisor);
  const points: Point[] = [];
  const { paper, laptop, ci } = experiment.grid;
  const known = new Map([...paper, ...laptop, ...ci, ...xsOf(experiment, rows)].map((x) => [String(x), x]));
  for (const [series, values] of Object.entries(published)) {
    for (const [name, number] of Object.entries(values)) {
      if (axis.scale !== 'category' && !Number.isFinite(Number(name))) continue;
      points.push({
        series,
        x: known.get(name) ?? (axis.scale === 'category' ? name : Number(name)),
        source: 'paper',
        value: number === null ? limit : number / divisor,
        low: null,
        high: null,
        isLimit: number === null,
        gaveUp: false,
        repeats: 1,
        reason: number === null ? 'out of time or memory in the paper' : null,
      });
    }
  }
  return points;
}

/** Series in the order of the experiment, followed by other series of the rows. */
export const seriesOf = ({ series }: Experiment, rows: readonly Measurement[]): string[] => [
  ...new Set([...series.map(({ name }) => name), ...rows.map((row) => row.series)]),
];

/** Measured x values, in order. */
export const xsOf = (experiment: Experiment, rows: readonly Measurement[]): (number | string)[] =>
  inOrder(
    experiment,
    rows.map((row) => row.x),
  );

/** Distinct x values in order; if x is a category, in the order of the paper's grid. */
export function inOrder({ grid, x }: Experiment, values: readonly (number | string)[]): (number | string)[] {
  const distinct = new Set(values);
  const known = [...new Set([...grid.paper, ...grid.laptop, ...grid.ci])].filter((value) => distinct.has(value));
  const xs = [...known, ...[...distinct].filter((value) => !known.includes(value))];
  return x.scale === 'category' ? xs : xs.toSorted((a, b) => Number(a) - Number(b));
}

/** Median of every stage, in seconds; the paper's stages are its published series. */
export function stagesOf(experiment: Experiment, rows: readonly Measurement[]): StagePoint[] {
  const points: StagePoint[] = [];
  for (const x of xsOf(experiment, rows)) {
    for (const series of seriesOf(experiment, rows)) {
      const own = rows.filter((row) => row.series === series && row.x === x && !gaveUp(row));
      points.push(...stagesAt(experiment, series, x, own));
    }
  }
  // Values published by stage, or only as a total per series.
  const names = new Set(experiment.series.map(({ name }) => name));
  const byStage = !Object.keys(experiment.published).some((name) => names.has(name));
  for (const { x, series, value } of pointsOfPaper(experiment, rows)) {
    if (value === null) continue;
    if (byStage) points.push({ x, bar: 'paper', stage: series, value });
    else if (names.has(series)) points.push({ x, bar: series + PAPER_MARK, stage: WHOLE, value });
  }
  return points;
}

/** Stages of the runs of a series at a point, none of which gave up. */
function stagesAt(
  experiment: Experiment,
  series: string,
  x: number | string,
  rows: readonly Measurement[],
): StagePoint[] {
  const bar = shownSeries(experiment, series);
  const stopped = rows.filter(timedOut);
  const limit = (limitOf(experiment, scaleOf(rows)) ?? 0) * 1000;
  const collected = rows.flatMap(({ stages }) => stages.filter(({ name }) => name === GENERATION));
  const generation = collected.length === 0 ? [] : [{ x, bar, stage: GENERATION, value: medianMs(collected) }];
  if (stopped.length > 0) {
    const ms = stopped.map(({ wallMs }) => ({ ms: wallMs ?? limit }));
    return [...generation, { x, bar, stage: TIME_OUT, value: medianMs(ms) }];
  }
  const own = rows.filter(({ stages }) => stages.length > 0);
  const names = [...new Set(own.flatMap(({ stages }) => stages.map(({ name }) => name)))];
  // Few programs report the time of each stage; for the others the bar is the total time.
  const times = rows.flatMap(({ verdict, wallMs }) =>
    verdict === 'skipped' || wallMs === null ? [] : [{ ms: wallMs }],
  );
  if (names.every((name) => name === GENERATION) && times.length > 0 && isPublishedSeries(experiment, series))
    return [{ x, bar, stage: WHOLE, value: medianMs(times) }, ...generation];
  return names.map((name) => {
    const ms = own.flatMap(({ stages }) => stages.filter((one) => one.name === name));
    // Stages on a GPU name its driver.
    return { x, bar, stage: name.replace(/ on .*/, ' on a GPU'), value: medianMs(ms) };
  });
}

const medianMs = (stages: readonly { readonly ms: number }[]): number =>
  medianOf(stages.map(({ ms }) => ms)).value / 1000;

/** Time of a stage of the checker, with its part on a GPU, or of all its stages, in milliseconds. */
export const timeOfStages = ({ stages }: Measurement, stage?: string): number =>
  stages
    .filter(({ name }) => (stage === undefined ? name !== GENERATION : name.replace(/ on .*/, '') === stage))
    .reduce((sum, { ms }) => sum + ms, 0);

/** Stage of a bar that is not broken down. */
export const WHOLE = 'not broken down';
/** Stage of a bar whose run was stopped at its time limit. */
export const TIME_OUT = 'stopped at the time limit';

const places = (value: number): string =>
  value === 0
    ? '0'
    : Math.abs(value) >= 100
      ? value.toFixed(0)
      : Math.abs(value) >= 10
        ? String(Number(value.toFixed(1)))
        : String(Number(value.toPrecision(2)));

/** 1.1 s, 250 MB, 14376: at most three significant digits after the point. */
export function shown(value: number, unit: Unit): string {
  const [whole, decimals] = places(value).split('.') as [string, string?];
  const text = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',') + (decimals === undefined ? '' : `.${decimals}`);
  return unit === '' ? text : `${text} ${unit}`;
}

/** Formats a value for a table: "> 60 s" if only the limit is known. */
export function shownPoint({ value, isLimit, reason }: Point, unit: Unit): string {
  if (value === null) return reason ?? '–';
  return isLimit ? `≥ ${shown(value, unit)}` : shown(value, unit);
}

/** Interval of the repeats: "n 3: 0.9 s to 1.2 s"; empty for a single run. */
export function shownSpread({ low, high, repeats }: Point, unit: Unit): string {
  if (repeats < 2 || low === null || high === null) return '';
  return `n ${repeats}: ${shown(low, unit)} to ${shown(high, unit)}`;
}
