import {
  type CertificateFile,
  type Checker,
  type FoundAnomaly,
  LEVELS,
  type LevelName,
  UNCERTIFIED,
  type VerdictStatus,
  certificateFile,
  certificateOf,
  findLevel,
  implies,
} from '@isolab/contract';
import { checkerNamed, engineChooser } from '@isolab/cli';
import type { History } from '@isolab/history';
import {
  type CheckerRef,
  type Engine,
  type Evidence,
  type LevelsReport,
  type OptionValues,
  type Place,
  type Prepared,
  type Progress,
  type Report,
  type RunOptions,
  asChecker,
  checkLevels as checkLevelsOf,
  internalOnly,
  prepare,
  run,
} from '@isolab/runner';

/** A level's name, or one of those that it is also called by; `LEVELS` lists them. */
export type LevelWord = LevelName | (string & {});

export interface CheckOptions {
  /**
   * Who decides: the name of a checker that comes with isolab, a path that begins with `.` or `/`, a package, or a checker
   * itself. Unless told, for each level the first one that takes the history, as `isolab check` has it.
   */
  readonly checker?: string | Checker;
  /** A named variant of that checker, and options on top of it. */
  readonly variant?: string;
  readonly options?: OptionValues;
  /** The verdict is unknown once a run has taken more than this. */
  readonly timeMs?: number;
  readonly memoryBytes?: number;
  /** Steps do not depend on the machine. */
  readonly steps?: number;
  /** Ends the run with the verdict unknown. */
  readonly signal?: AbortSignal;
  /**
   * Where the checker runs. Unless told: in a process of its own if memory is limited, in a worker if there is a limit in
   * time or a signal, otherwise in this thread. A checker that is given as an object can only run in this thread, where
   * limits hold as soon as it calls `tick`.
   */
  readonly place?: Place;
  /** Whether the verdict shall carry a certificate; so it does unless this is false. */
  readonly certify?: boolean;
  /** Whether to report every anomaly, not just the first. */
  readonly findAll?: boolean;
  /** Whether a level is satisfied although nothing in the history could have violated it; otherwise it is unknown. */
  readonly allowVacuous?: boolean;
  /** Whether a level is satisfied although the collection of the history was cut off; otherwise it is unknown. */
  readonly allowCutOff?: boolean;
  readonly onProgress?: (progress: Progress) => void;
}

/** One verdict. Plain data; `shrink` and `explain` take it. */
export interface CheckResult {
  readonly status: VerdictStatus;
  readonly level: LevelName;
  /** The name of the checker that decided. */
  readonly checker: string;
  /** What was found, none unless the level is violated; the first one is what the certificate proves. */
  readonly anomalies: readonly FoundAnomaly[];
  /** The evidence, for `verify` or as JSON for `isolab verify`; null where there is none. */
  readonly certificate: CertificateFile | null;
  /** Why there is none although it was asked for, as the end of a sentence; otherwise null. */
  readonly uncertified: string | null;
  /** What a satisfied verdict rests on, or what was too little for one; otherwise null. `restsOn` puts it in words. */
  readonly evidence: Evidence | null;
  /** Why the verdict is unknown; otherwise null. */
  readonly reason: string | null;
  /** The run, with times, counters and options. It may have been at another level that settles this one. */
  readonly report: Report;
}

export interface LevelsResult extends Omit<LevelsReport, 'reports'> {
  /** A result for each run that was needed. */
  readonly results: readonly CheckResult[];
}

/** What a result was made of: to run the same checker again, on parts of the history. */
export interface Origin {
  readonly prepared: Prepared;
  readonly engine: Engine;
}

const origins = new WeakMap<CheckResult, Origin>();
const preparedHistories = new WeakMap<History, Prepared>();

/** Whether a history satisfies a level. Whatever happens to a checker, there is a result; only a wrong call throws. */
export async function check(history: History, level: LevelWord, options: CheckOptions = {}): Promise<CheckResult> {
  const name = levelNamed(level);
  const found = await runs(history, [name], options);
  const by = found.impliedBy[name] ?? name;
  const result = found.results.find((each) => each.level === by) ?? found.results[0]!;
  if (result.level === name) return result;
  const why = found.whyUnknown[name];
  const settled = {
    ...result,
    level: name,
    status: found.levels[name] ?? 'unknown',
    reason: why === undefined ? result.reason : (why.detail ?? why.reason),
  };
  return withOrigin(settled, originOf(result));
}

