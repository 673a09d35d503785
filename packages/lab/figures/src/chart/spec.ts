// Figures in Vega-Lite, in the style of the papers: a frame, axes with a minor grid, a line at the time limit and
// markers on it. Local measurements have solid lines, published programs long dashes, the paper's values short dashes
// and smaller markers. Bars of published programs are paler, bars of the paper hollow.

import { visibleLine } from '@isolab/history';
import { PAPER_MARK } from '../results/published.ts';
import type { Experiment, Measurement } from '../results/results.ts';
import { type Spec, categoryAxis, decades, logAxis } from './axes.ts';
import { inColumn, plotIn } from './column.ts';
import { SOURCE_NAMES, STROKES, STROKE_NAMES, dataOf, gapsOf, strokesOf } from './data.ts';
import { LABEL_LIMIT, gapLayers, limitLayers, scalesOf, seriesNames, yOf } from './layers.ts';
import { CONFIG, FILL } from './look.ts';
import { marksChart } from './marks.ts';
import { inOrder, pointsOf } from './points.ts';
import { stackedBars } from './stacked.ts';

export interface FigureOptions {
  /** Width of the plot alone, in pixels. */
  readonly width?: number;
  readonly height?: number;
  /** States that a title is drawn above the figure; false by default, since a page or a caption has it. */
  readonly title?: boolean;
  /** States that the paper's values are drawn; true by default. */
  readonly paper?: boolean;
  /** Width of the whole figure, with the legend below the plot: for a column of a paper, instead of `width`. */
  readonly column?: number;
}

/** Returns null for tables, and if there is nothing to draw. */
export function specOf(experiment: Experiment, rows: readonly Measurement[], options: FigureOptions = {}): Spec | null {
  const { column } = options;
  const sized = column === undefined ? options : { ...options, ...plotIn(column) };
  const plot =
    experiment.chart === 'table'
      ? null
      : experiment.chart === 'stacked-bars'
        ? stackedBars(experiment, rows, sized)
        : experiment.chart === 'bars'
          ? bars(experiment, rows, sized)
          : experiment.chart === 'marks'
            ? marksChart(experiment, rows, sized)
            : lines(experiment, rows, sized);
  if (plot === null) return null;
  const title = options.title ? { title: visibleLine(`${experiment.id}: ${experiment.title}`) } : {};
  const spec = { ...title, background: 'transparent', padding: 8, config: CONFIG, ...plot };
  return column === undefined ? spec : inColumn(spec, column, legendNames(experiment, rows));
}

function legendNames(experiment: Experiment, rows: readonly Measurement[]): string[] {
  const data = dataOf(experiment, rows, {});
  return data.flatMap(({ series, stroke }) => (stroke === STROKE_NAMES.program ? [series, stroke] : [series]));
}

function lines(experiment: Experiment, rows: readonly Measurement[], options: FigureOptions): Spec | null {
  const data = dataOf(experiment, rows, options);
  if (data.length === 0) return null;
  const gaps = gapsOf(experiment, rows, options);
  const x = xOf(experiment, rows, [...data, ...gaps], options);
  const y = yOf(experiment, data);
  const { colour, shape } = scalesOf(experiment, rows, [...data, ...gaps]);
  const strokes = strokesOf(data);
  const dash = {
    field: 'stroke',
    type: 'nominal',
    scale: { domain: strokes.map((name) => STROKE_NAMES[name]), range: strokes.map((name) => STROKES[name]) },
    legend: strokes.some((name) => name !== 'here')
      ? { title: null, symbolStrokeWidth: 2, symbolType: 'stroke', symbolSize: 500 }
      : null,
  };
  const isPaper = { test: { field: 'source', equal: SOURCE_NAMES.paper } };
  return {
    width: options.width ?? 540,
    height: options.height ?? 330,
    data: { values: data },
    layer: [
      ...limitLayers(experiment, rows, data),
      {
        mark: { type: 'line' },
        encoding: {
          x,
          y,
          color: colour,
          strokeDash: dash,
          opacity: { condition: { ...isPaper, value: 0.65 }, value: 1 },
          strokeWidth: { condition: { ...isPaper, value: 1.2 }, value: 2 },
          detail: [{ field: 'line' }, { field: 'part' }],
          description: { field: 'line' },
        },
      },
      ...(data.some(({ low, high }) => low < high)
        ? [
            {
              mark: { type: 'rule', strokeWidth: 1.2, aria: false },
              encoding: { x, y: { ...y, field: 'low' }, y2: { field: 'high' }, color: colour },
            },
          ]
        : []),
      {
        mark: { type: 'point', fill: FILL, strokeWidth: 1.8 },
        encoding: {
          x,
          y,
          color: colour,
          shape,
          size: { condition: { ...isPaper, value: 34 }, value: 80 },
          opacity: { condition: { ...isPaper, value: 0.75 }, value: 1 },
          description: { field: 'label' },
        },
      },
      ...gapLayers(gaps, { x, color: colour }),
    ],
  };
}

