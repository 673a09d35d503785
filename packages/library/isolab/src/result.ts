import {
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
  type HistorySize,
  type LevelsReport,
  type OptionValues,
  type Proof,
  type Report,
  type StageTime,
  type Unknown,
  restsOn,
  unknownOf,
} from '@isolab/runner';
import type { Namer } from './names.ts';
import type { Opened } from './open.ts';
import { type Answer, answerOf } from './answer.ts';
import { simplestFirst } from './simplest.ts';

type ByLevel<T> = Readonly<Partial<Record<LevelName, T>>>;

/**
 * Output of `isolab check --output json`: plain data, which survives JSON and a structured clone. Together with the
 * history, it is all that `shrink`, `story` and `findAll` need. The fields of one run (checker to peakRssBytes) are
 * those of the deciding run. Among several runs, the deciding one has the simplest violation that no weaker level
 * explains, at a level that was asked for by name if one of those is violated.
 */
export interface CheckResult {
  /** Where the history came from. */
  readonly path: string;
  /** Over all levels: violated if one is, otherwise unknown if one is. */
  readonly verdict: VerdictStatus;
  /** The level, several separated by commas, `all` among them where all were asked for. */
  readonly level: string;
  /** The levels that were asked for. */
  readonly levels: ByLevel<VerdictStatus>;
  /** The levels that were asked for by name. The others are information that `all` asks for, and no demand. */
  readonly named: readonly LevelName[];
  /** The levels that are kept, violated and undecided, in words; null if only one level was checked. */
  readonly answer: Answer | null;
  /** The level whose run settles another one. */
  readonly impliedBy: ByLevel<LevelName>;
  /** The levels that hold and that no other level that holds implies. */
  readonly strongest: readonly LevelName[];
  /** The levels that fail and that imply no other level that fails. */
  readonly weakestViolated: readonly LevelName[];
  readonly checker: string | null;
  readonly variant: string | null;
  /** The options that were given on top of the variant. */
  readonly options: OptionValues;
  readonly proof: Proof | null;
  /** The levels whose verdict is the word of a plug-in, without a certificate that could be verified. */
  readonly unverified: readonly LevelName[];
  readonly history: HistorySize | null;
  readonly stages: readonly StageTime[];
  readonly counters: Readonly<Record<string, number>>;
  readonly wallMs: number;
  readonly peakRssBytes: number | null;
  /** A remark on a history whose collection was not ended; otherwise null. */
  readonly cutOff: string | null;
  /** Evidence that satisfied verdicts rest on, or that was too little for one; the same in a line. */
  readonly evidence: Evidence | null;
  readonly restsOn: string | null;
  /** The anomalies found, at most LISTED of them. */
  readonly anomalies: readonly Anomaly[];
  /** After findAll: each kind once. */
  readonly kinds?: readonly Kind[];
  /** After findAll: whether the rest of the history is known to satisfy the levels. */
  readonly complete?: boolean;
  /** After findAll: what the list is worth, by level. */
  readonly notes?: ByLevel<string>;
  /** Reasons why violations have no certificate although one was asked for. */
  readonly uncertified: readonly string[];
  /** Remarks of checkers beside their verdicts. */
  readonly warnings: readonly Warning[];
  /** Reason why the first unknown level is unknown; null unless the verdict is. */
  readonly reason: string | null;
  /** Reason why each unknown level is unknown. */
  readonly unknown: ByLevel<Unknown>;
  /** The runs, in their order. */
  readonly runs: readonly Report[];
}

/** An anomaly with the names of its transactions and sessions. */
export interface Anomaly {
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
  /** The smallest example, or its place among the anomalies of the level's run where its evidence stands there. */
  readonly smallest: FoundAnomaly | number;
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
  const { reports: runs, impliedBy, evidence } = found;
  const levels = Object.fromEntries(asked.map((level) => [level, found.levels[level] ?? 'unknown']));
  const at = (status: VerdictStatus): LevelName[] => asked.filter((level) => levels[level] === status);
  const [satisfied, violated, unknown] = [at('satisfied'), at('violated'), at('unknown')];
  const strongest = satisfied.filter((level) => !satisfied.some((other) => other !== level && implies(other, level)));
  const weakestViolated = weakestOf(violated);
  const settled = { levels, named, impliedBy, strongest, weakestViolated, runs };
  const run = decidingRun(settled);
  const verdict = violated.length > 0 ? 'violated' : unknown.length > 0 ? 'unknown' : 'satisfied';
  const why: ByLevel<Unknown> = Object.fromEntries(
    unknown.flatMap((level) => (found.whyUnknown[level] ? [[level, unknownOf(found.whyUnknown[level])]] : [])),
  );
  return {
    verdict,
    path: input.name,
    level: [...named, ...(named.length < asked.length ? ['all'] : [])].join(','),
    levels,
    named,
    answer:
      asked.length > 1
        ? answerOf({
            strongest,
            weakestViolated,
            supposing: (level) => runAt(settled, level)?.supposing ?? null,
            unknown: why,
          })
        : null,
    impliedBy,
    strongest,
    weakestViolated,
    ...saidOf(run, input.ms),
    options,
    unverified: asked.filter((level) => isUnverified(settled, level)),
    wallMs: round(input.ms + runs.reduce((sum, { wallMs }) => sum + wallMs, 0)),
    cutOff: cutOffNote(history),
    evidence,
    restsOn: evidence && restsOn(evidence),
    anomalies: anomaliesOf(
      history,
      toldRuns(settled).map((told) => ({ level: told.level, anomalies: anomaliesIn(told.verdict) })),
      nameOf,
    ),
    uncertified: runs.flatMap(whyUncertified),
    warnings: warningsOf(runs),
    reason: verdict === 'unknown' ? (why[unknown[0]!]?.detail ?? null) : null,
    unknown: why,
    runs,
  };
}

