import {
  type Budget,
  type ByLevel,
  type Checker,
  KNOWN_LEVELS,
  LEVELS,
  type LevelAlias,
  type LevelName,
  type VerdictStatus,
  decidedAs,
  findLevel,
  implies,
  inRegistryOrder,
  levelsIn,
  onlyStated,
  userDefinition,
  whyNotStated,
} from '@isolab/contract';
import { FormatError } from '@isolab/formats';
import { STATED } from '@isolab/levels';
import {
  type CheckerRef,
  type ChosenChecker,
  type LevelsReport,
  type OptionValues,
  type RunPlace,
  type Progress,
  type Report,
  type RunOptions,
  type StageTime,
  checkLevels,
  chooseEngines,
  partial,
  refuseUnmodelled,
  totalMs,
} from '@isolab/runner';
import { candidatesFor, givenChecker, loadChecker } from './checkers.ts';
import { type Namer, namerOf } from './names.ts';
import { type Opened, type Subject, asOpened, shardOf } from './open.ts';
import { type AskedFor, type CheckResult, type Unmeasured, resultOf } from './result.ts';
import { withSimpler } from './simplest.ts';

/** Name or alias of a level, as listed in docs/levels.md. */
export type LevelWord = LevelName | LevelAlias | 'all' | 'stated';

/** Choice of the checker, with its options and limits. */
export interface EngineOptions {
  /**
   * Name of a built-in checker, a path that begins with `.` or `/`, a package, or a checker object. If absent, the
   * first of `CHECKERS` that accepts the history decides each level.
   */
  readonly checker?: string | CheckerRef | Checker;
  /** Named variant of the checker. Explicit options override its options. */
  readonly variant?: string;
  readonly options?: OptionValues;
}

export interface LimitOptions {
  /** Time limit of a run, after which the verdict is unknown. */
  readonly timeMs?: number;
  readonly memoryBytes?: number;
  /** Step limit of a run. Steps do not depend on the machine. */
  readonly steps?: number;
  /** Signal that ends the run with the verdict unknown. */
  readonly signal?: AbortSignal;
  /**
   * Place in which the checker runs. By default a separate process if memory is limited, a worker if there is a time
   * limit or a signal, and otherwise this thread. A checker object can only run in this thread, where limits apply only
   * when it calls `tick`.
   */
  readonly place?: RunPlace;
  /** Whether a level counts as satisfied if nothing in the history could have violated it; otherwise it is unknown. */
  readonly allowVacuous?: boolean;
  /** Whether a level counts as satisfied by an incomplete history; otherwise it is unknown. */
  readonly allowCutOff?: boolean;
}

export interface CheckOptions extends EngineOptions, LimitOptions {
  /** One level, several levels, or `all`. */
  readonly level: LevelWord | readonly LevelWord[];
  /** Whether the verdict includes a certificate; true if absent. */
  readonly certify?: boolean;
  /** Whether checkers report every anomaly that they find instead of only the first; `findAll` finds the rest. */
  readonly findAll?: boolean;
  /** Reason why the history is incomplete; it can then violate a level, but not satisfy it. */
  readonly whyPartial?: string | null;
  /** Called with the stage of a run, the level that is checked, and the checker. */
  readonly onProgress?: (progress: Progress & { readonly level: LevelName; readonly checker: string }) => void;
}

/**
 * Checks whether a history satisfies one or more levels, in as few runs as possible. A failed checker leads to an
 * unknown verdict. Throws only for invalid arguments and for histories with operations that isolab does not model.
 */
export async function check(subject: Subject, options: CheckOptions): Promise<CheckResult> {
  const input = asOpened(subject);
  const { clock } = input.prepared;
  const [begin, beforeMs] = [performance.now(), totalMs(clock.stages)];
  const result = await checked(input, options);
  const runs = result.runs.flatMap(({ stages }) => stages);
  const spentMs = totalMs(clock.stages) - beforeMs + totalMs(runs);
  const conclude = { name: 'conclude', ms: performance.now() - begin - spentMs };
  return { ...result, stages: merged([...clock.stages, ...runs, conclude]) };
}

