import {
  type ByLevel,
  LEVELS,
  type LevelName,
  type UnknownVerdict,
  type VerdictStatus,
  implies,
  inRegistryOrder,
  levelOrderBreaks,
} from '@isolab/contract';
import { countOperations } from '@isolab/history';
import { type Evidence, hasNeededTimes } from './evidence.ts';
import { whyNotSatisfied } from './refusals.ts';
import type { Prepared } from './prepare.ts';
import type { Report } from './report.ts';
import { type ChosenChecker, type RunOptions, judged, runUnjudged } from './run.ts';

export interface LevelsReport {
  readonly levels: ByLevel<VerdictStatus>;
  /** For an unchecked level that another level settles, this other level. */
  readonly impliedBy: ByLevel<LevelName>;
  readonly whyUnknown: ByLevel<UnknownVerdict>;
  /** Evidence for verdicts 'satisfied', or the evidence that was insufficient; null if no level was a candidate. */
  readonly evidence: Evidence | null;
  /** Reports of the runs, in order. */
  readonly reports: readonly Report[];
}

export interface LevelsOptions extends RunOptions {
  /** The levels to check; all levels by default. */
  readonly levels?: readonly LevelName[];
}

/**
 * Finds the levels that a history satisfies in as few runs as possible. Cheap levels are checked first, from weak to
 * strong. Each further run checks the remaining level that settles the most other levels with either verdict. Only
 * verdicts that a checker promises to be sound or complete settle other levels. The budget applies to each run.
 * In a small history the settled levels are checked too, because that takes no noticeable time. If two runs contradict
 * each other, at least one of them is wrong, and neither level gets a verdict.
 */
export async function checkLevels(
  checkerFor: (level: LevelName) => ChosenChecker | null,
  prepared: Prepared,
  { levels = LEVELS.map(({ name }) => name), ...options }: LevelsOptions = {},
): Promise<LevelsReport> {
  // A run at another level may settle a level that has no checker.
  const idle = new Set(levels.filter((level) => checkerFor(level) === null));
  const lattice = new Lattice(levels, idle);
  for (let level = lattice.next(); level !== null && !options.signal?.aborted; level = lattice.next()) {
    // Without times to compare, a real-time level is violated exactly if a weaker level is violated.
    const isTimed = !ASKED.has(level) || hasNeededTimes(level, () => prepared.evidence());
    if (options.allowVacuous !== true && !isTimed && weakerThan(level, levels).length > 0) {
      lattice.passOver(level);
      continue;
    }
    const engine = checkerFor(level)!;
    const report = await runUnjudged({ ...engine, prepared, level }, options);
    lattice.take(report, engine);
  }
  const again = isSmall(prepared, options) ? await runSettled(checkerFor, prepared, lattice, options) : [];
  const contradicted = contradictionsIn([...lattice.reports, ...again]);
  const reports = lattice.reports.map((report) => {
    const verdict = contradicted.get(report.level);
    return verdict === undefined ? judged(report, prepared, options) : { ...report, verdict };
  });
  const whyNotAt = (level: LevelName): UnknownVerdict | null => whyNotSatisfied(prepared.evidence(), level, options);
  const { status, impliedBy, withoutTimes } = lattice;
  const isWeighed = withoutTimes.size > 0 || [...status.values()].includes('satisfied');
  return {
    ...conclude(levels, { status, impliedBy, withoutTimes, reports }, contradicted, whyNotAt),
    evidence: isWeighed ? prepared.evidence() : null,
    reports,
  };
}

/** The outcome of the runs, before the evidence is considered. */
interface Found {
  readonly status: ReadonlyMap<LevelName, VerdictStatus>;
  readonly impliedBy: ReadonlyMap<LevelName, LevelName>;
  readonly reports: readonly Report[];
  /** Real-time levels that were not checked because the history has no comparable times. */
  readonly withoutTimes: ReadonlySet<LevelName>;
}

