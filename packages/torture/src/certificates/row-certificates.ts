import { type LevelName, evidenceOf } from '@isolab/contract';
import { type History, fromPlain, showTransaction, toPlain, toRegisters } from '@isolab/history';
import { type BuiltInLevel, builtInLevel } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { prepare } from '@isolab/runner';
import { observeForTest, randomRows } from '@isolab/testkit';
import { type Verification, verifyEvidence } from '@isolab/verifier';
import weave from '@isolab/weave';
import type { Random } from '@isolab/workloads';
import type { Report } from '../suite.ts';
import { changeHistory } from './change-history.ts';
import { type Json, mutate } from './mutate.ts';

type Evidence = Parameters<typeof verifyEvidence>[3];

interface Certified {
  readonly certificate: Json;
  readonly passedOver?: Json;
}

/** The same for a history of rows, scans and aggregates, and what is made of its certificate. Returns how many were tried. */
export async function attemptRows(random: Random, most: number, report: Report): Promise<number> {
  const history = draw(random);
  const level = random.pick(weave.info.levels.filter((name) => name !== 'linearizable'));
  const input = prepare(history).inputFor(weave);
  const { verdict } = await observeForTest(weave, input, level, { certify: true, maxSteps: 1_000_000 });
  const evidence = evidenceOf(verdict);
  if (verdict.status !== 'violated' || evidence?.certificate === undefined) return 0;
  const { kind } = evidence.certificate;
  const { certificate, passedOver } = JSON.parse(JSON.stringify(evidence)) as Certified;
  const certified = { certificate, ...(passedOver !== undefined && { passedOver }) };
  const tries = Math.min(most, kind === 'aggregates' ? MANY_TRIES : TRIES);
  for (let i = 0; i < tries; i++) {
    const isSame = random.chance(0.5);
    const target = isSame ? history : fromPlain(changeHistory(toPlain(history), random));
    const forged = !isSame && random.chance(0.3) ? certified : forge(certified, random);
    const problem = problemOf(target, level, forged);
    if (problem === null) report.survived(`${kind}, rows`);
    else report.failed(`${kind}, rows`, `${problem}\n  ${level}, ${JSON.stringify(forged)}\n${textOf(target)}`);
  }
  return tries;
}

/** Another certificate, which may also say something else of the rows that were passed over. */
function forge(certified: Certified, random: Random): Certified {
  const certificate = mutate(certified.certificate, certified.certificate, random);
  const { passedOver } = certified;
  if (passedOver === undefined) return { certificate };
  return { certificate, passedOver: random.chance(0.2) ? mutate(passedOver, certificate, random) : passedOver };
}

function problemOf(history: History, level: LevelName, forged: Certified): string | null {
  let result: Verification;
  try {
    // As it comes from a file: nobody has looked at it.
    result = verifyEvidence(history, level, 'violated', forged as unknown as Evidence);
  } catch (error) {
    return `the verifier crashed: ${String(error)}`;
  }
  if (!result.ok) return result.problem.length > 0 ? null : 'it was refused without a message';
  const isSatisfied = decideDefinition(history, builtInLevel(level as BuiltInLevel)!).satisfied;
  return isSatisfied ? 'it was accepted, and by brute force it is wrong' : null;
}

function draw(random: Random): History {
  for (;;) {
    const kind = { aggregates: random.chance(0.8), repeated: random.chance(0.3), open: random.chance(0.2) };
    const history = fromPlain(randomRows(() => random.fraction(), kind));
    if (history.txnStatus.length <= MOST_TRANSACTIONS && toRegisters(history).history.opKind.length <= MOST_OPERATIONS)
      return history;
  }
}

const textOf = (history: History): string =>
  Array.from(history.txnStatus, (_, t) => `${history.txnSession[t]}: ${showTransaction(history, t)}`).join('\n');

/** Of one certificate. */
const TRIES = 20;
const MANY_TRIES = 200;
/** More take long by brute force. */
const MOST_TRANSACTIONS = 4;
const MOST_OPERATIONS = 40;
