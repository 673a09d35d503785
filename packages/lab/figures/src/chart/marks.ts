// A mark for each history, beside one another by series: hollow if the history satisfies the level, filled if it
// violates it. A cross at its time is a run that reached the limit, and one at the top of the frame a run that gave up.
// Rows without the answers of their histories have one mark, at their mean.

import { visibleLine } from '@isolab/history';
import { shownSeries } from '../results/published.ts';
import type { Experiment, HistoryAnswer, Measurement } from '../results/results.ts';
import { type Spec, categoryAxis } from './axes.ts';
import { SOURCE_NAMES } from './data.ts';
import { CROSS, LABEL_LIMIT, gapLayers, limitLayers, scalesOf, seriesNames, yOf } from './layers.ts';
import { FILL } from './look.ts';
import { gaveUp, limitOf, scaleOf, shown, unitOf, valueOf, xsOf } from './points.ts';

interface Mark {
  readonly series: string;
  readonly x: string;
  /** Null if the run gave up. */
  readonly y: number | null;
  readonly source: string;
  readonly verdict: Measurement['verdict'];
  readonly label: string;
}

export function marksChart(
  experiment: Experiment,
  rows: readonly Measurement[],
  { width = 620, height = 330 }: { readonly width?: number; readonly height?: number },
): Spec | null {
  const marks = marksOf(experiment, rows);
  const drawn = marks.flatMap(({ y, ...mark }) => (y === null ? [] : [{ ...mark, y, low: y, high: y }]));
  if (drawn.length === 0) return null;
  const xs = xsOf(experiment, rows).map((x) => visibleLine(String(x)));

  const column = {
    x: {
      field: 'x',
      type: 'nominal',
      sort: xs,
      title: visibleLine(experiment.x.label),
      axis: { ...categoryAxis(xs, width), grid: true, tickBand: 'extent' },
    },
    xOffset: { field: 'series', sort: seriesNames(experiment, rows, marks) },
  };
  const y = yOf(experiment, drawn);
  const scales = scalesOf(experiment, rows, marks);
  const legend = { title: SIGNS, titleFontWeight: 'normal', labelLimit: LABEL_LIMIT };
  const colour = { ...scales.colour, legend };
  const description = { field: 'label' };
  return {
    width,
    height,
    layer: [
      ...limitLayers(experiment, rows, drawn),
      {
        data: { values: drawn.filter(isAnswered) },
        mark: { type: 'point', strokeWidth: 1.4, size: 46 },
        encoding: {
          ...column,
          y,
          color: colour,
          shape: { ...scales.shape, legend },
          fill: {
            ...colour,
            condition: { test: { field: 'verdict', equal: 'satisfied' }, value: FILL },
            legend: null,
          },
          fillOpacity: { condition: { test: { field: 'verdict', equal: 'satisfied' }, value: 0.5 }, value: 1 },
          description,
        },
      },
      {
        data: { values: drawn.filter((mark) => !isAnswered(mark)) },
        mark: { type: 'point', shape: CROSS, strokeWidth: 1.4, size: 46 },
        encoding: { ...column, y, color: colour, description },
      },
      ...gapLayers(
        marks.filter((mark) => mark.y === null),
        { ...column, color: colour },
      ),
    ],
  };
}

const SIGNS = ['hollow: satisfied', 'filled: violated', '×: no answer'];

const isAnswered = ({ verdict }: Pick<Mark, 'verdict'>): boolean => verdict === 'satisfied' || verdict === 'violated';

function marksOf(experiment: Experiment, rows: readonly Measurement[]): Mark[] {
  const { metric } = experiment.y;
  const limit = limitOf(experiment, scaleOf(rows));
  const unit = unitOf(metric);
  return rows
    .filter(({ verdict }) => verdict !== 'skipped')
    .flatMap((row) => (row.each ?? [row]).map((answer: HistoryAnswer) => ({ ...row, ...answer })))
    .map((row) => {
      const series = visibleLine(shownSeries(experiment, row.series));
      const isOver = row.verdict === 'unknown' || row.verdict === 'skipped';
      const y = gaveUp(row) || row.verdict === 'skipped' ? null : isOver ? limit : valueOf(row, metric);
      const answer = isOver ? (row.reason ?? 'no verdict') : row.verdict;
      const about = y === null ? answer : `${shown(y, unit)}, ${answer}`;
      const label = visibleLine(`${series} · ${SOURCE_NAMES.here} · ${experiment.x.label} ${row.x}: ${about}`);
      const { here: source } = SOURCE_NAMES;
      return { series, x: visibleLine(String(row.x)), y, source, verdict: row.verdict, label };
    });
}
