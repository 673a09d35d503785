import { evaluateClaims } from '../src/report/claims.ts';
import type { ClaimResult, Experiment, Measurement, PaperClaim } from '../src/results/results.ts';

const per = <T>(value: T): { ci: T; laptop: T; paper: T } => ({ ci: value, laptop: value, paper: value });

/** Time by sessions, as in PolySI's figure 6a. */
export function experiment(more: Partial<Experiment> = {}): Experiment {
  return {
    id: 'polysi/fig6a',
    paper: 'polysi',
    figure: 'fig6a',
    title: 'Time by sessions',
    claim: 'PolySI copes with concurrency.',
    chart: 'lines',
    x: { label: 'sessions', scale: 'linear' },
    y: { label: 'time (s)', scale: 'log', metric: 'wallMs' },
    level: 'snapshot-isolation',
    grid: { ci: [5, 15], laptop: [5, 10, 15], paper: [5, 10, 15, 20] },
    history: { workload: 'general', sessions: '$x', transactions: 100, level: 'snapshot-isolation', seed: 1 },
    series: [
      { name: 'PolySI', checker: 'polysi' },
      { name: 'dbcop', checker: 'dbcop', variant: 'plain' },
    ],
    limits: {
      ci: { seconds: 10, megabytes: 1000 },
      laptop: { seconds: 60, megabytes: 4000 },
      paper: { seconds: 180, megabytes: 16_000 },
    },
    repeats: per(1),
    published: { PolySI: { 5: 0.61, 10: 1.09 }, dbcop: { 5: 0.26, 10: null }, 'CobraSI w/ GPU': { 5: 0.54, 10: 1.72 } },
    publishedUnit: 's',
    holds: [],
    ...more,
  };
}

export function row(series: string, x: number | string, seconds: number, more: Partial<Measurement> = {}): Measurement {
  return {
    experiment: 'polysi/fig6a',
    series,
    x,
    repeat: 0,
    checker: series.toLowerCase(),
    variant: null,
    level: 'snapshot-isolation',
    history: { id: `general@${x}`, sessions: 20, transactions: 2000, operations: 30_000, keys: 10_000 },
    verdict: 'satisfied',
    reason: null,
    wallMs: seconds * 1000,
    cpuMs: seconds * 900,
    peakRssBytes: 250e6,
    stages: [
      { name: 'construct', ms: 100 },
      { name: 'solve', ms: seconds * 1000 - 100 },
    ],
    counters: {},
    certificate: 'verified',
    run: { machine: 'box', node: '20.20.2', commit: 'abcdef', at: '2026-11-21T13:00:00Z', load: 2, scale: 'ci' },
    ...more,
  };
}

export const timedOut = (series: string, x: number | string, more: Partial<Measurement> = {}): Measurement =>
  row(series, x, 10, { verdict: 'unknown', reason: 'timeout', certificate: 'none', ...more });

export const rows: readonly Measurement[] = [
  row('PolySI', 5, 0.5),
  row('PolySI', 15, 1.5),
  row('dbcop', 5, 2),
  timedOut('dbcop', 15),
];

export const claim = (text: string, rest: object): PaperClaim => ({ text, origin: 'paper', ...rest }) as PaperClaim;

/** Tries to break out of its surroundings. */
export const HOSTILE = `<script>alert("1")</script> & ' ]]> </svg> \u0000 \uD800 \u202E \u200B \u009B31m \u001B[31m \` | \n ::error::x`;

/**
 * Outcome of a check of our own, which has no band; of a paper's claim with `ofPaper`. A check of all points has those of
 * the rows in its grid.
 */
export function outcome(rest: object, of: readonly Measurement[] = rows, more: Partial<Experiment> = {}): ClaimResult {
  const isOfAll = 'at' in rest && rest.at === 'all';
  const grid = isOfAll ? { grid: per([...new Set(of.map(({ x }) => x))]) } : {};
  return evaluateClaims(
    experiment({ ...grid, ...more, holds: [claim('It is so.', { origin: 'sanity', ...rest })] }),
    of,
  )[0]!;
}
export const ofPaper = { origin: 'paper' };