/** Adds up the times of stages with the same name. */
function merged(stages: readonly StageTime[]): StageTime[] {
  const byName = new Map<string, number>();
  for (const { name, ms } of stages) byName.set(name, (byName.get(name) ?? 0) + ms);
  return Array.from(byName, ([name, ms]) => ({ name, ms }));
}

async function checked(input: Opened, { level, whyPartial = null, ...given }: CheckOptions): Promise<Unmeasured> {
  refuseUnmodelled(input.prepared.history, input.name);
  // Other shards may have the reads that a verdict rests on.
  const options = shardOf(input) === null ? given : { ...given, allowVacuous: true };
  const askedFor = levelsAsked(level);
  const { levels: asked } = askedFor;
  const decidedHere = decidedIn(input, asked);
  const decided = [...new Set(asked.map(decidedHere))];
  const named = await engineAsked(options);
  const { clock } = input.prepared;
  clock.enter('load');
  const engineFor = await enginesFor(named, input, decided).finally(() => clock.enter(null));
  // A level that no checker supports may still be violated because a weaker level is.
  const weaker = LEVELS.map(({ name }) => name).filter((name) =>
    decided.some((each) => engineFor(each).checker.isFallback && implies(each, name)),
  );
  const levels = inRegistryOrder([...new Set([...decided, ...weaker])]);
  let current = levels[0]!;
  const { onProgress } = options;
  const lastAsked = (each: LevelName): ChosenChecker => engineFor((current = each));
  const found = await checkLevels(lastAsked, input.prepared, {
    ...runOptions(options, levels.map(engineFor)),
    levels,
    ...(onProgress && {
      onProgress: (progress: Progress) =>
        onProgress({ ...progress, level: current, checker: engineFor(current).checker.checker.info.name }),
    }),
  });
  const own = underOwnNames(found, asked, decidedHere);
  const whole = whyPartial === null ? own : withoutPasses(own, whyPartial);
  const isViolated = whole.reports.some(({ verdict }) => verdict.status === 'violated');
  const nameOf = isViolated ? await namerOf(input.prepared.history) : KEEP_NAME;
  const result = (reports: readonly Report[]): Unmeasured =>
    resultOf(input, askedFor, { ...whole, reports }, named?.options ?? {}, nameOf);
  const first = result(whole.reports);
  const told = askedFor.named.length > 0 || options.findAll || options.certify === false ? null : first.deciding;
  const simpler =
    told &&
    (await withSimpler(told, engineFor(told.level), input.prepared, runOptions(options, [engineFor(told.level)])));
  return simpler ? result(whole.reports.map((report) => (report === told ? simpler : report))) : first;
}

const KEEP_NAME: Namer = (_, anomaly) => anomaly;

/** Returns the checker for each level: the chosen checker, or the first that accepts the history. */
async function enginesFor(
  named: ChosenChecker | null,
  { prepared }: Opened,
  levels: readonly LevelName[],
): Promise<(level: LevelName) => ChosenChecker> {
  return named ? () => named : chooseEngines(candidatesFor(prepared, levels), prepared, levels);
}

export async function engineAsked({
  checker,
  variant,
  options,
  timeMs,
}: EngineOptions & LimitOptions): Promise<ChosenChecker | null> {
  if (checker === undefined) {
    if (variant === undefined && options === undefined) return null;
    throw new TypeError('variant and options belong to a checker; name it in the option checker.');
  }
  const limits = timeMs === undefined ? {} : { timeMs };
  const ref =
    typeof checker === 'string'
      ? await loadChecker(checker, limits)
      : 'url' in checker
        ? checker
        : givenChecker(checker);
  return { checker: ref, ...(variant !== undefined && { variant }), ...(options && { options }) };
}

export function runOptions(
  options: LimitOptions & Pick<CheckOptions, 'certify' | 'findAll'>,
  engines: readonly ChosenChecker[],
): RunOptions {
  const { timeMs, memoryBytes, signal, place } = options;
  const needed = memoryBytes !== undefined ? 'process' : timeMs !== undefined || signal ? 'worker' : 'thread';
  const canLoad = (): boolean => engines.every(({ checker }) => checker.isFallback || checker.url !== null);
  return {
    place: place ?? (needed === 'thread' || canLoad() ? needed : 'thread'),
    ...(place && { pluginPlace: place }),
    budget: budgetOf(options),
    certify: options.certify ?? true,
    findAll: options.findAll ?? false,
    allowVacuous: options.allowVacuous ?? false,
    allowCutOff: options.allowCutOff ?? false,
    ...(signal && { signal }),
  };
}