/** Returns the fields of the deciding run; `parseMs` is the time to parse the history, in milliseconds. */
const saidOf = (run: Report | null, parseMs: number) => ({
  checker: run?.checker ?? null,
  variant: run?.variant ?? null,
  proof: run?.proof ?? null,
  history: run?.history ?? null,
  stages: [
    ...(parseMs > 0 ? [{ name: 'parse', ms: round(parseMs) }] : []),
    ...(run?.stages.map(({ name, ms }) => ({ name, ms: round(ms) })) ?? []),
  ],
  counters: run?.counters ?? {},
  peakRssBytes: run?.peakRssBytes ?? null,
});

type Settled = Pick<CheckResult, 'levels' | 'named' | 'impliedBy' | 'strongest' | 'weakestViolated' | 'runs'>;

/** The levels that imply no other one of them. */
const weakestOf = (levels: readonly LevelName[]): LevelName[] =>
  levels.filter((level) => !levels.some((other) => other !== level && implies(level, other)));

/** The levels that were asked for. */
export const askedLevels = ({ levels }: Pick<CheckResult, 'levels'>): LevelName[] => Object.keys(levels) as LevelName[];

/** The run that decided a level: of this level, or of one that implies its verdict. */
export const runAt = ({ impliedBy, runs }: Pick<CheckResult, 'impliedBy' | 'runs'>, level: LevelName): Report | null =>
  runs.find((run) => run.level === (impliedBy[level] ?? level)) ?? null;

/** The run that decided the verdict. If several levels were asked for, it is one that is violated, if any. */
export function decidingRun(result: Settled): Report | null {
  const asked = askedLevels(result);
  const { runs, strongest } = result;
  const [told] = violatedRuns(result);
  const settling = told ?? runAt(result, strongest.toSorted(bySettled)[0] ?? asked[0]!);
  return settling ?? runs.find(({ verdict }) => verdict.status === 'violated') ?? runs[0] ?? null;
}

/** The level that implies the most comes first. */
const bySettled = (a: LevelName, b: LevelName): number => numberImplied(b) - numberImplied(a);
const numberImplied = (level: LevelName): number => LEVELS.filter(({ name }) => implies(level, name)).length;

/**
 * The runs whose violation no weaker violated level explains, the simplest one first: of the levels that were asked for by
 * name; where none of those is violated, the simplest of all.
 */
function violatedRuns(result: Settled): Report[] {
  const { levels, named, runs, weakestViolated } = result;
  const demanded = weakestOf(named.filter((level) => levels[level] === 'violated'));
  const runsOf = (some: readonly LevelName[]): Report[] => {
    const settling = new Set(some.map((level) => runAt(result, level)));
    return simplestFirst(runs.filter((run) => settling.has(run) && run.verdict.status === 'violated'));
  };
  return demanded.length > 0 ? runsOf(demanded) : runsOf(weakestViolated).slice(0, 1);
}

/** The runs whose anomalies a result reports. */
export function toldRuns(result: Settled): Report[] {
  const told = violatedRuns(result);
  if (told.length > 0 || askedLevels(result).length > 1) return told;
  const run = decidingRun(result);
  return run === null ? [] : [run];
}

const anomaliesIn = (verdict: Report['verdict']): readonly FoundAnomaly[] =>
  verdict.status === 'violated' ? verdict.anomalies : [];

/** The smallest example of a kind of anomaly that `findAll` found. */
export function exampleOf({ runs }: CheckResult, { level, name, smallest }: Kind): FoundAnomaly {
  if (typeof smallest !== 'number') return { ...smallest, name };
  return { ...anomaliesIn(runs.find((run) => run.level === level)!.verdict)[smallest]!, name };
}

/** Anomalies found at a level, with the numbers that certificates use. */
interface FoundAt {
  readonly level: LevelName;
  readonly anomalies: readonly FoundAnomaly[];
}

/** The anomalies by name, as many as are listed. */
export function anomaliesOf(history: History, found: readonly FoundAt[], nameOf: Namer): Anomaly[] {
  const all = found.flatMap(({ level, anomalies }) => anomalies.map((anomaly) => ({ level, anomaly })));
  return all.slice(0, LISTED).map(({ level, anomaly }) => anomalyOf(history, nameOf(level, anomaly)));
}

export const anomalyOf = (history: History, { name, pattern, transactions }: FoundAnomaly): Anomaly => ({
  name,
  aliases: findAnomaly(name)?.aliases ?? [],
  ...(pattern !== undefined && { pattern }),
  transactions: transactions.map((t) => (t === INITIAL_TXN ? 'the initial transaction' : nameTransaction(history, t))),
  sessions: transactions.map((t) =>
    t === INITIAL_TXN ? null : nameAtom(history.sessionNames, history.txnSession[t]!),
  ),
  numbers: transactions,
});

function isUnverified(result: Settled, level: LevelName): boolean {
  const run = runAt(result, level);
  return run !== null && run.isPlugin && run.proof !== 'verified' && run.verdict.status !== 'unknown';
}

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

const round = (ms: number): number => Math.round(ms * 1000) / 1000;

/** How many anomalies are listed. */
const LISTED = 1000;
