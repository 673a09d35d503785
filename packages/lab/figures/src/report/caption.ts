// Caption of a figure: the facts without which its numbers cannot be judged.

import { grouped, plural } from '@isolab/story/markup';
import { scaleOf } from '../chart/points.ts';
import type { Experiment, Measurement } from '../results/results.ts';
import { DATA_KINDS, DATA_NAMES, type DataOfSeries } from './data-kinds.ts';

/** Load of the machine above which a run was disturbed. */
const BUSY = 1.5;

/** Number of runs a point, origin of the histories, limits, machines, days and load of the rows; empty without any. */
export function captionOf(
  { limits, y, chart }: Experiment,
  rows: readonly Measurement[],
  data: DataOfSeries = new Map(),
): string {
  const ran = rows.filter(({ verdict }) => verdict !== 'skipped');
  if (ran.length === 0) return '';
  const { seconds, megabytes } = limits[scaleOf(rows)];
  const machines = [...new Set(ran.map(({ run }) => run.machine))];
  const busy = ran.filter(({ run }) => run.load > BUSY).length;
  const parts = [
    pointsText(ran),
    originText(data),
    `limits ${seconds} s and ${grouped(megabytes)} MB`,
    machines.join(' and '),
    `measured ${daysText(ran)}`,
    busy === 0 ? '' : `${busy} of ${plural(ran.length, 'run')} began at a load above ${BUSY}`,
    chart === 'bars' && y.scale === 'log' ? 'bars begin at the lowest line of the axis' : '',
  ];
  return `${parts.filter((part) => part !== '').join('; ')}.`;
}

/** Origins of the histories; collected ones have times, which may help a checker. */
function originText(data: DataOfSeries): string {
  const found = new Set([...data.values()].map(({ kind }) => kind));
  const kinds = DATA_KINDS.filter((kind) => found.has(kind));
  return [
    ...(kinds.length === 0 ? [] : [`from ${kinds.map((kind) => DATA_NAMES[kind]).join(' and ')}`]),
    ...(found.has('database') ? [TIMES_TEXT] : []),
  ].join('; ');
}

const TIMES_TEXT =
  'histories of a real database have the times of their transactions, which weave takes as a hint, simulated ones only at levels of real time';

/** Number of runs, and the smallest and largest number of runs, or of histories, of a series at a point. */
function pointsText(rows: readonly Measurement[]): string {
  const runs = new Map<string, number>();
  for (const { series, x, each } of rows) {
    const point = JSON.stringify([series, x]);
    runs.set(point, (runs.get(point) ?? 0) + (each?.length ?? 1));
  }
  const [low, high] = [Math.min(...runs.values()), Math.max(...runs.values())];
  const many = low === high ? low : `${low} to ${high}`;
  if (rows.some(({ each }) => each !== undefined)) return `${many} histories a point`;
  const all = plural(rows.length, 'run');
  return high === 1 ? `${all}, one a point` : `${all}, median of ${many} a point`;
}

function daysText(rows: readonly Measurement[]): string {
  const days = rows.map(({ run }) => run.at.slice(0, 10)).toSorted();
  return days[0] === days.at(-1) ? `on ${days[0]}` : `from ${days[0]} to ${days.at(-1)}`;
}
