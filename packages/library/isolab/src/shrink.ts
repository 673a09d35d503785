import type { FoundAnomaly } from '@isolab/contract';
import {
  type Judgement,
  type ShrinkLimits as Shrinking,
  isShrunkLowered,
  shrink as shrinkHistory,
  withTables,
} from '@isolab/explain';
import { asPart } from '@isolab/formats';
import { type History, type IdColumn, type TransactionId, countOperations } from '@isolab/history';
import type { Report } from '@isolab/runner';
import { type AgainOptions, checkPart, engineOf, judgementOf, patienceAfter } from './again.ts';
import { type LevelWord, levelNamed } from './check.ts';
import { simplestOf } from './simplest.ts';
import { type Subject, historyOf } from './open.ts';
import type { CheckResult } from './result.ts';

export interface ShrinkOptions extends AgainOptions, Pick<Shrinking, 'maxChecks' | 'onProgress'> {
  /** Level whose violation is shrunk; the level of the deciding run if absent. */
  readonly level?: LevelWord;
}

export interface Shrunk {
  /**
   * Remaining history with its rows, scans and aggregates, which violates the level by itself. Incomplete scans, and
   * the scans of a large history, become reads of single rows.
   */
  readonly history: History;
  /** Remaining history with ranges and scans as reads of single keys and rows, without aggregates of several rows. */
  readonly reads: History;
  /** Anomaly in the remaining history, with the numbers of `reads`. */
  readonly anomaly: FoundAnomaly | null;
  /** For each transaction and operation of `reads`, its number in the whole history. */
  readonly txnOf: IdColumn<TransactionId>;
  readonly opOf: Int32Array;
  /** Number of checker runs. */
  readonly checks: number;
  /**
   * Whether the checker confirmed that the violation disappears when any single transaction or operation is removed.
   */
  readonly isMinimal: boolean;
  /** Reason why a smaller part may exist; null if the part is minimal. */
  readonly stopped: string | null;
}

/** Finds a smallest part of a history that still violates the level, with the checker that found the violation. */
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
    // A lowered history has other numbers than a history of exchanges, which is shrunk directly.
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
          ? `it reached the limit of ${found.checks} checks`
          : found.withScans
            ? 'an aggregate may cover any version of its rows'
            : 'some parts could not be decided'));
  const stopped = found.isMinimal ? null : why();
  const { history: reads, anomaly, txnOf, opOf, checks, isMinimal, withScans } = found;
  const history = withScans ?? (await asTables(reads, { history: whole, opOf }, violates)) ?? reads;
  return { history, reads, anomaly, txnOf, opOf, checks, isMinimal, stopped };
}

/** Returns a history with rows and scans that contains the part and therefore violates the level, too. */
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

/** Returns the run to explain: the run that decides a level, or the deciding run. */
export function runToTell({ levels, runs, deciding }: CheckResult, word: LevelWord | undefined): Report | null {
  if (word === undefined) return deciding;
  const name = levelNamed(word);
  return levels[name]?.run ?? runs.find(({ level }) => level === name) ?? null;
}