function xOf(
  experiment: Experiment,
  rows: readonly Measurement[],
  data: readonly { readonly x: number | string }[],
  { width = 540 }: FigureOptions,
): Spec {
  const { x } = experiment;
  const field = { field: 'x', type: x.scale === 'category' ? 'nominal' : 'quantitative', title: visibleLine(x.label) };
  if (x.scale === 'category') {
    const names = new Set(data.map((datum) => String(datum.x)));
    const sort = categoriesOf(experiment, rows).filter((name) => names.has(name));
    return { ...field, sort, axis: { ...categoryAxis(sort, width), grid: true } };
  }
  const numbers = data.map((datum) => Number(datum.x));
  if (x.scale === 'log') return { ...field, scale: { type: 'log', domain: decades(numbers) }, axis: logAxis(numbers) };
  return { ...field, scale: { zero: false, nice: true, padding: 12 }, axis: linearAxis(numbers) };
}

/** Categories that were measured or are in the paper, in order. */
const categoriesOf = (experiment: Experiment, rows: readonly Measurement[]): string[] =>
  inOrder(
    experiment,
    pointsOf(experiment, rows).map(({ x }) => x),
  ).map((x) => visibleLine(String(x)));

/** For a single point Vega would draw an axis without length, and its tick with six decimals. */
function linearAxis(xs: readonly number[]): Spec {
  const distinct = [...new Set(xs)];
  return distinct.length === 1 ? { values: distinct, format: ',~g' } : { tickCount: 8 };
}

function bars(experiment: Experiment, rows: readonly Measurement[], options: FigureOptions): Spec | null {
  const data = dataOf(experiment, rows, options);
  if (data.length === 0) return null;
  const gaps = gapsOf(experiment, rows, options);
  const drawn = [...data, ...gaps];
  const order = seriesNames(experiment, rows, drawn).flatMap((name) => [name, name + PAPER_MARK]);
  const used = order.filter((name) => drawn.some(({ bar }) => bar === name));
  const names = new Set(drawn.map(({ x }) => String(x)));
  const xs = categoriesOf(experiment, rows).filter((x) => names.has(x));
  const y = yOf(experiment, data);
  const floor = experiment.y.scale === 'log' ? { y2: { datum: decades(data.map((datum) => datum.y))[0] } } : {};
  const { colour } = scalesOf(experiment, rows, drawn);
  const width = options.width ?? Math.max(420, Math.min(1000, xs.length * (used.length * 13 + 24)));
  const title = visibleLine(experiment.x.label);
  const column = {
    x: { field: 'x', type: 'nominal', sort: xs, title, axis: categoryAxis(xs, width) },
    xOffset: { field: 'bar', sort: used },
  };
  return {
    width,
    height: options.height ?? 300,
    data: { values: data },
    layer: [
      {
        mark: { type: 'bar', strokeWidth: 1.5 },
        encoding: {
          ...column,
          y,
          ...floor,
          stroke: { ...colour, legend: null },
          // Bars of the paper are hollow.
          fill: {
            condition: { test: { field: 'source', equal: SOURCE_NAMES.paper }, value: FILL },
            ...colour,
            legend: {
              title: data.some(({ source }) => source === SOURCE_NAMES.paper)
                ? ['filled: measured here', 'hollow: in the paper']
                : null,
              titleFontWeight: 'normal',
              labelLimit: LABEL_LIMIT,
              symbolStrokeWidth: 0,
            },
          },
          // Bars of a published program are paler.
          fillOpacity: { condition: { test: { field: 'stroke', equal: STROKE_NAMES.program }, value: 0.45 }, value: 1 },
          strokeDash: {
            field: 'source',
            type: 'nominal',
            scale: { domain: Object.values(SOURCE_NAMES), range: [[], [3, 2]] },
            legend: null,
          },
          description: { field: 'label' },
        },
      },
      ...gapLayers(gaps, { ...column, color: { ...colour, legend: null } }),
      ...limitLayers(experiment, rows, data),
    ],
  };
}
