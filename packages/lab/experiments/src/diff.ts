/** Compares two runs: verdicts and counts exactly, limits and rankings (by CPU time if known) up to noise. */
import type { ResultRow } from './measurement/row-shape.ts';
import { latestRows, placeOf } from './measurement/rows.ts';

export interface Differences {
  /** Number of cells with results in both runs. */
  readonly cells: number;
  readonly onlyInFirst: number;
  readonly onlyInSecond: number;
  readonly histories: readonly string[];
  /** Contradictions: one of the runs is wrong. */
  readonly verdicts: readonly string[];
  /** Cells that reached a limit of time or memory in one run, and stayed far below it in the other. */
  readonly limits: readonly string[];
  readonly counts: readonly string[];
  readonly rankings: readonly string[];
  /** Number of pairs of series that changed order, but by less than the noise. */
  readonly withinNoise: number;
  /** Number of pairs of series that both runs rank. */
  readonly pairs: number;
}

interface Pair {
  readonly first: ResultRow;
  readonly second: ResultRow;
}

/**
 * Compares two runs. With a `tolerance` of 0.25, two times rank alike if the longer one exceeds the shorter by at most
 * a quarter.
 */
export function diffResults(first: readonly ResultRow[], second: readonly ResultRow[], tolerance: number): Differences {
  const [ones, others] = [first, second].map((rows) => new Map(measured(rows).map((row) => [placeOf(row), row])));
  const pairs: Pair[] = [...ones!].flatMap(([place, row]) => {
    const other = others!.get(place);
    return other ? [{ first: row, second: other }] : [];
  });
  // If a recipe and a dataset make the same history, the cell has the name of the first; the key is more precise.
  const same = pairs.filter(({ first: a, second: b }) => a.history.id === b.history.id || a.key === b.key);
  return {
    cells: pairs.length,
    onlyInFirst: ones!.size - pairs.length,
    onlyInSecond: others!.size - pairs.length,
    histories: pairs
      .filter((pair) => !same.includes(pair))
      .map((pair) => `${nameOf(pair)}: ${pair.first.history.id} and ${pair.second.history.id}`),
    verdicts: same.filter(contradict).map(tellVerdicts),
    limits: same.filter((pair) => differInEnding(pair, tolerance)).map(tellVerdicts),
    counts: same.filter(areDecided).flatMap(tellCounts),
    ...rankingsOf(same.filter(areDecided), tolerance),
  };
}

const measured = (rows: readonly ResultRow[]): ResultRow[] =>
  latestRows(rows).filter(({ verdict }) => verdict !== 'skipped');

const nameOf = ({ first: { experiment, series, x, repeat } }: Pair): string =>
  `${experiment}, ${series} at ${x}${repeat === 0 ? '' : `, repeat ${repeat}`}`;

const isDecided = ({ verdict }: ResultRow): boolean => verdict === 'satisfied' || verdict === 'violated';
const areDecided = ({ first, second }: Pair): boolean => isDecided(first) && isDecided(second);

const contradict = (pair: Pair): boolean => areDecided(pair) && pair.first.verdict !== pair.second.verdict;

/** A run that stayed just below its limits may exceed them the next time. */
function differInEnding({ first, second }: Pair, tolerance: number): boolean {
  if (isDecided(first) === isDecided(second)) return !isDecided(first) && limitOf(first) !== limitOf(second);
  const [decided, ended] = isDecided(first) ? [first, second] : [second, first];
  const measure = ended.reason === 'timeout' ? 'wallMs' : ended.reason === 'memory' ? 'peakRssBytes' : null;
  if (measure === null) return true;
  return (decided[measure] ?? 0) * (1 + tolerance) < (ended[measure] ?? Infinity);
}

/** A run that was skipped because an easier one reached the limit counts as having reached it. */
const limitOf = ({ reason }: ResultRow): string | null => reason?.replace(/^timeout at .*/, 'timeout') ?? null;

const tellVerdicts = (pair: Pair): string => {
  const [one, other] = [pair.first, pair.second].map((row) =>
    isDecided(row) ? row.verdict : (row.reason ?? row.verdict),
  );
  return `${nameOf(pair)}: ${one} and ${other}`;
};

function tellCounts(pair: Pair): string[] {
  const [one, other] = [pair.first.counters, pair.second.counters];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => one[name] !== other[name]);
  return names.map((name) => `${nameOf(pair)}: ${name} ${one[name] ?? 'absent'} and ${other[name] ?? 'absent'}`);
}

/** Times of a series at a point in one of the runs. */
interface Times {
  readonly series: string;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

function rankingsOf(
  pairs: readonly Pair[],
  tolerance: number,
): Pick<Differences, 'rankings' | 'withinNoise' | 'pairs'> {
  const rankings: string[] = [];
  let withinNoise = 0;
  let compared = 0;
  for (const [point, own] of pointsOf(pairs)) {
    const [before, after] = [timesOf(own.map(({ first }) => first)), timesOf(own.map(({ second }) => second))];
    for (let i = 0; i < before.length; i++) {
      for (let j = 0; j < i; j++) {
        compared++;
        const [a, b, c, d] = [before[i]!, before[j]!, after[i]!, after[j]!];
        if (Math.sign(a.mean - b.mean) === Math.sign(c.mean - d.mean)) continue;
        if (areClose(a, b, tolerance) || areClose(c, d, tolerance)) withinNoise++;
        else rankings.push(`${point}: ${tellOrder(a, b)}, and ${tellOrder(c, d)}`);
      }
    }
  }
  return { rankings, withinNoise, pairs: compared };
}

function pointsOf(pairs: readonly Pair[]): Map<string, Pair[]> {
  const points = new Map<string, Pair[]>();
  for (const pair of pairs) {
    const point = `${pair.first.experiment} at ${pair.first.x}`;
    points.set(point, [...(points.get(point) ?? []), pair]);
  }
  return points;
}

/** Times in the order of the series' names, which both runs share. */
function timesOf(rows: readonly ResultRow[]): Times[] {
  return [...new Set(rows.map(({ series }) => series))].toSorted().map((series) => {
    const times = rows.flatMap((row) => (row.series === series ? (row.cpuMs ?? row.wallMs ?? []) : []));
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    return { series, mean, low: Math.min(...times), high: Math.max(...times) };
  });
}

const areClose = (a: Times, b: Times, tolerance: number): boolean =>
  Math.abs(a.mean - b.mean) <= MOMENT_MS ||
  Math.max(a.mean, b.mean) <= Math.min(a.mean, b.mean) * (1 + tolerance) ||
  (a.low <= b.high && b.low <= a.high);

/** Duration of one pause of the garbage collector or the scheduler. */
const MOMENT_MS = 5;

function tellOrder(a: Times, b: Times): string {
  const [fast, slow] = a.mean < b.mean ? [a, b] : [b, a];
  return `${fast.series} ${fast.mean.toFixed(0)} ms before ${slow.series} ${slow.mean.toFixed(0)} ms`;
}
