import { type ByLevel, type FoundAnomaly, type LevelName, type VerdictStatus, levelsIn } from '@isolab/contract';
import type { Report, Unknown } from '@isolab/runner';
import { type CheckResult, type Kind, type LevelResult, anomaliesIn } from './result.ts';

/** The fields of one run (checker to peakRssBytes) describe the deciding run. */
export interface CheckJson extends Omit<CheckResult, 'levels' | 'deciding' | 'violations' | 'kinds' | 'parseMs'> {
  /** One level or several separated by commas; includes `all` if all levels were requested. */
  readonly level: string;
  readonly levels: ByLevel<VerdictStatus>;
  /** Level whose run decides another level. */
  readonly impliedBy: ByLevel<LevelName>;
  readonly unknown: ByLevel<Unknown>;
  readonly unverified: readonly LevelName[];
  readonly checker: string | null;
  readonly variant: string | null;
  readonly proof: Report['proof'] | null;
  readonly history: Report['history'] | null;
  /** Stages from opening the history to the verdict, of all runs. */
  readonly stages: CheckResult['stages'];
  readonly counters: Report['counters'];
  /** Time for parsing and all runs. */
  readonly wallMs: number;
  readonly peakRssBytes: number | null;
  /** The smallest example may be given as the number of an anomaly with the same evidence in the level's run. */
  readonly kinds?: readonly (Omit<Kind, 'smallest' | 'story'> & { readonly smallest: FoundAnomaly | number })[];
}

/** Returns the object that `isolab check --output json` prints. */
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
    stages: result.stages.map(({ name, ms }) => ({ name, ms: round(ms) })),
    counters: deciding?.counters ?? {},
    wallMs: round(parseMs + result.runs.reduce((sum, { wallMs }) => sum + wallMs, 0)),
    peakRssBytes: deciding?.peakRssBytes ?? null,
    unknown: byLevel(({ unknown }) => unknown),
    ...(kinds && {
      kinds: kinds.map(({ story: _s, ...kind }) => ({ ...kind, smallest: onceIn(result, kind.level, kind.smallest) })),
    }),
  };
}

/**
 * Returns an anomaly, or the index of an anomaly with the same evidence in the level's run, because evidence may be
 * large.
 */
function onceIn({ runs }: CheckResult, level: LevelName, anomaly: FoundAnomaly): FoundAnomaly | number {
  const run = runs.find((each) => each.level === level);
  const { certificate } = anomaly;
  if (run === undefined || certificate === undefined) return anomaly;
  const at = anomaliesIn(run).findIndex((each) => each.certificate === certificate);
  return at < 0 ? anomaly : at;
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000;
