import { type ByLevel, type FoundAnomaly, type LevelName, type VerdictStatus, levelsIn } from '@isolab/contract';
import type { Report, Unknown } from '@isolab/runner';
import { type CheckResult, type Kind, type LevelResult, anomaliesIn } from './result.ts';

/** The fields of one run (checker to peakRssBytes) are those of the deciding run. */
export interface CheckJson extends Omit<CheckResult, 'levels' | 'deciding' | 'violations' | 'kinds' | 'parseMs'> {
  /** The level, several separated by commas, `all` among them where all were asked for. */
  readonly level: string;
  readonly levels: ByLevel<VerdictStatus>;
  /** The level whose run settles another one. */
  readonly impliedBy: ByLevel<LevelName>;
  readonly unknown: ByLevel<Unknown>;
  readonly unverified: readonly LevelName[];
  readonly checker: string | null;
  readonly variant: string | null;
  readonly proof: Report['proof'] | null;
  readonly history: Report['history'] | null;
  /** The stages of the run, after the time to parse the history. */
  readonly stages: Report['stages'];
  readonly counters: Report['counters'];
  /** The time of all runs, and to parse the history. */
  readonly wallMs: number;
  readonly peakRssBytes: number | null;
  /** The smallest example is the number of an anomaly of the level's run if its evidence stands there. */
  readonly kinds?: readonly (Omit<Kind, 'smallest' | 'story'> & { readonly smallest: FoundAnomaly | number })[];
}

/** The object that `isolab check --output json` prints. */
export function jsonOf(result: CheckResult): CheckJson {
  const { verdict, levels: at, named, deciding, violations: _, parseMs, kinds, ...same } = result;
  const byLevel = <T>(of: (level: LevelResult) => T | null): ByLevel<T> =>
    Object.fromEntries(
      Object.entries(at).flatMap(([level, found]) => {
        const value = of(found!);
        return value === null ? [] : [[level, value]];
      }),
    );
  const levels = byLevel((found) => found.verdict);
  const asked = levelsIn(levels);
  return {
    verdict, // first, where programs that read the output find it
    ...same,
    level: [...named, ...(named.length < asked.length ? ['all'] : [])].join(','),
    levels,
    named,
    impliedBy: byLevel(({ impliedBy }) => impliedBy),
    checker: deciding?.checker ?? null,
    variant: deciding?.variant ?? null,
    proof: deciding?.proof ?? null,
    unverified: asked.filter((level) => at[level]!.isUnverified),
    history: deciding?.history ?? null,
    stages: [...(parseMs > 0 ? [{ name: 'parse', ms: parseMs }] : []), ...(deciding?.stages ?? [])].map(
      ({ name, ms }) => ({ name, ms: round(ms) }),
    ),
    counters: deciding?.counters ?? {},
    wallMs: round(parseMs + result.runs.reduce((sum, { wallMs }) => sum + wallMs, 0)),
    peakRssBytes: deciding?.peakRssBytes ?? null,
    unknown: byLevel(({ unknown }) => unknown),
    ...(kinds && {
      kinds: kinds.map(({ story: _s, ...kind }) => ({ ...kind, smallest: onceIn(result, kind.level, kind.smallest) })),
    }),
  };
}

/** An anomaly, or its place among those of the level's run with the same evidence, which may be large. */
function onceIn({ runs }: CheckResult, level: LevelName, anomaly: FoundAnomaly): FoundAnomaly | number {
  const run = runs.find((each) => each.level === level);
  const { certificate } = anomaly;
  if (run === undefined || certificate === undefined) return anomaly;
  const at = anomaliesIn(run).findIndex((each) => each.certificate === certificate);
  return at < 0 ? anomaly : at;
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000;
