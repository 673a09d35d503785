import { type Checker, type IndexedHistory, type Verdict, certificateOf } from '@isolab/contract';
import { type History, toRegisters } from '@isolab/history';
import {
  type LevelDefinition,
  LevelError,
  builtInLevel,
  parseLevel,
  printLevel,
  readLevel,
  sameLevel,
} from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { inputFor, observeForTest, printHistory } from '@isolab/testkit';
import { verifyCertificate } from '@isolab/verifier';
import { Random } from '@isolab/workloads';
import { loadCheckers } from 'isolab';
import { AIMS, draw } from '../agreement/draw.ts';
import type { Suite } from '../suite/suite.ts';
import { drawLevelText } from './draw-level.ts';

/** Checks random levels, as users may write them, on random histories. */
export const levels: Suite = {
  name: 'levels',
  title:
    'random levels on random histories: the oracle and axioms agree, certificates are accepted, printed levels have the same meaning',
  short: 300,
  long: 1_000_000,
  run: async (count, seed, report) => {
    const axioms = (await loadCheckers()).find(({ checker }) => checker.info.name === 'axioms')!.checker as AnyChecker;
    for (let i = 0; i < count; i++) {
      const random = new Random(`levels/${seed}/${i}`);
      const { text, level } = drawLevel(random);
      const aim = AIMS[i % AIMS.length]!;
      const history = draw(aim, random, MOST_TRANSACTIONS);
      const fault = (problem: string): void =>
        report.failed(aim, `level and history ${i} of seed ${seed}: ${problem}\n${text}${printHistory(history)}`);
      try {
        const input = inputFor(axioms, history);
        const verdict = await verdictOf(axioms, input, level);
        const problem = misreading(text) ?? misrecognition(history, level) ?? problemOf(history, input, level, verdict);
        if (problem === null) report.survived(`${aim}: ${verdict.status}`);
        else fault(problem);
      } catch (error) {
        fault(`it crashed: ${(error as Error).stack}`);
      }
    }
  },
};

type AnyChecker = Checker<object>;

/** The oracle tries all orders, including orders of begins and commits. */
const MOST_TRANSACTIONS = 4;
const MOST_STEPS = 5_000_000;

function drawLevel(random: Random): { readonly text: string; readonly level: LevelDefinition } {
  for (;;) {
    const text = drawLevelText(random);
    try {
      return { text, level: readLevel(text, 'mine.lvl') };
    } catch (error) {
      if (!(error instanceof LevelError)) throw error; // such as a level that allows an anomaly that an included level forbids
    }
  }
}

async function verdictOf(checker: AnyChecker, input: IndexedHistory, level: LevelDefinition): Promise<Verdict> {
  const run = { certify: true, maxSteps: MOST_STEPS };
  return (await observeForTest(checker, { ...input, kind: 'definition', definition: level }, level.name, run)).verdict;
}

function problemOf(history: History, input: IndexedHistory, level: LevelDefinition, verdict: Verdict): string | null {
  if (verdict.status === 'unknown') {
    const isExpected = verdict.reason === 'unsupported' || verdict.reason === 'incomplete';
    return isExpected ? null : `got unknown (${verdict.reason})`;
  }
  // The host does not accept this verdict if the checker did not get the history's sums of several rows.
  if (verdict.status === 'satisfied' && toRegisters(history).undecidedAggregates.length > 0) return null;
  const truth = decideDefinition(history, level).satisfied ? 'satisfied' : 'violated';
  if (verdict.status !== truth) return `axioms says ${verdict.status}, the oracle ${truth}`;
  const certificate = certificateOf(verdict);
  if (certificate === undefined) return `the verdict ${verdict.status} has no certificate`;
  const verified = verifyCertificate(input.history, level.name, verdict.status, certificate, level);
  return verified.ok ? null : `the certificate of ${verdict.status} is wrong: ${verified.problem}`;
}

/** Checks that a level keeps its meaning when it is printed and parsed. */
function misreading(text: string): string | null {
  const file = parseLevel(text, 'mine.lvl');
  const printed = printLevel(file);
  const again = parseLevel(printed, 'mine.lvl');
  return withoutPositions(again) === withoutPositions(file) ? null : `it is printed as another level:\n${printed}`;
}

const withoutPositions = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => (key === 'position' ? undefined : inner));

/** Checks that a level recognized as one of isolab's holds exactly if that level holds. */
function misrecognition(history: History, level: LevelDefinition): string | null {
  const same = sameLevel(level);
  if (same === null) return null;
  const [mine, known] = [level, builtInLevel(same)!].map((each) => decideDefinition(history, each).satisfied);
  return mine === known ? null : `recognized as ${same}, where the oracle decides ${known}, but ${mine} at this level`;
}
