// Stages of runs as stacked bars, as in the papers' breakdowns.

import { visibleLine } from '@isolab/history';
import { isPaperBar, isPublished, shownSeries } from '../results/published.ts';
import type { Experiment, Measurement } from '../results/results.ts';
import { type Spec, categoryAxis } from './axes.ts';
import { COLOURS, FILL, GRID, INK, nth } from './look.ts';
import { type StagePoint, TIME_OUT, WHOLE, inOrder, shown, stagesOf } from './points.ts';

export interface StackedOptions {
  readonly width?: number;
  readonly height?: number;
  readonly paper?: boolean;
}

export function stackedBars(
  experiment: Experiment,
  rows: readonly Measurement[],
  { width, height = 300, paper = true }: StackedOptions,
): Spec | null {
  const stages = stagesOf(experiment, rows).filter((point) => paper || !isPaperBar(point.bar));
  if (stages.length === 0) return null;
  const names = [...new Set(stages.map(({ stage }) => stage))];
  const top = topOf(experiment, stages);
  const ordered = stages.toSorted((a, b) => names.indexOf(a.stage) - names.indexOf(b.stage));
  const data = cutAt(top, ordered).map(({ x, bar, stage, value, total, drawn }) => ({
    x: visibleLine(String(x)),
    bar: visibleLine(bar),
    stage: visibleLine(stage),
    order: names.indexOf(stage),
    y: drawn,
    total,
    label: visibleLine(`${stage} · ${bar} · ${experiment.x.label} ${x}: ${shown(value, 's')}`),
  }));
  const xs = inOrder(
    experiment,
    stages.map(({ x }) => x),
  ).map((x) => visibleLine(String(x)));
  const bars = [...new Set(data.map(({ bar }) => bar))].toSorted((a, b) => rank(experiment, a) - rank(experiment, b));
  const stageNames = names.map(visibleLine);
  const { size, place, column } = placeOf(experiment, xs, bars, width);
  const title = visibleLine(experiment.y.label);
  const y = { field: 'y', type: 'quantitative', title, scale: { domain: [0, top], nice: false } };
  const layer = [
    {
      mark: { type: 'bar', stroke: INK, strokeWidth: 0.6 },
      encoding: {
        ...place,
        // Never logarithmic: the heights of stacked parts would be wrong.
        y: { ...y, stack: 'zero' },
        color: {
          field: 'stage',
          type: 'nominal',
          sort: stageNames,
          scale: { domain: stageNames, range: names.map(colourOf) },
          legend: { title: 'stage' },
        },
        order: { field: 'order', type: 'quantitative' },
        description: { field: 'label' },
      },
    },
    {
      transform: [{ filter: "datum.total != ''" }],
      mark: { type: 'text', angle: 270, align: 'right', dx: -4, fontSize: 11, color: INK, aria: false },
      encoding: { ...place, y: { value: 0 }, text: { field: 'total' } },
    },
  ];
  const sized = { width: size, height, layer };
  const values = { data: { values: data } };
  return column === null ? { ...values, ...sized } : { ...values, facet: { column }, spec: sized, spacing: 6 };
}

const colourOf = (stage: string, i: number): string =>
  stage === WHOLE ? FILL : stage === TIME_OUT ? GRID : nth(COLOURS, i);

/**
 * Height of the axis. Bars of the paper, of published programs and of runs that were stopped are cut off if they would
 * dwarf all others.
 */
function topOf(experiment: Experiment, stages: readonly StagePoint[]): number {
  const heights = (of: readonly StagePoint[]): number => Math.max(0, ...totalsOf(of).values());
  const isOurs = ({ bar, stage }: StagePoint): boolean =>
    stage !== TIME_OUT && experiment.series.some(({ name, checker }) => name === bar && !isPublished(checker));
  const ours = heights(stages.filter(isOurs));
  const highest = heights(stages);
  return ours === 0 || highest <= DWARFS * ours ? highest * 1.02 : CUT * ours;
}

/** Number of times that a bar may be as high as all of ours, and the height of the axis above. */
const DWARFS = 4;
const CUT = 2;

interface CutStage extends StagePoint {
  readonly drawn: number;
  /** Total of a bar that is cut off, on its first stage. */
  readonly total: string;
}

function cutAt(top: number, stages: readonly StagePoint[]): CutStage[] {
  const totals = totalsOf(stages);
  const drawn = new Map<string, number>();
  return stages.map((point) => {
    const bar = barOf(point);
    const below = drawn.get(bar) ?? 0;
    const height = Math.max(0, Math.min(point.value, top - below));
    drawn.set(bar, below + height);
    const total = totals.get(bar)!;
    const isFirst = below === 0 && total > top;
    const bound = point.stage === TIME_OUT ? '≥ ' : '';
    return { ...point, drawn: height, total: isFirst ? `${bound}${shown(total, 's')}` : '' };
  });
}

function totalsOf(stages: readonly StagePoint[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const point of stages) sums.set(barOf(point), (sums.get(barOf(point)) ?? 0) + point.value);
  return sums;
}

const barOf = ({ x, bar }: StagePoint): string => JSON.stringify([x, bar]);

/** Positions of the bars of an x, and the width of the chart, or of each of its columns. */
function placeOf(
  experiment: Experiment,
  xs: readonly string[],
  bars: readonly string[],
  width: number | undefined,
): { size: number; place: Spec; column: Spec | null } {
  const title = visibleLine(experiment.x.label);
  if (bars.length === 1) {
    const size = width ?? Math.max(420, Math.min(1000, xs.length * 70));
    const place = { x: { field: 'x', type: 'nominal', sort: xs, title, axis: categoryAxis(xs, size) } };
    return { size, place, column: null };
  }
  // With several bars per x, each has its name below it.
  const size = (width ?? 0) / xs.length || Math.max(60, bars.length * 34);
  const header = {
    labelFontSize: 12,
    labelColor: INK,
    titleFontSize: 13,
    titleFontWeight: 'normal',
    titleColor: INK,
    labelOrient: 'bottom',
    titleOrient: 'bottom',
  };
  const column = { field: 'x', type: 'nominal', sort: xs, title, header };
  const place = { x: { field: 'bar', type: 'nominal', sort: bars, title: null, axis: categoryAxis(bars, size) } };
  return { size, place, column };
}

function rank(experiment: Experiment, bar: string): number {
  const { series } = experiment;
  const name = bar.replace(/ \(paper\)$/, '');
  const place = series.findIndex((one) => one.name === name || shownSeries(experiment, one.name) === name);
  return (place < 0 ? series.length : place) * 2 + (bar === name ? 0 : 1);
}
