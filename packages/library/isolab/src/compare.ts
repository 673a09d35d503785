import { type LevelName, decidedAs } from '@isolab/contract';
import {
  type Evidence,
  type Report,
  type Unknown,
  judged,
  refuseUnmodelled,
  runUnjudged,
  unknownOf,
} from '@isolab/runner';
import { type EngineOptions, type LevelWord, type LimitOptions, engineAsked, levelNamed, runOptions } from './check.ts';
import { CHECKERS } from './checkers.ts';
import { type Subject, asOpened } from './open.ts';

export interface CompareOptions extends LimitOptions {
  readonly level: LevelWord;
  /** Checkers to compare; all built-in checkers except the baselines if absent. */
  readonly checkers?: readonly (NonNullable<EngineOptions['checker']> | EngineOptions)[];
}

export interface Comparison {
  readonly path: string;
  readonly level: LevelName;
  /** Whether no two checkers contradict each other, without regard to conditional verdicts (`supposing`). */
  readonly agree: boolean;
  /** Verdict at the level; unknown where checkers disagree or all verdicts are conditional. */
  readonly verdict: Report['verdict']['status'];
  readonly evidence: Evidence | null;
  readonly reports: readonly Compared[];
}

/** Run of a checker with its status, and the reason for an unknown verdict. */
export interface Compared extends Omit<Report, 'verdict'> {
  readonly verdict: Report['verdict']['status'];
  readonly unknown: Unknown | null;
}

/**
 * Runs several checkers on one history. If two of them contradict each other, at least one is wrong. A checker that
 * trusts the database's claims answers a different question and contradicts no other checker.
 */
export async function compare(subject: Subject, { level, checkers, ...limits }: CompareOptions): Promise<Comparison> {
  const input = asOpened(subject);
  refuseUnmodelled(input.prepared.history, input.name);
  const name = levelNamed(level);
  const asked = checkers ?? CHECKERS.filter(({ isBaseline }) => !isBaseline).map((each) => each.name);
  const { prepared } = input;
  const reports: Report[] = [];
  const shown: Report[] = [];
  for (const each of asked) {
    const isSetUp = typeof each === 'object' && 'checker' in each && !('url' in each);
    const engine = (await engineAsked({ ...limits, ...(isSetUp ? each : { checker: each as string }) }))!;
    const options = runOptions({ ...limits, certify: false }, [engine]);
    const report = await runUnjudged({ ...engine, prepared, level: decidedAs(name) }, options);
    reports.push(report);
    shown.push(judged(report, prepared, options));
  }
  // A verdict with an assumption beyond the history answers a different question and contradicts no other verdict.
  const isAnswer = ({ verdict, supposing }: Report): boolean => verdict.status !== 'unknown' && supposing === null;
  const decided = new Set(reports.filter(isAnswer).map(({ verdict }) => verdict.status));
  const agree = decided.size < 2;
  const known = shown.find(isAnswer);
  return {
    path: input.name,
    level: name,
    agree,
    // At least one of the disagreeing verdicts is wrong, but it is not known which.
    verdict: agree ? (known?.verdict.status ?? 'unknown') : 'unknown',
    evidence: shown.find(({ evidence }) => evidence !== null)?.evidence ?? null,
    reports: shown.map(({ verdict, ...rest }) => ({
      ...rest,
      verdict: verdict.status,
      unknown: verdict.status === 'unknown' ? unknownOf(verdict) : null,
    })),
  };
}
