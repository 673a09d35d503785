import {
  type ByLevel,
  type CertificateFile,
  type FoundAnomaly,
  INITIAL_TXN,
  LEVELS,
  type LevelName,
  UNCERTIFIED,
  type VerdictStatus,
  type Warning,
  certificateFile,
  evidenceOf,
  findAnomaly,
  implies,
} from '@isolab/contract';
import { type History, type Shard, type TransactionId, nameAtom, nameTransaction } from '@isolab/history';
import {
  type Evidence,
  type LevelsReport,
  type OptionValues,
  type Report,
  type StageTime,
  type Unknown,
  restsOn,
  unknownOf,
} from '@isolab/runner';
import type { Story } from '@isolab/story';
import type { Namer } from './names.ts';
import { type Opened, shardOf } from './open.ts';
import { type Answer, answerOf } from './answer.ts';
import { simplestFirst } from './simplest.ts';

/**
 * Findings on a history, as plain data. Together with the history, they suffice for `shrink`, `story` and `findAll`.
 */
export interface CheckResult {
  readonly path: string;
  /** Shard of the keys to which the verdicts are limited; null for the whole history. */
  readonly shard: Shard | null;
  /** Verdict on all levels: violated if any level is violated, otherwise unknown if any level is unknown. */
  readonly verdict: VerdictStatus;
  /** Reason why the first unknown level is unknown; null if the verdict is not unknown. */
  readonly reason: string | null;
  /** Requested levels. */
  readonly levels: ByLevel<LevelResult>;
  /** Levels that were requested by name. The other levels, requested through `all`, are for information only. */
  readonly named: readonly LevelName[];
  /** Kept, violated and undecided levels in words; null if only one level was checked. */
  readonly answer: Answer | null;
  /** Levels that hold and are not implied by another level that holds. */
  readonly strongest: readonly LevelName[];
  /** Levels that fail and imply no other level that fails. */
  readonly weakestViolated: readonly LevelName[];
  /** Runs of checkers, in order. */
  readonly runs: readonly Report[];
  /** Run that decided the verdict; for several violations, the run of the first violation reported. */
  readonly deciding: Report | null;
  /**
   * Runs whose violations are reported, simplest violation first: violations of levels requested by name that no
   * violated weaker level explains. If no level requested by name is violated, the simplest violation.
   */
  readonly violations: readonly Report[];
  /** Anomalies of these runs, at most LISTED. */
  readonly anomalies: readonly ReportedAnomaly[];
  /** After findAll: each kind of anomaly once. */
  readonly kinds?: readonly Kind[];
  /** After findAll: whether the rest of the history is known to satisfy the levels. */
  readonly complete?: boolean;
  /** After findAll: completeness of the list, by level. */
  readonly notes?: ByLevel<string>;
  /** Evidence for satisfied verdicts, or insufficient evidence for a verdict, also in one line. */
  readonly evidence: Evidence | null;
  readonly restsOn: string | null;
  /** Reasons why violations have no certificate although a certificate was requested. */
  readonly uncertified: readonly string[];
  readonly warnings: readonly Warning[];
  /** Remark on a history whose collection was not completed; otherwise null. */
  readonly cutOff: string | null;
  /** Options of the checker in addition to its variant. */
  readonly options: OptionValues;
  readonly parseMs: number;
  /** Stages from opening the history to the verdict, of all runs: their times add up to the time that this took. */
  readonly stages: readonly StageTime[];
}

/** A result before its last stage has ended. */
export type Unmeasured = Omit<CheckResult, 'stages'>;

export interface LevelResult {
  readonly verdict: VerdictStatus;
  /** Run that decided the level; null where no checker accepted the history. */
  readonly run: Report | null;
  /** Level of that run, if its verdict on another level implies this verdict. */
  readonly impliedBy: LevelName | null;
  /** Whether the verdict comes from a plug-in without a certificate that could be verified. */
  readonly isUnverified: boolean;
  readonly unknown: Unknown | null;
}

