import type { LevelName } from '@isolab/contract';
import { loadCheckers } from 'isolab';
import type { History } from '@isolab/history';
import { builtInLevel } from '@isolab/levels';
import { ALL_LEVELS, decideByVisibility, decideDefinition, levelsSatisfied } from '@isolab/oracle';
import { printHistory } from '@isolab/testkit';
import { Random } from '@isolab/workloads';
import { type Report, type Suite, reportAttempt } from '../suite/suite.ts';
import { AIMS, draw } from './draw.ts';
import { type AnyChecker, orderBreak, problemWith } from './with-checker.ts';

/** Checks that all checkers agree at all levels on random histories with every feature of the model. */
export const agreement: Suite = {
  name: 'agreement',
  title:
    'random histories: two oracles and all checkers agree, no stronger level holds alone, certificates are accepted; if all levels hold, each checker checks about a quarter of them, and solvers check few histories',
  short: 60,
  long: 1_000_000,
  run: async (count, seed, report) => {
    const checkers = (await loadCheckers()).map(({ checker }) => checker as AnyChecker);
    for (let i = 0; i < count; i++) {
      const random = new Random(`${seed}/${i}`);
      const aim = AIMS[i % AIMS.length]!;
      const history = draw(aim, random);
      const repeat = (): string => `history ${i} of seed ${seed}:\n${printHistory(history)}`;
      await reportAttempt(report, aim, () => problemOf(history, checkers, random, report), repeat);
    }
  },
};

async function problemOf(
  history: History,
  checkers: readonly AnyChecker[],
  random: Random,
  report: Report,
): Promise<string | null> {
  const truths = new Set<LevelName>(levelsSatisfied(history));
  const holds = lazily((level) =>
    ALL_LEVELS.includes(level) ? truths.has(level) : decideDefinition(history, builtInLevel(level)!).satisfied,
  );
  const broken = orderBreak(ALL_LEVELS.map((level) => [level, truths.has(level) ? 'satisfied' : 'violated']));
  if (broken !== null) return `the oracle: ${broken}`;
  for (const level of ALL_LEVELS) {
    const second = decideByVisibility(history, level);
    if (second !== null && second !== truths.has(level))
      return `the oracles disagree on ${level}: ${truths.has(level)} by orders, ${second} by visibility`;
  }
  for (const checker of checkers) {
    if (random.chance(SELDOM[checker.info.name] ?? 0)) continue;
    const share = truths.size === ALL_LEVELS.length ? ASKED_WHERE_ALL_HOLD : 1;
    const problem = await problemWith({ checker, history, holds, random, share, report });
    if (problem !== null) return problem;
  }
  return null;
}

/**
 * Levels beyond the sixteen have only their definition, which is slow to decide: each is decided once, when a checker
 * needs it.
 */
function lazily(decide: (level: LevelName) => boolean): (level: LevelName) => boolean {
  const known = new Map<LevelName, boolean>();
  return (level) => {
    const holds = known.get(level) ?? decide(level);
    known.set(level, holds);
    return holds;
  };
}

/** Two of three histories satisfy all levels, and give no further information about their differences. */
const ASKED_WHERE_ALL_HOLD = 0.25;

/** Share of histories for which a slow checker is left out. */
const SELDOM: Readonly<Record<string, number>> = {
  'baselines-sat': 0.95,
  'baselines-smt': 0.999,
  'baselines-asp': 0.999,
};