/** The levels with their results so far, and the choice of the next level to check. */
class Lattice implements Found {
  readonly status = new Map<LevelName, VerdictStatus>();
  readonly impliedBy = new Map<LevelName, LevelName>();
  readonly reports: Report[] = [];
  readonly withoutTimes = new Set<LevelName>();
  readonly #levels: readonly LevelName[];
  readonly #idle: ReadonlySet<LevelName>;

  constructor(levels: readonly LevelName[], idle: ReadonlySet<LevelName>) {
    this.#levels = levels;
    this.#idle = idle;
  }

  next(): LevelName | null {
    const open = this.#levels.filter((level) => !this.status.has(level));
    return nextLevel(
      open.filter((level) => !this.#idle.has(level)),
      open,
    );
  }

  passOver(level: LevelName): void {
    this.status.set(level, 'unknown');
    this.withoutTimes.add(level);
  }

  take(report: Report, { checker }: ChosenChecker): void {
    const { level, verdict, supposing } = report;
    const { sound, complete, takesForFacts } = checker.checker.info;
    this.reports.push(report);
    this.status.set(level, verdict.status);
    if (supposing !== null || takesForFacts !== undefined) return;
    if (verdict.status === 'violated' && sound) this.#settle(strongerThan(level, this.#levels), verdict.status, level);
    if (verdict.status === 'satisfied' && complete)
      this.#settle(weakerThan(level, this.#levels), verdict.status, level);
  }

  #settle(settled: readonly LevelName[], verdict: VerdictStatus, by: LevelName): void {
    for (const level of settled) {
      // A level's own verdict is never overwritten, but its own 'unknown' may be replaced.
      if (this.status.has(level) && this.status.get(level) !== 'unknown') continue;
      this.status.set(level, verdict);
      this.impliedBy.set(level, by);
    }
  }
}

/** Checks the settled levels too, with checkers that promise correct verdicts. */
async function runSettled(
  checkerFor: (level: LevelName) => ChosenChecker | null,
  prepared: Prepared,
  { impliedBy }: Found,
  { signal }: RunOptions,
): Promise<Report[]> {
  const reports: Report[] = [];
  for (const level of impliedBy.keys()) {
    const engine = checkerFor(level);
    // A variant may reproduce an algorithm that misses anomalies, so it promises nothing.
    const isAsItIs = (engine?.variant ?? null) === null && Object.keys(engine?.options ?? {}).length === 0;
    if (engine === null || !isAsItIs || engine.checker.isPlugin === true) continue;
    const { sound, complete, levels } = engine.checker.checker.info;
    if (!sound || !complete || !levels.includes(level) || signal?.aborted) continue;
    const options = { certify: false, budget: { timeMs: AGAIN_MS }, ...(signal && { signal }) };
    reports.push(await runUnjudged({ ...engine, prepared, level }, options));
  }
  return reports;
}

const isSmall = ({ history }: Prepared, { place = 'thread', budget = {} }: RunOptions): boolean =>
  place === 'thread' && Object.keys(budget).length === 0 && countOperations(history) <= SMALL;

/** Returns the levels at which two runs contradict each other. A conditional verdict contradicts no other verdict. */
function contradictionsIn(reports: readonly Report[]): Map<LevelName, UnknownVerdict> {
  const contradicted = new Map<LevelName, UnknownVerdict>();
  const about = reports.filter(({ verdict, supposing }) => verdict.status !== 'unknown' && supposing === null);
  const ranAt = (level: LevelName, status: VerdictStatus): Report =>
    about.find((report) => report.level === level && report.verdict.status === status)!;
  const verdicts = Object.fromEntries(about.map(({ level, verdict }) => [level, verdict.status]));
  for (const { satisfied, violated } of levelOrderBreaks(verdicts)) {
    const [one, other] = [ranAt(satisfied, 'satisfied'), ranAt(violated, 'violated')];
    const detail = `contradiction between levels: ${nameOf(one)} found ${satisfied} satisfied, and ${nameOf(other)} found ${violated} violated, although ${satisfied} implies ${violated}. At least one verdict is wrong; please report this with the history`;
    const verdict: UnknownVerdict = { status: 'unknown', reason: 'contradiction', detail };
    contradicted.set(satisfied, verdict).set(violated, verdict);
  }
  return contradicted;
}