/** An anomaly with the names of its transactions and sessions. */
export interface ReportedAnomaly {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly pattern?: string;
  readonly transactions: readonly string[];
  readonly sessions: readonly (string | null)[];
  /** Numbers of its transactions; −1 for the initial transaction. */
  readonly numbers: readonly number[];
}

export interface Kind {
  readonly level: LevelName;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly count: number;
  readonly example: readonly string[];
  readonly smallest: FoundAnomaly;
  readonly story: Story;
}

/** Requested levels, and those requested by name. */
export interface AskedFor {
  readonly levels: readonly LevelName[];
  readonly named: readonly LevelName[];
}

export function resultOf(
  input: Opened,
  { levels: asked, named }: AskedFor,
  found: LevelsReport,
  options: OptionValues,
  nameOf: Namer,
): Unmeasured {
  const { history } = input.prepared;
  const { reports: runs, evidence } = found;
  const levels = Object.fromEntries(asked.map((level) => [level, levelResult(level, found)]));
  const at = (status: VerdictStatus): LevelName[] => asked.filter((level) => levels[level]!.verdict === status);
  const [satisfied, violated, unknown] = [at('satisfied'), at('violated'), at('unknown')];
  const strongest = satisfied.filter((level) => !satisfied.some((other) => other !== level && implies(other, level)));
  const weakestViolated = weakestOf(violated);
  const simplest = violatedRuns({ levels, named, weakestViolated, runs });
  const settling = simplest[0] ?? levels[strongest.toSorted(bySettled)[0] ?? asked[0]!]!.run;
  const deciding = settling ?? runs.find(isViolated) ?? runs[0] ?? null;
  // If two runs contradict each other, a level is unknown although its run found a violation.
  const isContradicted = simplest.length === 0 && asked.length === 1 && deciding !== null && isViolated(deciding);
  const violations = isContradicted ? [deciding] : simplest;
  const verdict = violated.length > 0 ? 'violated' : unknown.length > 0 ? 'unknown' : 'satisfied';
  return {
    path: input.name,
    shard: shardOf(input),
    verdict,
    reason: verdict === 'unknown' ? (levels[unknown[0]!]!.unknown?.detail ?? null) : null,
    levels,
    named,
    answer:
      asked.length > 1
        ? answerOf({
            strongest,
            weakestViolated,
            supposing: (level) => levels[level]!.run?.supposing ?? null,
            unknown: Object.fromEntries(unknown.map((level) => [level, levels[level]!.unknown!])),
          })
        : null,
    strongest,
    weakestViolated,
    runs,
    deciding,
    violations,
    anomalies: anomaliesOf(
      history,
      violations.map((run) => ({ level: run.level, anomalies: anomaliesIn(run) })),
      nameOf,
    ),
    evidence,
    restsOn: evidence && restsOn(evidence),
    uncertified: runs.flatMap(whyUncertified),
    warnings: warningsOf(runs),
    cutOff: cutOffNote(history),
    options,
    parseMs: input.ms,
  };
}

function levelResult(level: LevelName, { levels, impliedBy, whyUnknown, reports }: LevelsReport): LevelResult {
  const verdict = levels[level] ?? 'unknown';
  const run = reports.find((each) => each.level === (impliedBy[level] ?? level)) ?? null;
  const why = verdict === 'unknown' ? whyUnknown[level] : undefined;
  return {
    verdict,
    run,
    impliedBy: impliedBy[level] ?? null,
    isUnverified: run !== null && run.isPlugin && run.proof !== 'verified' && run.verdict.status !== 'unknown',
    unknown: why === undefined ? null : unknownOf(why),
  };
}

/** Returns the levels that imply none of the other levels. */
const weakestOf = (levels: readonly LevelName[]): LevelName[] =>
  levels.filter((level) => !levels.some((other) => other !== level && implies(level, other)));

/** Sorts the level that implies the most levels first. */
const bySettled = (a: LevelName, b: LevelName): number => numberImplied(b) - numberImplied(a);
const numberImplied = (level: LevelName): number => LEVELS.filter(({ name }) => implies(level, name)).length;

