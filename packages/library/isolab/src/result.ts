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
import { type History, nameAtom, nameTransaction } from '@isolab/history';
import {
  type Evidence,
  type LevelsReport,
  type OptionValues,
  type Report,
  type Unknown,
  restsOn,
  unknownOf,
} from '@isolab/runner';
import type { Story } from '@isolab/story';
import type { Namer } from './names.ts';
import type { Opened } from './open.ts';
import { type Answer, answerOf } from './answer.ts';
import { simplestFirst } from './simplest.ts';

/** Findings on a history: plain data. Together with the history, it is enough for `shrink`, `story` and `findAll`. */
export interface CheckResult {
  /** Origin of the history. */
  readonly path: string;
  /** Over all levels: violated if one is, otherwise unknown if one is. */
  readonly verdict: VerdictStatus;
  /** Reason why the first unknown level is unknown; null unless the verdict is. */
  readonly reason: string | null;
  /** The levels that were asked for. */
  readonly levels: ByLevel<LevelResult>;
  /** The levels that were asked for by name. The others are information that `all` asks for, and no demand. */
  readonly named: readonly LevelName[];
  /** The levels that are kept, violated and undecided, in words; null if only one level was checked. */
  readonly answer: Answer | null;
  /** The levels that hold and that no other level that holds implies. */
  readonly strongest: readonly LevelName[];
  /** The levels that fail and that imply no other level that fails. */
  readonly weakestViolated: readonly LevelName[];
  /** The runs of checkers, in their order. */
  readonly runs: readonly Report[];
  /** The run that decided the verdict: of several violations, that of the first one reported. */
  readonly deciding: Report | null;
  /**
   * The runs whose violations are reported, the simplest violation first: those that no weaker level explains, at
   * levels that were asked for by name. Where none of those is violated, the simplest of all.
   */
  readonly violations: readonly Report[];
  /** The anomalies of these runs, at most LISTED of them. */
  readonly anomalies: readonly ReportedAnomaly[];
  /** After findAll: each kind of anomaly once. */
  readonly kinds?: readonly Kind[];
  /** After findAll: whether the rest of the history is known to satisfy the levels. */
  readonly complete?: boolean;
  /** After findAll: how complete the list is, by level. */
  readonly notes?: ByLevel<string>;
  /** Evidence that satisfied verdicts rest on, or that was too little for one; the same in a line. */
  readonly evidence: Evidence | null;
  readonly restsOn: string | null;
  /** Reasons why violations have no certificate although one was asked for. */
  readonly uncertified: readonly string[];
  /** Remarks of checkers beside their verdicts. */
  readonly warnings: readonly Warning[];
  /** A remark on a history whose collection was not ended; otherwise null. */
  readonly cutOff: string | null;
  /** The options of the checker that were given on top of its variant. */
  readonly options: OptionValues;
  /** The time to parse the history. */
  readonly parseMs: number;
}

/** Verdict at one level. */
export interface LevelResult {
  readonly verdict: VerdictStatus;
  /** The run that decided it; null where no checker took the history. */
  readonly run: Report | null;
  /** The level of that run, if it is another one whose verdict implies this one. */
  readonly impliedBy: LevelName | null;
  /** Whether the verdict is the word of a plug-in, without a certificate that could be verified. */
  readonly isUnverified: boolean;
  /** Reason of an unknown verdict. */
  readonly unknown: Unknown | null;
}

/** An anomaly with the names of its transactions and sessions. */
export interface ReportedAnomaly {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly pattern?: string;
  readonly transactions: readonly string[];
  readonly sessions: readonly (string | null)[];
  /** The numbers of its transactions, −1 for the initial one. */
  readonly numbers: readonly number[];
}

export interface Kind {
  readonly level: LevelName;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly count: number;
  /** The transactions of its smallest example. */
  readonly example: readonly string[];
  readonly smallest: FoundAnomaly;
  /** The story of this example. */
  readonly story: Story;
}

/** The levels that were asked for, and those of them asked for by name. */
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
): CheckResult {
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
  // Where two runs contradict each other, one level is unknown although its run found a violation.
  const isContradicted = simplest.length === 0 && asked.length === 1 && deciding !== null && isViolated(deciding);
  const violations = isContradicted ? [deciding] : simplest;
  const verdict = violated.length > 0 ? 'violated' : unknown.length > 0 ? 'unknown' : 'satisfied';
  return {
    path: input.name,
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

/** The levels that imply no other one of them. */
const weakestOf = (levels: readonly LevelName[]): LevelName[] =>
  levels.filter((level) => !levels.some((other) => other !== level && implies(level, other)));

/** The level that implies the most comes first. */
const bySettled = (a: LevelName, b: LevelName): number => numberImplied(b) - numberImplied(a);
const numberImplied = (level: LevelName): number => LEVELS.filter(({ name }) => implies(level, name)).length;

/**
 * The runs whose violation no weaker violated level explains, the simplest one first: of the levels that were asked for
 * by name; where none of those is violated, the simplest of all.
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

/** The anomalies by name, as many as are listed. */
export function anomaliesOf(history: History, found: readonly FoundAt[], nameOf: Namer): ReportedAnomaly[] {
  const all = found.flatMap(({ level, anomalies }) => anomalies.map((anomaly) => ({ level, anomaly })));
  return all.slice(0, LISTED).map(({ level, anomaly }) => anomalyOf(history, nameOf(level, anomaly)));
}

export const anomalyOf = (history: History, { name, pattern, transactions }: FoundAnomaly): ReportedAnomaly => ({
  name,
  aliases: findAnomaly(name)?.aliases ?? [],
  ...(pattern !== undefined && { pattern }),
  transactions: transactions.map((t) => (t === INITIAL_TXN ? 'the initial transaction' : nameTransaction(history, t))),
  sessions: transactions.map((t) =>
    t === INITIAL_TXN ? null : nameAtom(history.sessionNames, history.txnSession[t]!),
  ),
  numbers: transactions,
});

/** The evidence for the verdict of a run, as a file; null where there is none. */
export function certificateFileOf(history: History, run: Report | null): CertificateFile | null {
  if (run === null || run.verdict.status === 'unknown') return null;
  const { level, checker, verdict } = run;
  const { certificate, passedOver } = evidenceOf(verdict) ?? {};
  if (certificate === undefined) return null;
  return certificateFile(history, { level, checker, verdict: verdict.status, certificate, passedOver });
}

/** For a plug-in that gives no reason, the verdict's being unverified is enough. */
function whyUncertified({ level, checker, verdict, isPlugin }: Report): string[] {
  if (verdict.status !== 'violated' || verdict.uncertified === undefined) return [];
  if (isPlugin && verdict.uncertified === 'unstated') return [];
  const advice = checker === 'weave' ? '' : ' --checker weave proves what it finds, where it takes the history.';
  return [`That ${level} is violated has no certificate: ${UNCERTIFIED[verdict.uncertified]}.${advice}`];
}

/** Remarks of checkers beside their verdicts, once each. */
function warningsOf(runs: readonly Report[]): Warning[] {
  const all = runs.flatMap(({ verdict }) => (verdict.status === 'unknown' ? [] : (verdict.warnings ?? [])));
  return [...new Map(all.map((warning) => [warning.text, warning])).values()];
}

/** Note for a collection or recording that was not ended: the verdict is right, but only about the recorded part. */
function cutOffNote({ source }: History): string | null {
  const line = source.notes['cutOffAfterLine'];
  return line === undefined
    ? null
    : `it was cut off after line ${line}; the verdict is about what was recorded until then.`;
}

/** Number of anomalies that are listed. */
const LISTED = 1000;
