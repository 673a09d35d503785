import { type Checker, type LevelName, type VerdictStatus, levelOrderBreaks } from '@isolab/contract';
import { loadCheckers } from 'isolab';
import type { History } from '@isolab/history';
import { builtInLevel } from '@isolab/levels';
import { ALL_LEVELS, decideByVisibility, decideDefinition, levelsSatisfied } from '@isolab/oracle';
import { certificateProblem, inputFor, observeForTest, printHistory, verdictProblem } from '@isolab/testkit';
import { Random } from '@isolab/workloads';
import type { Suite } from '../suite.ts';
import { AIMS, draw, isKnown } from './draw.ts';

/** Random histories with everything that the model has, before all checkers, at all levels. */
export const agreement: Suite = {
  name: 'agreement',
  title:
    'random histories: two oracles and all checkers agree, no stronger level holds alone, certificates are accepted; where all levels hold, each checker is asked about a quarter of them, and solvers about few histories',
  short: 400,
  long: 1_000_000,
  run: async (count, seed, report) => {
    const checkers = (await loadCheckers()).map(({ checker }) => checker as AnyChecker);
    for (let i = 0; i < count; i++) {
      const random = new Random(`${seed}/${i}`);
      const aim = AIMS[i % AIMS.length]!;
      const history = draw(aim, random);
      const problem = await problemOf(history, checkers, random);
      if (problem === null) report.survived(aim);
      else report.failed(aim, `history ${i} of seed ${seed}: ${problem}\n${printHistory(history)}`);
    }
  },
};

type AnyChecker = Checker<object>;

async function problemOf(history: History, checkers: readonly AnyChecker[], random: Random): Promise<string | null> {
  const truths = new Set<LevelName>(levelsSatisfied(history));
  const holds = lazily((level) =>
    ALL_LEVELS.includes(level) ? truths.has(level) : decideDefinition(history, builtInLevel(level)!).satisfied,
  );
  const broken = orderBreak(ALL_LEVELS.map((level) => [level, truths.has(level) ? 'satisfied' : 'violated']));
  if (broken !== null) return `the oracle: ${broken}`;
  for (const level of ALL_LEVELS) {
    const second = decideByVisibility(history, level);
    if (second !== null && second !== truths.has(level))
      return `the oracles differ on ${level}: by orders ${truths.has(level)}, by visibility ${second}`;
  }
  for (const checker of checkers) {
    if (random.chance(SELDOM[checker.info.name] ?? 0)) continue;
    const share = truths.size === ALL_LEVELS.length ? ASKED_WHERE_ALL_HOLD : 1;
    const problem = await problemWith(checker, history, holds, random, share);
    if (problem !== null) return problem;
  }
  return null;
}

async function problemWith(
  checker: AnyChecker,
  history: History,
  holds: (level: LevelName) => boolean,
  random: Random,
  share: number,
): Promise<string | null> {
  const { name, levels, variants } = checker.info;
  const input = inputFor(checker, history);
  const verdicts: [LevelName, VerdictStatus][] = [];
  for (const level of levels) {
    if (!random.chance(share)) continue;
    const variant = random.chance(0.3) ? random.pick([null, ...soundVariants(variants)]) : null;
    const findAll = random.chance(0.3);
    const { verdict } = await observeForTest(checker, input, level, {
      variant,
      findAll,
      certify: true,
      maxSteps: MOST_STEPS,
    });
    verdicts.push([level, verdict.status]);
    if (verdict.status === 'unknown' && verdict.reason === 'unsupported') continue;
    const problem =
      verdictProblem(checker, input, level, verdict, isKnown(history, level) ? holds(level) : null) ??
      certificateProblem(input, level, verdict, 'satisfied');
    if (problem !== null)
      return `${name}${variant === null ? '' : `, ${variant},`} at ${level}${findAll ? ', all anomalies' : ''}: ${problem}`;
  }
  // By timestamps, each level is about other ones: one may contradict what is read, while the other does not.
  const broken = checker.info.takesForFacts ? null : orderBreak(verdicts);
  return broken === null ? null : `${name}: ${broken}`;
}

/** The levels beyond the sixteen have their definition alone, which takes longer: each is decided once, if a checker asks. */
function lazily(decide: (level: LevelName) => boolean): (level: LevelName) => boolean {
  const known = new Map<LevelName, boolean>();
  return (level) => {
    const holds = known.get(level) ?? decide(level);
    known.set(level, holds);
    return holds;
  };
}

/** All but those that reproduce the faults of published tools, or that assume more of a key than the level says. */
const soundVariants = (variants: object): string[] =>
  Object.keys(variants).filter((name) => !/^as-published|-keys$/.test(name));

function orderBreak(verdicts: readonly (readonly [LevelName, VerdictStatus])[]): string | null {
  const [first] = levelOrderBreaks(Object.fromEntries(verdicts));
  return first === undefined
    ? null
    : `${first.satisfied} is satisfied, and ${first.violated}, which is weaker, violated`;
}

/** Two of three histories satisfy everything, and tell the levels apart no further. */
const ASKED_WHERE_ALL_HOLD = 0.25;

/** How often a slow checker is left out. */
const SELDOM: Readonly<Record<string, number>> = {
  'baselines-sat': 0.95,
  'baselines-smt': 0.999,
  'baselines-asp': 0.999,
};
const MOST_STEPS = 4_000_000; // polysi looks for the smallest violation for two million