/**
 * Returns the runs whose violation no violated weaker level explains, simplest first, among the levels requested by
 * name. If none of these is violated, returns the run with the simplest violation.
 */
function violatedRuns({
  levels,
  named,
  weakestViolated,
  runs,
}: Pick<CheckResult, 'levels' | 'named' | 'weakestViolated' | 'runs'>): Report[] {
  const demanded = weakestOf(named.filter((level) => levels[level]!.verdict === 'violated'));
  const runsOf = (some: readonly LevelName[]): Report[] => {
    const settling = new Set(some.map((level) => levels[level]!.run));
    return simplestFirst(runs.filter((run) => settling.has(run) && isViolated(run)));
  };
  return demanded.length > 0 ? runsOf(demanded) : runsOf(weakestViolated).slice(0, 1);
}

const isViolated = ({ verdict }: Report): boolean => verdict.status === 'violated';

export const anomaliesIn = ({ verdict }: Report): readonly FoundAnomaly[] =>
  verdict.status === 'violated' ? verdict.anomalies : [];

/** Anomalies found at a level, with the numbers that certificates use. */
interface FoundAt {
  readonly level: LevelName;
  readonly anomalies: readonly FoundAnomaly[];
}

/** Returns the anomalies with names, up to the limit of the list. */
export function anomaliesOf(history: History, found: readonly FoundAt[], nameOf: Namer): ReportedAnomaly[] {
  const all = found.flatMap(({ level, anomalies }) => anomalies.map((anomaly) => ({ level, anomaly })));
  return all.slice(0, LISTED).map(({ level, anomaly }) => anomalyOf(history, nameOf(level, anomaly)));
}

export const anomalyOf = (history: History, { name, pattern, transactions }: FoundAnomaly): ReportedAnomaly => ({
  name,
  aliases: findAnomaly(name)?.aliases ?? [],
  ...(pattern !== undefined && { pattern }),
  transactions: transactions.map((t) =>
    t === INITIAL_TXN ? 'the initial transaction' : nameTransaction(history, t as TransactionId),
  ),
  sessions: transactions.map((t) =>
    t === INITIAL_TXN ? null : nameAtom(history.sessionNames, history.txnSession[t]!),
  ),
  numbers: transactions,
});

/** Returns the evidence for the verdict of a run, as a file; null where there is none. */
export function certificateFileOf(history: History, run: Report | null): CertificateFile | null {
  if (run === null || run.verdict.status === 'unknown') return null;
  const { level, checker, verdict } = run;
  const { certificate, passedOver } = evidenceOf(verdict) ?? {};
  if (certificate === undefined) return null;
  return certificateFile(history, { level, checker, verdict: verdict.status, certificate, passedOver });
}

/** If a plug-in gives no reason, it suffices that the verdict is unverified. */
function whyUncertified({ level, checker, verdict, isPlugin }: Report): string[] {
  if (verdict.status !== 'violated' || verdict.uncertified === undefined) return [];
  if (isPlugin && verdict.uncertified === 'unstated') return [];
  const advice = checker === 'weave' ? '' : ' --checker weave proves its violations, if it supports the history.';
  return [`The violation of ${level} has no certificate: ${UNCERTIFIED[verdict.uncertified]}.${advice}`];
}

/** Collects the remarks of checkers, each once. */
function warningsOf(runs: readonly Report[]): Warning[] {
  const all = runs.flatMap(({ verdict }) => (verdict.status === 'unknown' ? [] : (verdict.warnings ?? [])));
  return [...new Map(all.map((warning) => [warning.text, warning])).values()];
}

/** Returns a note for an incomplete collection or recording: the verdict is right, but only about the recorded part. */
function cutOffNote({ source }: History): string | null {
  const line = source.notes['cutOffAfterLine'];
  return line === undefined ? null : `it was cut off after line ${line}; the verdict covers only the part before.`;
}

const LISTED = 1000;
