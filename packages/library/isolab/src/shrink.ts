import type { FoundAnomaly } from '@isolab/contract';
import {
  type Judgement,
  type ShrinkLimits as Shrinking,
  isShrunkLowered,
  shrink as shrinkHistory,
  withTables,
} from '@isolab/explain';
import { asPart } from '@isolab/formats';
import { type History, countOperations } from '@isolab/history';
import type { Report } from '@isolab/runner';
import { type AgainOptions, checkPart, engineOf, judgementOf, patienceAfter } from './again.ts';
import { type LevelWord, levelNamed } from './check.ts';
import { simplestOf } from './simplest.ts';
import { type Subject, historyOf } from './open.ts';
import type { CheckResult } from './result.ts';

export interface ShrinkOptions extends AgainOptions, Pick<Shrinking, 'maxChecks' | 'onProgress'> {
  /** The level whose violation is meant; unless given, that of the deciding run. */
  readonly level?: LevelWord;
}

export interface Shrunk {
  /**
   * The remaining history, which violates the level by itself, with its rows, scans and aggregates. Where only a part
   * of a scan is left, and where the remaining history is large, scans are spelled as reads of single rows.
   */
  readonly history: History;
  /** The history with ranges and scans spelled as reads of single keys and rows, without aggregates of several rows. */
  readonly reads: History;
  /** Anomaly in the remaining history, by the numbers of `reads`. */
  readonly anomaly: FoundAnomaly | null;
  /** Number in the whole history of each transaction and operation of `reads`. */
  readonly txnOf: Int32Array;
  readonly opOf: Int32Array;
  /** Number of times that the checker was asked. */
  readonly checks: number;
  /** Whether the violation was seen to go away without any single transaction or operation of it. */
  readonly isMinimal: boolean;
  /** Reason why it is perhaps not the smallest part; null if it is minimal. */
  readonly stopped: string | null;
}

/** The smallest part of a history that still violates the level, found with the checker that found the violation. */
export async function shrink(subject: Subject, result: CheckResult, options: ShrinkOptions = {}): Promise<Shrunk> {
  const run = runToTell(result, options.level);
  if (run?.verdict.status !== 'violated')
    throw new RangeError(`The verdict is ${run?.verdict.status ?? 'unknown'}; only a violation can be shrunk.`);
  const { anomalies } = run.verdict;
  const { maxChecks, onProgress, signal } = options;
  const engine = await engineOf(run, result, options);
  const patience = patienceAfter(run, engine, options);
  const violates = async (part: History): Promise<Judgement> =>
    judgementOf(await checkPart(engine, run.level, part, patience));
  const whole = asPart(historyOf(subject));
  const found = await shrinkHistory(whole, violates, {
    // A lowered history has other numbers than one of exchanges, which is shrunk as it is.
    ...((!run.lowered || isShrunkLowered(whole)) && { anomaly: simplestOf(anomalies) }),
    ...(maxChecks !== undefined && { maxChecks }),
    ...(onProgress && { onProgress }),
    signal: patience,
  });
  const why = (): string =>
    signal?.aborted
      ? 'it was interrupted'
      : (patience.why() ??
        (found.checks >= (maxChecks ?? Infinity)
          ? `it took ${found.checks} checks`
          : found.withScans
            ? 'an aggregate may have been of any version of its rows'
            : 'some parts could not be decided'));
  const stopped = found.isMinimal ? null : why();
  const { history: reads, anomaly, txnOf, opOf, checks, isMinimal, withScans } = found;
  const history = withScans ?? (await asTables(reads, { history: whole, opOf }, violates)) ?? reads;
  return { history, reads, anomaly, txnOf, opOf, checks, isMinimal, stopped };
}

/** A part with its rows and scans, which contains the part and so violates the level, too. */
async function asTables(
  part: History,
  source: { readonly history: History; readonly opOf: Int32Array },
  violates: (part: History) => Promise<Judgement>,
): Promise<History | null> {
  if (source.history.scans.tables.length === 0 || countOperations(part) > MOST_IN_TABLES) return null;
  const tables = withTables(part, source);
  const judgement = tables && (await violates(tables));
  return judgement && judgement !== 'unknown' ? tables : null;
}

/** For a part that was hardly shrunk, computing the results of its scans takes long. */
const MOST_IN_TABLES = 5000;

/** The run to explain: the run that settles a level, or the deciding run. */
export function runToTell({ levels, runs, deciding }: CheckResult, word: LevelWord | undefined): Report | null {
  if (word === undefined) return deciding;
  const name = levelNamed(word);
  return levels[name]?.run ?? runs.find(({ level }) => level === name) ?? null;
}
