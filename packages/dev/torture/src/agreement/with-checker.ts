import {
  type Checker,
  type LevelName,
  type Verdict,
  type VerdictStatus,
  levelOrderBreaks,
  takes,
} from '@isolab/contract';
import { type History, TxnStatus, countFailedCompareAndSets } from '@isolab/history';
import { prepare } from '@isolab/runner';
import { type TestInput, certificateProblem, inputFor, observeForTest, verdictProblem } from '@isolab/testkit';
import type { Random } from '@isolab/workloads';
import type { Report } from '../suite/suite.ts';

export type AnyChecker = Checker<object>;

interface Question {
  readonly checker: AnyChecker;
  readonly history: History;
  /** Verdict of the oracle. */
  readonly holds: (level: LevelName) => boolean;
  readonly random: Random;
  /** Share of levels to check. */
  readonly share: number;
  readonly report: Report;
}

/** Finds a problem with the verdicts of one checker, at randomly drawn levels; null if there is none. */
export async function problemWith({
  checker,
  history,
  holds,
  random,
  share,
  report,
}: Question): Promise<string | null> {
  const { name, levels, variants } = checker.info;
  const prepared = prepare(history);
  const left = Math.max(...LEFT_AT.map((level) => prepared.undecidedAggregates(level)));
  // Input as the host gives it, or with all rows that scans did not match; only the former has aggregates.
  const asGiven = takes(checker.info, 'scans') && (left > 0 || random.chance(0.5));
  const input = asGiven ? prepared.inputFor(checker) : inputFor(checker, history);
  const verdicts: [LevelName, VerdictStatus][] = [];
  for (const level of levels) {
    if (!random.chance(share)) continue;
    const variant = random.chance(0.3) ? random.pick([null, ...soundVariants(variants)]) : null;
    const findAll = random.chance(0.3);
    const how = { variant, findAll, certify: true, maxSteps: MOST_STEPS };
    const { verdict } = await observeForTest(checker, input, level, how);
    // A lowered history lacks failed compare-and-sets, so the host does not accept `satisfied` there, either.
    const isLowered = input.history !== history && level === 'linearizable';
    const leavesOut = isLowered && verdict.status === 'satisfied' && countFailedCompareAndSets(history) > 0;
    if (leavesOut || isLeftOpen(verdict, input, history, prepared.undecidedAggregates(level))) {
      if (verdict.status === 'unknown' && verdict.reason === 'incomplete') report.counted('verdicts unknown', 1);
      continue;
    }
    verdicts.push([level, verdict.status]);
    const truth = holds(level);
    const problem =
      verdictProblem(checker, input, level, verdict, truth) ?? certificateProblem(input, level, verdict, 'satisfied');
    if (problem !== null)
      return `${name}${variant === null ? '' : `, ${variant},`} at ${level}${findAll ? ', all anomalies' : ''}: ${problem}`;
    if (verdict.status !== 'unknown') report.counted(`verdicts ${verdict.status}`, 1);
  }
  // Each level compares other timestamps: those of one level may contradict the reads, while those of another do not.
  const broken = checker.info.requires.includes('timestamps') ? null : orderBreak(verdicts);
  return broken === null ? null : `${name}: ${broken}`;
}

/** Cut isolation leaves aggregates of more transactions open than other levels do. */
const LEFT_AT = ['cut-isolation', 'serializable'] as const;

/**
 * Returns whether a verdict does not count: because the checker does not support the history, or because the checker
 * did not get the aggregates, so the host does not accept `satisfied`. weave's verdict is of this kind if it depends on
 * whether a transaction of unknown outcome committed.
 */
function isLeftOpen(verdict: Verdict, { kind }: TestInput, history: History, left: number): boolean {
  if (verdict.status === 'unknown' && verdict.reason === 'unsupported') return true;
  if (left === 0) return false;
  if (kind !== 'scans') return verdict.status === 'satisfied';
  return (
    verdict.status === 'unknown' && verdict.reason === 'incomplete' && history.txnStatus.includes(TxnStatus.Unknown)
  );
}

/**
 * All variants except those that reproduce the errors of published tools, or that assume more about a key than the
 * level states.
 */
const soundVariants = (variants: object): string[] =>
  Object.keys(variants).filter((name) => !/^as-published|-keys$/.test(name));

export function orderBreak(verdicts: readonly (readonly [LevelName, VerdictStatus])[]): string | null {
  const [first] = levelOrderBreaks(Object.fromEntries(verdicts));
  return first === undefined
    ? null
    : `${first.satisfied} is satisfied, but ${first.violated}, which is weaker, is violated`;
}

const MOST_STEPS = 4_000_000; // polysi spends two million on the smallest violation
