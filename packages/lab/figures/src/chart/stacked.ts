// Stages of runs as stacked bars, as in the papers' breakdowns.

import { visibleLine } from '@isolab/history';
import { shownSeries } from '../results/published.ts';
import type { Experiment, Measurement } from '../results/results.ts';
import { type Spec, categoryAxis } from './axes.ts';
import { COLOURS, FILL, INK, nth } from './look.ts';
import { type StagePoint, WHOLE, shown, stagesOf } from './points.ts';

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
  const stages = drawnStages(stagesOf(experiment, rows), paper);
  if (stages.length === 0) return null;
  const names = [...new Set(stages.map(({ stage }) => stage))];
  const data = stages.map(({ x, bar, stage, value }) => ({
    x: visibleLine(String(x)),
    bar: visibleLine(bar),
    stage: visibleLine(stage),
    order: names.indexOf(stage),
    y: value,
    label: visibleLine(`${stage} · ${bar} · ${experiment.x.label} ${x}: ${shown(value, 's')}`),
  }));
  const xs = [...new Set(data.map(({ x }) => x))];
  const bars = [...new Set(data.map(({ bar }) => bar))].toSorted((a, b) => rank(experiment, a) - rank(experiment, b));
  const stageNames = names.map(visibleLine);
  const { size, place } = placeOf(experiment, xs, bars, width);
  return {
    data: { values: data },
    width: size,
    height,
    mark: { type: 'bar', stroke: INK, strokeWidth: 0.6 },
    encoding: {
      ...place,
      // Never logarithmic: the heights of stacked parts would be wrong.
      y: { field: 'y', type: 'quantitative', stack: 'zero', title: visibleLine(experiment.y.label) },
      color: {
        field: 'stage',
        type: 'nominal',
        sort: stageNames,
        scale: { domain: stageNames, range: names.map((name, i) => (name === WHOLE ? FILL : nth(COLOURS, i))) },
        legend: { title: 'stage' },
      },
      order: { field: 'order', type: 'quantitative' },
      description: { field: 'label' },
    },
  };
}

/** Positions of the bars of an x, and the width of the chart, or of each of its columns. */
function placeOf(
  experiment: Experiment,
  xs: readonly string[],
  bars: readonly string[],
  width: number | undefined,
): { size: number; place: Spec } {
  const title = visibleLine(experiment.x.label);
  if (bars.length === 1) {
    const size = width ?? Math.max(420, Math.min(1000, xs.length * 70));
    return { size, place: { x: { field: 'x', type: 'nominal', sort: xs, title, axis: categoryAxis(xs, size) } } };
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
  const place = {
    column: { field: 'x', type: 'nominal', sort: xs, title, spacing: 6, header },
    x: { field: 'bar', type: 'nominal', sort: bars, title: null, axis: categoryAxis(bars, size) },
  };
  return { size, place };
}

/** Published bars that would dwarf all local measurements appear only in the table. */
function drawnStages(stages: readonly StagePoint[], paper: boolean): StagePoint[] {
  const isPaper = ({ bar }: StagePoint): boolean => bar === 'paper' || bar.endsWith(' (paper)');
  const heights = (of: readonly StagePoint[]): number[] => {
    const sums = new Map<string, number>();
    for (const { x, bar, value } of of) sums.set(`${bar}/${x}`, (sums.get(`${bar}/${x}`) ?? 0) + value);
    return [...sums.values()];
  };
  const here = stages.filter((point) => !isPaper(point));
  const there = stages.filter(isPaper);
  const highest = Math.max(0, ...heights(here));
  const fits = highest === 0 || Math.max(0, ...heights(there)) <= DWARFS * highest;
  return paper && fits ? [...here, ...there] : here;
}

const DWARFS = 8;

function rank(experiment: Experiment, bar: string): number {
  const { series } = experiment;
  const name = bar.replace(/ \(paper\)$/, '');
  const place = series.findIndex((one) => one.name === name || shownSeries(experiment, one.name) === name);
  return (place < 0 ? series.length : place) * 2 + (bar === name ? 0 : 1);
}