export const budgetOf = ({ timeMs, memoryBytes, steps }: LimitOptions): Budget => ({
  ...(timeMs !== undefined && { timeMs }),
  ...(memoryBytes !== undefined && { memoryBytes }),
  ...(steps !== undefined && { steps }),
});

/** Returns the requested levels without repetition, and which of them were named explicitly; `all` names none. */
function levelsAsked(level: LevelWord | readonly LevelWord[]): AskedFor {
  const words = typeof level === 'string' ? [level] : level;
  if (words.length === 0) throw new RangeError('level is an empty list, expected at least one level.');
  const named = [...new Set(words.filter((word) => word !== 'all').map(levelNamed))];
  const all = LEVELS.map(({ name }) => name);
  return { levels: words.includes('all') ? inRegistryOrder([...new Set([...all, ...named])]) : named, named };
}

/** Returns the level with this name or alias. Throws if there is none. */
export function levelNamed(word: string): LevelName {
  const found = findLevel(word);
  if (found) return found.level.name;
  const definition = userDefinition(word);
  if (definition) return definition.name;
  throw new RangeError(`There is no level ${word}; the levels are ${KNOWN_LEVELS.map(({ name }) => name).join(', ')}.`);
}

/**
 * Returns the level that is decided instead of each level. Transactions that state a single level are judged at that
 * level. Throws a FormatError if their stated levels are asked for and one of them states none.
 */
function decidedIn({ prepared: { history }, name }: Opened, asked: readonly LevelName[]) {
  const isHistory = 'txnStatus' in history;
  const why = !asked.includes(STATED) ? null : isHistory ? whyNotStated(history) : 'a polygraph states no levels';
  if (why !== null) throw new FormatError(name, null, why);
  const only = isHistory ? onlyStated(history) : null;
  return (level: LevelName): LevelName => (level === STATED && only !== null ? only : decidedAs(level));
}

/** Returns the report with findings for the requested levels instead of the levels that were decided. */
function underOwnNames(
  found: LevelsReport,
  asked: readonly LevelName[],
  decidedHere: (level: LevelName) => LevelName,
): LevelsReport {
  const { levels, impliedBy, whyUnknown } = found;
  const others = asked.filter((level) => decidedHere(level) !== level);
  const renamed = <T>(byLevel: ByLevel<T>) =>
    Object.fromEntries(
      others.flatMap((level) =>
        byLevel[decidedHere(level)] === undefined ? [] : [[level, byLevel[decidedHere(level)]!]],
      ),
    );
  const deciders = Object.fromEntries(others.map((level) => [level, decidedHere(level)]));
  return {
    ...found,
    levels: { ...levels, ...renamed(levels) },
    impliedBy: { ...impliedBy, ...deciders, ...renamed(impliedBy) },
    whyUnknown: { ...whyUnknown, ...renamed(whyUnknown) },
  };
}

/** Returns the report with satisfied levels changed to unknown, because the missing part may contain a violation. */
function withoutPasses(found: LevelsReport, why: string): LevelsReport {
  const { levels, reports, whyUnknown } = found;
  const satisfied = levelsIn(levels).filter((level) => levels[level] === 'satisfied');
  const verdictAt = (level: LevelName): Extract<Report['verdict'], { status: 'unknown' }> => ({
    status: 'unknown',
    ...partial(level, why),
  });
  const unknown: VerdictStatus = 'unknown';
  return {
    ...found,
    levels: { ...levels, ...Object.fromEntries(satisfied.map((level) => [level, unknown])) },
    whyUnknown: { ...whyUnknown, ...Object.fromEntries(satisfied.map((level) => [level, verdictAt(level)])) },
    reports: reports.map((report) =>
      report.verdict.status === 'satisfied' ? { ...report, verdict: verdictAt(report.level) } : report,
    ),
  };
}