/** Which levels a history satisfies, all of them unless told, with as few runs as it takes. Limits are those of one run. */
export async function checkLevels(
  history: History,
  { levels, ...options }: CheckOptions & { readonly levels?: readonly LevelWord[] } = {},
): Promise<LevelsResult> {
  const asked = levels === undefined ? LEVELS.map(({ name }) => name) : levels.map(levelNamed);
  return runs(history, asked, options);
}

export function originOf(result: CheckResult): Origin {
  const origin = origins.get(result);
  if (origin) return origin;
  throw new TypeError('This is no result of check or checkLevels; a copy of one does not know its history any more.');
}

async function runs(history: History, asked: readonly LevelName[], options: CheckOptions): Promise<LevelsResult> {
  refuseUnmodelled(history);
  const prepared = preparedOf(history);
  const engineFor = await engineChooser(await engineAsked(options), prepared, asked);
  // A level that nothing checks may still be violated because a weaker one is.
  const needed = LEVELS.map(({ name }) => name).filter((name) =>
    asked.some((level) => level === name || (engineFor(level).checker === internalOnly && implies(level, name))),
  );
  const limits = runOptions(options, needed.map(engineFor));
  const { reports: made, ...found } = await checkLevelsOf(engineFor, prepared, { ...limits, levels: needed });
  // A signal that was there from the beginning is told of like one that comes later.
  const [level] = asked;
  const isMissing = made.length === 0 && level !== undefined;
  const reports = isMissing ? [await run({ ...engineFor(level), prepared, level }, limits)] : made;
  const results = reports.map((report) =>
    withOrigin(resultOf(history, report), { prepared, engine: engineFor(report.level) }),
  );
  return { ...found, results };
}

function resultOf(history: History, report: Report): CheckResult {
  const { level, checker, verdict } = report;
  const anomalies = verdict.status === 'violated' ? verdict.anomalies : [];
  const certificate = certificateOf(verdict);
  const why = verdict.status === 'unknown' ? undefined : verdict.uncertified;
  return {
    status: verdict.status,
    level,
    checker,
    anomalies,
    certificate:
      certificate === undefined || verdict.status === 'unknown'
        ? null
        : certificateFile(history, { level, checker, verdict: verdict.status, certificate }),
    uncertified: why === undefined ? null : UNCERTIFIED[why],
    evidence: report.evidence,
    reason: verdict.status === 'unknown' ? (verdict.detail ?? verdict.reason) : null,
    report,
  };
}

function withOrigin(result: CheckResult, origin: Origin): CheckResult {
  origins.set(result, origin);
  return result;
}

/** Found out once for each history, however often it is checked. */
function preparedOf(history: History): Prepared {
  let prepared = preparedHistories.get(history);
  if (!prepared) preparedHistories.set(history, (prepared = prepare(history)));
  return prepared;
}

async function engineAsked({ checker, variant, options }: CheckOptions): Promise<Engine | null> {
  if (checker === undefined) {
    if (variant === undefined && options === undefined) return null;
    throw new TypeError('variant and options are those of a checker; name it as checker.');
  }
  const ref: CheckerRef =
    typeof checker === 'string'
      ? await checkerNamed(checker)
      : { checker: asChecker(checker, 'the option checker'), url: null, isPlugin: true };
  return { checker: ref, ...(variant !== undefined && { variant }), ...(options && { options }) };
}

function runOptions(
  { timeMs, memoryBytes, steps, signal, place, certify, findAll, allowVacuous, allowCutOff, onProgress }: CheckOptions,
  engines: readonly Engine[],
): RunOptions {
  const canLoad = engines.every(({ checker }) => checker.url !== null);
  const needed = memoryBytes !== undefined ? 'process' : timeMs !== undefined || signal ? 'worker' : 'thread';
  return {
    place: place ?? (canLoad ? needed : 'thread'),
    ...(place && { pluginPlace: place }),
    budget: {
      ...(timeMs !== undefined && { timeMs }),
      ...(memoryBytes !== undefined && { memoryBytes }),
      ...(steps !== undefined && { steps }),
    },
    certify: certify ?? true,
    findAll: findAll ?? false,
    allowVacuous: allowVacuous ?? false,
    allowCutOff: allowCutOff ?? false,
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  };
}

function levelNamed(word: LevelWord): LevelName {
  const found = findLevel(word);
  if (found) return found.level.name;
  throw new RangeError(`There is no level ${word}; the levels are ${LEVELS.map(({ name }) => name).join(', ')}.`);
}

function refuseUnmodelled(history: History): void {
  const unmodelled = history.source.notes['unmodelledOperations'] ?? 0;
  if (unmodelled > 0)
    throw new RangeError(`The history holds ${unmodelled} operations of a kind that isolab does not model.`);
}
