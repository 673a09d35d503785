import type { Sizes } from '../datasets/manifest.ts';
/** Measures a set of histories as one cell: outcomes are counted, and times are means. */
import type { Measured } from './run-cell.ts';

/** Verdict of a checker on one history at one level, or the reason why it could not run. */
export interface OneRun extends Measured {
  readonly history?: Sizes;
}

/**
 * Checks the levels in turn until one is violated or undecided; a set without levels is checked at its own level only.
 */
export async function firstViolated(
  levels: readonly string[],
  check: (level: string) => Promise<OneRun>,
): Promise<{ readonly run: OneRun; readonly violated: string | null }> {
  let sum: OneRun | null = null;
  for (const level of levels) {
    const run = await check(level);
    sum = sum === null ? run : inTurn(sum, run);
    if (run.verdict !== 'satisfied') return { run: sum, violated: run.verdict === 'violated' ? level : null };
  }
  return { run: sum!, violated: null };
}

/** Merges two runs on one history; the verdict is that of the later run. */
const inTurn = (one: OneRun, next: OneRun): OneRun => ({
  ...next,
  wallMs: added(one.wallMs, next.wallMs),
  cpuMs: added(one.cpuMs, next.cpuMs),
  peakRssBytes: larger(one.peakRssBytes, next.peakRssBytes),
  stages: [],
  counters: summed([one.counters, next.counters]),
  ...((next.history ?? one.history) ? { history: next.history ?? one.history! } : {}),
});

/**
 * Merges many runs into one row: the mean of the times of the runs that took place, the largest memory, the sums of the
 * counters. `histories`, `satisfied`, `violated` and `unknown` count verdicts. `first.LEVEL` counts the histories that
 * violate that level first, `in.TAP-m` the histories in which a pattern occurs.
 */
export function rowOfSet(
  runs: readonly { readonly run: OneRun; readonly violated: string | null }[],
  levels: readonly string[] | null,
): OneRun {
  const each = runs.map(({ run }) => run);
  const many = (verdict: string): number => each.filter((run) => run.verdict === verdict).length;
  const open = each.filter(({ verdict }) => verdict === 'unknown' || verdict === 'skipped');
  const firsts = Object.fromEntries(
    (levels ?? []).map((level) => [`first.${level}`, runs.filter(({ violated }) => violated === level).length]),
  );
  return {
    verdict: open.length > 0 ? 'unknown' : many('violated') > 0 ? 'violated' : 'satisfied',
    reason: reasonOf(open, each.length),
    wallMs: mean(each.map(({ wallMs }) => wallMs)),
    cpuMs: mean(each.map(({ cpuMs }) => cpuMs)),
    peakRssBytes: each.reduce<number | null>((most, { peakRssBytes }) => larger(most, peakRssBytes), null),
    stages: [],
    counters: {
      ...summed(each.map(({ counters }) => counters)),
      ...occurrences(each.map(({ counters }) => counters)),
      histories: each.length,
      satisfied: many('satisfied'),
      violated: many('violated'),
      unknown: open.length,
      ...firsts,
    },
    certificate: certificateOf(each),
    each: each.map(({ verdict, reason, wallMs }) => ({ verdict, reason, wallMs })),
    history: largest(each.flatMap(({ history }) => history ?? [])),
  };
}

/**
 * Returns the reason for missing verdicts. If no run has a verdict and all share one reason, it is that reason as for a
 * single run, because only then is their time the limit.
 */
function reasonOf(open: readonly OneRun[], all: number): string | null {
  if (open.length === 0) return null;
  const reasons = [...new Set(open.map(({ reason }) => reason ?? 'no verdict'))];
  if (open.length === all && reasons.length === 1) return reasons[0]!;
  return `${open.length} of ${all} histories: ${reasons.slice(0, 2).join(', ')}`;
}

function certificateOf(runs: readonly OneRun[]): Measured['certificate'] {
  for (const worst of ['rejected', 'not asked', 'none'] as const)
    if (runs.some(({ certificate }) => certificate === worst)) return worst;
  return 'verified';
}

const SIZES = ['sessions', 'transactions', 'operations', 'keys'] as const;

const largest = (all: readonly Sizes[]): Sizes =>
  Object.fromEntries(SIZES.map((name) => [name, Math.max(0, ...all.map((one) => one[name]))])) as unknown as Sizes;

function summed(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const counters of all)
    for (const [name, amount] of Object.entries(counters)) sums[name] = (sums[name] ?? 0) + amount;
  return sums;
}

/** Number of histories in which a pattern occurs, as `in.TAP-m`, and the sum over all patterns. */
function occurrences(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  if (!all.some((counters) => Object.keys(counters).some((name) => PATTERNS.includes(name)))) return {};
  const many = (name: string): number => all.filter((counters) => (counters[name] ?? 0) > 0).length;
  const counts = PATTERNS.map((name) => [`in.${name}`, many(name)] as const);
  return { ...Object.fromEntries(counts), patterns: counts.reduce((sum, [, count]) => sum + count, 0) };
}

/** Plume's fourteen patterns; a pattern that occurs in no history is counted as 0. */
const PATTERNS = [...'abcdefghijklmn'].map((letter) => `TAP-${letter}`);

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0
    ? null
    : Math.round((1000 * known.reduce((sum, value) => sum + value, 0)) / known.length) / 1000;
}

const added = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);
const larger = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);
