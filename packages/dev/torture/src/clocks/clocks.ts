import { type Checker, type LevelName, implies } from '@isolab/contract';
import { loadCheckers } from 'isolab';
import { type History, NO_TIME } from '@isolab/history';
import { builtInLevel } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { certificateProblem, inputFor, observeForTest, printHistory } from '@isolab/testkit';
import { Random } from '@isolab/workloads';
import type { Report, Suite } from '../suite/suite.ts';
import { copyOf, reread } from './copies.ts';
import { KINDS, type KindName, LEVEL_NAMES, draw } from './draw.ts';

/** Checks correct databases whose clients have clocks that drift within the bound stated in the history. */
export const clocks: Suite = {
  name: 'clocks',
  title:
    'correct databases, clients whose clocks drift within the stated bound: no level that a database keeps is violated, with any subset of the times; with larger drifts, some levels are violated',
  short: 100,
  long: 100_000,
  run: async (count, seed, report) => {
    const judges = await loadJudges();
    const control = new Control();
    for (let i = 0; i < count; i++) {
      const random = new Random(`clocks/${seed}/${i}`);
      const kind = KIND_NAMES[i % KIND_NAMES.length]!;
      try {
        await attempt(kind, judges, random, report, `history ${i} of seed ${seed}`);
        if (i % CONTROL_EVERY === 0) await control.attempt(judges, random);
      } catch (error) {
        report.failed(kind, `history ${i} of seed ${seed}: isolab crashed: ${(error as Error).stack}`);
      }
    }
    control.tell(report);
  },
};

type AnyChecker = Checker<object>;

interface Judges {
  readonly weave: AnyChecker;
  readonly axioms: AnyChecker;
  /**
   * All other checkers that never report a violation of a level that holds, and do not treat claims of the database as
   * facts.
   */
  readonly others: readonly AnyChecker[];
}

async function loadJudges(): Promise<Judges> {
  const all = (await loadCheckers()).map(({ checker }) => checker as AnyChecker);
  const named = (name: string): AnyChecker => all.find(({ info }) => info.name === name)!;
  const isSlow = (name: string): boolean => name.startsWith('baselines-');
  const others = all.filter(
    ({ info }) =>
      info.sound &&
      !isSlow(info.name) &&
      !['weave', 'axioms'].includes(info.name) &&
      !info.requires.includes('timestamps'),
  );
  return { weave: named('weave'), axioms: named('axioms'), others };
}

async function attempt(kind: KindName, judges: Judges, random: Random, report: Report, place: string): Promise<void> {
  const drift = random.pick(DRIFTS);
  const { history: drawn, keeps, isSmall } = draw(kind, random, { drift });
  const history = await reread(drawn);
  const variants: [string, History, readonly LevelName[]][] = [['all times', history, keeps]];
  const what = random.pick(['some times', 'outer times', 'copy'] as const);
  if (what === 'some times') variants.push([what, withoutSome(history, random), keeps]);
  // Without inner bounds, a serial order in real time has the snapshots that strict levels need.
  const isStrict = keeps.includes('strict-serializable');
  const more: readonly LevelName[] = isStrict ? ['strong-snapshot-isolation'] : [];
  if (what === 'outer times') variants.push([what, withoutInner(history), [...keeps, ...more]]);
  const copy = what === 'copy' ? await copyOf(history, random) : null;
  if (copy !== null) variants.push([what, copy, keeps]);
  for (const [variant, given, levels] of variants) {
    const problem = await problemOf(given, levels, judges, random, isSmall);
    const named = `${kind}, ${variant}`;
    if (problem === null) report.survived(named);
    else report.failed(named, `${place}, drift ${drift}: ${problem}\n${printHistory(given)}`);
  }
}