const nameOf = ({ checker, variant }: Report): string => (variant === null ? checker : `${checker} (${variant})`);

/**
 * Returns the final verdicts. Contradicted verdicts are dropped. So is a satisfied verdict at a level that nothing
 * could have violated, unless a stronger level that could have been violated implies it.
 */
function conclude(
  levels: readonly LevelName[],
  { status, impliedBy, reports, withoutTimes }: Found,
  contradicted: ReadonlyMap<LevelName, UnknownVerdict>,
  whyNotAt: (level: LevelName) => UnknownVerdict | null,
): Omit<LevelsReport, 'reports' | 'evidence'> {
  const inOrder = inRegistryOrder(levels);
  const runAt = (level: LevelName): LevelName => impliedBy.get(level) ?? level;
  const contradiction = (level: LevelName): UnknownVerdict | undefined =>
    contradicted.get(level) ?? contradicted.get(runAt(level));
  const holds = (level: LevelName): boolean =>
    status.get(level) === 'satisfied' && contradiction(level) === undefined && whyNotAt(level) === null;
  const whyUnknownAt = (level: LevelName): UnknownVerdict => {
    const verdict = reports.find((report) => report.level === level)?.verdict;
    if (verdict?.status === 'unknown') return verdict;
    return (withoutTimes.has(level) && whyNotAt(level)) || NOT_RUN;
  };

  const concluded = new Map<LevelName, VerdictStatus>();
  const by = new Map<LevelName, LevelName>();
  const whyUnknown = new Map<LevelName, UnknownVerdict>();
  for (const level of inOrder) {
    const said = status.get(level) ?? 'unknown';
    const holder = said !== 'satisfied' || holds(level) ? level : strongerThan(level, levels).find(holds);
    if (said !== 'unknown' && holder !== undefined && contradiction(level) === undefined) {
      concluded.set(level, said);
      if (runAt(holder) !== level) by.set(level, runAt(holder));
      continue;
    }
    concluded.set(level, 'unknown');
    const why = contradiction(level) ?? (said === 'satisfied' ? whyNotAt(level) : whyUnknownAt(level));
    if (why) whyUnknown.set(level, why);
  }
  return {
    levels: Object.fromEntries(concluded),
    impliedBy: Object.fromEntries(by),
    whyUnknown: Object.fromEntries(whyUnknown),
  };
}

/** Reason why a level without a run is unknown: the remaining runs were aborted, and no other run settles it. */
const NOT_RUN: UnknownVerdict = { status: 'unknown', reason: 'aborted', detail: 'the run was aborted' };

function nextLevel(candidates: readonly LevelName[], open: readonly LevelName[]): LevelName | null {
  const inOrder = inRegistryOrder(candidates);
  const cheap = inOrder.find((level) => CHEAP.has(level));
  if (cheap !== undefined) return cheap;
  let best: LevelName | null = null;
  let mostSettled = -1;
  for (const level of inOrder) {
    const settled = Math.min(strongerThan(level, open).length, weakerThan(level, open).length);
    if (settled <= mostSettled) continue;
    mostSettled = settled;
    best = level;
  }
  return best;
}

const strongerThan = (level: LevelName, levels: readonly LevelName[]): LevelName[] =>
  levels.filter((other) => other !== level && implies(other, level));

const weakerThan = (level: LevelName, levels: readonly LevelName[]): LevelName[] =>
  levels.filter((other) => other !== level && implies(level, other));

/** The levels that can be checked in polynomial time (Biswas & Enea, OOPSLA 2019, except cut isolation). */
const CHEAP: ReadonlySet<LevelName> = new Set<LevelName>([
  'cut-isolation',
  'read-committed-pl2',
  'read-committed',
  'read-committed-dbcop',
  'read-atomic',
  'causal',
]);

/** The levels that `all` stands for. Weaker variants of other levels may require more than the absence of real time. */
const ASKED: ReadonlySet<LevelName> = new Set(LEVELS.map(({ name }) => name));

/** Maximum number of operations for which all levels are checked in no noticeable time. */
const SMALL = 500;
const AGAIN_MS = 50;
