// Data of each drawn point: its position, style and text.

import { visibleLine } from '@isolab/history';
import { PAPER_MARK, isPublishedSeries, shownSeries } from '../results/published.ts';
import type { Experiment, Measurement } from '../results/results.ts';
import { type Point, pointsOf, shownPoint, shownSpread, unitOf, xsOf } from './points.ts';

export const SOURCE_NAMES = { here: 'measured here', paper: 'in the paper' } as const;

/** Styles of lines, by their meaning. */
export const STROKES = { here: [], program: [9, 3], paper: [5, 4] } as const;
export const STROKE_NAMES = { ...SOURCE_NAMES, program: 'published program, measured here' } as const;

/** A drawn point; `label` is the text for a screen reader and the tooltip. */
export interface Datum {
  readonly series: string;
  readonly x: number | string;
  readonly y: number;
  readonly source: string;
  /** Name of the stroke, from STROKE_NAMES. */
  readonly stroke: string;
  /** Least and largest value of several runs. */
  readonly low: number;
  readonly high: number;
  readonly bar: string;
  readonly label: string;
  readonly line: string;
  /** Number of runs before this point that gave up: each interrupts the line. */
  readonly part: number;
}

/** A run that gave up: it has a position on the x axis and no value. */
export type Gap = Pick<Datum, 'series' | 'x' | 'source' | 'bar' | 'label'>;

interface DataOptions {
  /** States that the paper's values are drawn; true by default. */
  readonly paper?: boolean;
}

export function dataOf(experiment: Experiment, rows: readonly Measurement[], { paper = true }: DataOptions): Datum[] {
  const unit = unitOf(experiment.y.metric);
  const isLog = experiment.y.scale === 'log';
  const all = pointsOf(experiment, rows);
  const points = all.filter(({ source, value }) => (paper || source === 'here') && value !== null);
  const xs = xsOf(experiment, rows);
  const isBefore = (a: Point, b: Point): boolean => xs.indexOf(a.x) < xs.indexOf(b.x);
  const positive = points.map(({ value }) => value!).filter((value) => value > 0);
  const least = positive.length === 0 ? 0.1 : Math.min(...positive);
  return points.map((point) => {
    const source = SOURCE_NAMES[point.source];
    const isProgram = point.source === 'here' && isPublishedSeries(experiment, point.series);
    return {
      series: visibleLine(shownSeries(experiment, point.series)),
      x: experiment.x.scale === 'category' ? visibleLine(String(point.x)) : point.x,
      // A logarithmic axis has no zero: such a value is drawn at the bottom.
      y: isLog && point.value! <= 0 ? least : point.value!,
      low: Math.max(point.low ?? point.value!, isLog ? least : -Infinity),
      high: Math.max(point.high ?? point.value!, isLog ? least : -Infinity),
      source,
      stroke: isProgram ? STROKE_NAMES.program : source,
      bar: barOf(experiment, point),
      line: visibleLine(`${shownSeries(experiment, point.series)} · ${source}`),
      label: labelOf(experiment, point, aboutPoint(point, unit)),
      part: all.filter((one) => one.gaveUp && one.series === point.series && isBefore(one, point)).length,
    };
  });
}

/** Runs that gave up, and runs of the paper that ended at a limit that it does not state. */
export function gapsOf(experiment: Experiment, rows: readonly Measurement[], { paper = true }: DataOptions): Gap[] {
  return pointsOf(experiment, rows)
    .filter(({ source, gaveUp, isLimit, value }) => (source === 'here' ? gaveUp : paper && isLimit && value === null))
    .map((point) => ({
      series: visibleLine(shownSeries(experiment, point.series)),
      x: experiment.x.scale === 'category' ? visibleLine(String(point.x)) : point.x,
      source: SOURCE_NAMES[point.source],
      bar: barOf(experiment, point),
      label: labelOf(experiment, point, point.reason ?? 'gave up'),
    }));
}

const barOf = (experiment: Experiment, { series, source }: Point): string =>
  visibleLine(shownSeries(experiment, series) + (source === 'paper' ? PAPER_MARK : ''));

const labelOf = (experiment: Experiment, { series, source, x }: Point, about: string): string =>
  visibleLine(`${shownSeries(experiment, series)} · ${SOURCE_NAMES[source]} · ${experiment.x.label} ${x}: ${about}`);

const aboutPoint = (point: Point, unit: ReturnType<typeof unitOf>): string =>
  `${shownPoint(point, unit)}${point.isLimit ? ` (${point.reason ?? 'limit'})` : ''}${point.repeats > 1 ? `, median; ${shownSpread(point, unit)}` : ''}`;

/** Strokes in use; the stroke of local measurements is always included and comes first. */
export const strokesOf = (data: readonly Datum[]): (keyof typeof STROKES)[] =>
  (['here', 'program', 'paper'] as const).filter(
    (name) => name === 'here' || data.some(({ stroke }) => stroke === STROKE_NAMES[name]),
  );