/** Finds a wrong violation at a level that the database keeps. */
async function problemOf(
  history: History,
  strongest: readonly LevelName[],
  { weave, axioms, others }: Judges,
  random: Random,
  isSmall: boolean,
): Promise<string | null> {
  const kept = LEVEL_NAMES.filter((level) => strongest.some((other) => implies(other, level)));
  const asked: [AnyChecker, LevelName][] = kept
    .filter((level) => weave.info.levels.includes(level))
    .map((level) => [weave, level]);
  for (const level of [...strongest, random.pick(kept), random.pick(kept)])
    if (axioms.info.levels.includes(level)) asked.push([axioms, level]);
  const other = random.pick(others);
  const levels = kept.filter((level) => other.info.levels.includes(level));
  if (levels.length > 0) asked.push([other, random.pick(levels)]);
  for (const [checker, level] of asked) {
    const input = inputFor(checker, history);
    const { verdict } = await observeForTest(checker, input, level, { certify: isSmall, maxSteps: MOST_STEPS });
    const problem =
      verdict.status === 'violated'
        ? `got violated (${verdict.anomalies.map(({ name }) => name).join(', ')})`
        : isSmall
          ? certificateProblem(input, level, verdict, 'satisfied')
          : null;
    if (problem !== null) return `${checker.info.name} at ${level}, which the database keeps: ${problem}`;
  }
  if (history.txnStatus.length > MOST_FOR_ORACLE) return null;
  const broken = strongest.find((level) => !decideDefinition(history, builtInLevel(level)!).satisfied);
  return broken === undefined ? null : `the oracle says that ${broken} is violated, which the database keeps`;
}

/** Returns the history without some single times. */
function withoutSome(history: History, random: Random): History {
  const share = random.pick([0.1, 0.3, 0.7]);
  const some = (column: BigInt64Array | null): BigInt64Array | null =>
    column && column.map((time) => (random.chance(share) ? NO_TIME : time));
  const { txnBegin, txnBegun, txnCommitting, txnEnd } = history;
  return {
    ...history,
    txnBegin: some(txnBegin),
    txnBegun: some(txnBegun),
    txnCommitting: some(txnCommitting),
    txnEnd: some(txnEnd),
  };
}

/** Returns the history as older files have it. */
const withoutInner = (history: History): History => ({ ...history, txnBegun: null, txnCommitting: null });

/** Tests the suite itself, which proves its claim only if it would find violations: false bounds must lead to some. */
class Control {
  readonly #attempts = new Map<string, { made: number; caught: number }>();

  async attempt({ weave }: Judges, random: Random): Promise<void> {
    const what = random.pick(FALSEHOODS);
    const counts = this.#attempts.get(what) ?? { made: 0, caught: 0 };
    this.#attempts.set(what, counts);
    const drift = 10;
    const kind = random.pick(['validated reads', 'serializable snapshots', 'snapshots'] as const);
    const { history, keeps } = draw(kind, random, what === 'drift' ? { drift, differs: 5000 } : { drift });
    const given = what === 'drift' ? history : shifted(history, what);
    counts.made++;
    for (const level of keeps) {
      if (!weave.info.levels.includes(level)) continue;
      const { verdict } = await observeForTest(weave, inputFor(weave, given), level, { maxSteps: MOST_STEPS });
      if (verdict.status !== 'violated') continue;
      counts.caught++;
      return;
    }
  }

  tell(report: Report): void {
    for (const [what, { made, caught }] of this.#attempts) {
      const kind = `a false ${what}`;
      if (caught > 0) for (let i = 0; i < caught; i++) report.survived(`${kind} is found`);
      else if (made >= ENOUGH_CONTROLS) report.failed(kind, `none of ${made} was found, so this suite proves nothing`);
    }
  }
}

type Bound = 'begun' | 'committing' | 'begin' | 'end';
const FALSEHOODS = ['drift', 'begun', 'committing', 'begin', 'end'] as const;

/** Returns times that state that events were earlier, or later, than they were. */
function shifted(history: History, bound: Bound): History {
  const by = bound === 'begun' || bound === 'end' ? -SHIFT : SHIFT;
  const move = (column: BigInt64Array | null): BigInt64Array | null =>
    column && column.map((time) => (time === NO_TIME ? time : time + by));
  const column = ({ begin: 'txnBegin', begun: 'txnBegun', committing: 'txnCommitting', end: 'txnEnd' } as const)[bound];
  return { ...history, [column]: move(history[column]) };
}

const KIND_NAMES = Object.keys(KINDS) as KindName[];
/**
 * Drifts from none to a value at which many transactions may have overlapped; a request takes some hundreds of units.
 */
const DRIFTS = [0, 0, 1, 30, 100, 300, 1000, 5000];
const SHIFT = 2000n;
const CONTROL_EVERY = 10;
const ENOUGH_CONTROLS = 20;
const MOST_FOR_ORACLE = 5;
const MOST_STEPS = 2_000_000;
