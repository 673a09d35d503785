// Parts of figures that several charts share: limits, gaps, the vertical axis, and the look of series.

import { visibleLine } from '@isolab/history';
import { shownSeries } from '../results/published.ts';
import type { Experiment, Measurement } from '../results/results.ts';
import { type Spec, decades, logAxis } from './axes.ts';
import { type Datum, SOURCE_NAMES } from './data.ts';
import { COLOURS, LIMIT, SHAPES, nth } from './look.ts';
import { type Point, limitOf, pointsOf, scaleOf, seriesOf, shown, unitOf } from './points.ts';

type Labelled = Pick<Datum, 'label'>;
type Placed = Pick<Datum, 'y' | 'low' | 'high' | 'source'>;

/** Crosses at the top of the frame, where no value is, and their meaning above; the label of each has the reason. */
export const gapLayers = (gaps: readonly Labelled[], place: Spec): Spec[] =>
  gaps.length === 0
    ? []
    : [
        {
          data: { values: gaps },
          mark: { type: 'point', shape: CROSS, strokeWidth: 1.8, size: 60 },
          encoding: { ...place, y: { value: 8 }, description: { field: 'label' } },
        },
        {
          data: { values: [{ text: gapsText(gaps) }] },
          mark: { type: 'text', align: 'right', dy: -7, fontSize: 12, color: LIMIT, aria: false },
          encoding: { x: { value: 'width' }, y: { value: 0 }, text: { field: 'text' } },
        },
      ];

const gapsText = (gaps: readonly Labelled[]): string =>
  gaps.every(({ label }) => label.endsWith('did not fit in memory')) ? '× did not fit in memory' : '× no answer';

export const CROSS = 'M-1,-1L1,1M1,-1L-1,1';

/**
 * Line at the limit of runs; a second line at the paper's limit if one of its runs reached it. Their texts are above the
 * frame, where no series is.
 */
export function limitLayers(experiment: Experiment, rows: readonly Measurement[], data: readonly Placed[]): Spec[] {
  const limits = limitsOf(experiment, rows, data);
  if (limits.length === 0) return [];
  const unit = unitOf(experiment.y.metric);
  const words = limits.map(({ value, text }) => `${text} ${shown(value, unit)}`).join(', ');
  return [
    {
      data: { values: limits.map(({ value }) => ({ y: value })) },
      mark: { type: 'rule', color: LIMIT, strokeDash: [2, 2], strokeWidth: 1.3, aria: false },
      encoding: { y: yOf(experiment, data) },
    },
    {
      data: { values: [{ text: `┄ ${words}` }] },
      mark: { type: 'text', align: 'left', dy: -7, fontSize: 12, color: LIMIT, aria: false },
      encoding: { x: { value: 0 }, y: { value: 0 }, text: { field: 'text' } },
    },
  ];
}

function limitsOf(
  experiment: Experiment,
  rows: readonly Measurement[],
  data: readonly Placed[],
): { value: number; text: string }[] {
  const unit = unitOf(experiment.y.metric);
  const scale = scaleOf(rows);
  const here = limitOf(experiment, scale);
  const there = limitOf(experiment, 'paper');
  const points = pointsOf(experiment, rows).filter(({ isLimit, value }) => isLimit && value !== null);
  const word = unit === 'MB' ? 'memory limit' : 'time-out';
  // A run that reached its time limit has not reached a memory limit.
  const hit = (source: Point['source'], limit: number): boolean =>
    data.some((datum) => datum.source === SOURCE_NAMES[source] && datum.y === limit) ||
    (points.some((point) => point.source === source && (point.high ?? point.value!) >= limit) &&
      data.some((datum) => datum.source === SOURCE_NAMES[source]));
  const limits: { value: number; text: string }[] = [];
  const isHit = here !== null && hit('here', here);
  if (isHit) limits.push({ value: here, text: word });
  if (there !== null && hit('paper', there) && !(isHit && there === here)) {
    limits.push({ value: there, text: `${word} in the paper` });
  }
  return limits;
}

export function yOf({ y }: Experiment, data: readonly Placed[]): Spec {
  const title = visibleLine(y.label);
  if (y.scale === 'linear') return { field: 'y', type: 'quantitative', title, scale: { zero: true, nice: true } };
  const values = data.flatMap(({ low, y: mean, high }) => [low, mean, high]);
  return {
    field: 'y',
    type: 'quantitative',
    title,
    scale: { type: 'log', domain: decades(values), nice: false },
    axis: logAxis(values),
  };
}

export const seriesNames = (
  experiment: Experiment,
  rows: readonly Measurement[],
  data: readonly Pick<Datum, 'series'>[],
): string[] => {
  const known = seriesOf(experiment, rows).map((name) => visibleLine(shownSeries(experiment, name)));
  return [...new Set([...known, ...data.map(({ series }) => series)])].filter((name) =>
    data.some(({ series }) => series === name),
  );
};

/** A series looks the same in all figures of an experiment, even without local measurements. */
export function scalesOf(
  experiment: Experiment,
  rows: readonly Measurement[],
  data: readonly Pick<Datum, 'series'>[],
): { colour: Spec; shape: Spec } {
  const names = seriesNames(experiment, rows, data);
  const scale = (range: readonly unknown[]): Spec => ({ domain: names, range: names.map((_, i) => nth(range, i)) });
  const field = { field: 'series', type: 'nominal', legend: { title: null, labelLimit: LABEL_LIMIT } };
  return { colour: { ...field, scale: scale(COLOURS) }, shape: { ...field, scale: scale(SHAPES) } };
}

/** Names of series are never cut off. */
export const LABEL_LIMIT = 400;
