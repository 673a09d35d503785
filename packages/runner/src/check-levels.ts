import { LEVELS, type LevelName, type VerdictStatus, implies } from '@isolab/checker';
import type { Prepared } from './prepare.ts';
import type { Report } from './report.ts';
import { type Engine, type RunOptions, run } from './run.ts';

export interface LevelsReport {
  readonly levels: Readonly<Partial<Record<LevelName, VerdictStatus>>>;
  /** For a level that was not checked because another one settles it: that other one. */
  readonly impliedBy: Readonly<Partial<Record<LevelName, LevelName>>>;
  /** The levels that hold and that no other level that holds implies. */
  readonly strongest: readonly LevelName[];
  /** The levels that fail and that imply no other level that fails. */
  readonly weakestViolated: readonly LevelName[];
  /** The runs, in their order. */
  readonly reports: readonly Report[];
}

export interface LevelsOptions extends RunOptions {
  /** All levels, unless given. */
  readonly levels?: readonly LevelName[];
  readonly onReport?: (report: Report) => void;
}

/**
 * Finds out which levels a history satisfies, with as few runs as it can. First come the cheap levels, weak ones before
 * strong ones; then, of those that are left, always one that settles the most others whichever way it turns out. Only
 * verdicts that a checker promises to be right, as sound or complete, settle other levels. The budget is one run's.
 */
export async function checkLevels(
  checkerFor: (level: LevelName) => Engine | null,
  prepared: Prepared,
  { levels = LEVELS.map(({ name }) => name), onReport, ...options }: LevelsOptions = {},
): Promise<LevelsReport> {
  const status = new Map<LevelName, VerdictStatus>();
  const impliedBy: Partial<Record<LevelName, LevelName>> = {};
  const reports: Report[] = [];
  // Without a checker; a run at another level may settle them all the same.
  const idle = new Set(levels.filter((level) => checkerFor(level) === null));

  const settle = (settled: readonly LevelName[], verdict: VerdictStatus, by: LevelName): void => {
    for (const level of settled) {
      // An own verdict is never overwritten, but an own 'unknown' is improved upon.
      if (status.has(level) && status.get(level) !== 'unknown') continue;
      status.set(level, verdict);
      impliedBy[level] = by;
    }
  };

  for (;;) {
    const open = levels.filter((level) => !status.has(level));
    const next = nextLevel(
      open.filter((level) => !idle.has(level)),
      open,
    );
    if (next === null || options.signal?.aborted) break;
    const engine = checkerFor(next)!;
    const report = await run({ ...engine, prepared, level: next }, options);
    reports.push(report);
    onReport?.(report);
    const verdict = report.verdict.status;
    status.set(next, verdict);
    const { sound, complete } = engine.checker.checker.info;
    if (verdict === 'violated' && sound) settle(strongerThan(next, levels), verdict, next);
    if (verdict === 'satisfied' && complete) settle(weakerThan(next, levels), verdict, next);
  }
  const inOrder = LEVELS.map(({ name }) => name).filter((name) => levels.includes(name));
  const all = (wanted: VerdictStatus): LevelName[] => inOrder.filter((level) => status.get(level) === wanted);
  const [satisfied, violated] = [all('satisfied'), all('violated')];
  return {
    levels: Object.fromEntries(inOrder.map((level) => [level, status.get(level) ?? 'unknown'])),
    impliedBy,
    strongest: satisfied.filter((level) => strongerThan(level, satisfied).length === 0),
    weakestViolated: violated.filter((level) => weakerThan(level, violated).length === 0),
    reports,
  };
}

function nextLevel(candidates: readonly LevelName[], open: readonly LevelName[]): LevelName | null {
  const inOrder = LEVELS.map(({ name }) => name).filter((name) => candidates.includes(name));
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

/** The levels that take polynomial time (Biswas & Enea, OOPSLA 2019, for all but cut isolation). */
const CHEAP: ReadonlySet<LevelName> = new Set<LevelName>([
  'cut-isolation',
  'read-committed-pl2',
  'read-committed',
  'read-committed-dbcop',
  'read-atomic',
  'causal',
]);
