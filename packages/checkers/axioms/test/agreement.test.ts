import type { History } from '@isolab/history';
import { LEVEL_RECORDS, type LevelDefinition, builtInLevel, printAxiom } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { RANDOM_KINDS, arbitraryHistory, printHistory } from '@isolab/testkit';
import { verifyCertificate } from '@isolab/verifier';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideAt } from './support/judge.ts';
import { Dice, randomLevel } from './support/random-levels.ts';

// The oracle decides by the meaning of a level, and shares nothing with the checker. ISOLAB_SOAK is how many histories of
// each kind are drawn, ISOLAB_SEED where the drawing begins.
const env = (globalThis as { process?: { env: Record<string, string | undefined> } }).process!.env;
const RUNS = Number(env['ISOLAB_SOAK'] ?? 4);
const SEED = Number(env['ISOLAB_SEED'] ?? 1);

const LEVELS = LEVEL_RECORDS.map(({ name }) => builtInLevel(name)!);

/** At most four transactions where a kind does not need more: the oracle tries all orders. */
function historiesOf(kind: string, dice: Dice): History[] {
  const bounds = RANDOM_KINDS[kind as keyof typeof RANDOM_KINDS];
  const { transactions = 5, atLeast = 0 } = bounds as { transactions?: number; atLeast?: number };
  const arbitrary = arbitraryHistory({ ...bounds, transactions: Math.max(atLeast, Math.min(transactions, 4)) });
  return fc.sample(arbitrary, { numRuns: RUNS, seed: dice.below(1_000_000_000) });
}

/** Fault of the verdict or its certificate; null if nothing is, 'unknown' if there is none. */
async function problemAt(given: History, level: LevelDefinition): Promise<string | null> {
  const { history, verdict, certificate } = await decideAt(given, level);
  if (verdict.status === 'unknown') return 'unknown';
  const truth = decideDefinition(given, level).satisfied ? 'satisfied' : 'violated';
  if (truth !== verdict.status) return `got ${verdict.status}, the oracle says ${truth}`;
  const verified = verifyCertificate(history, level.name as 'causal', verdict.status, certificate!, level);
  return verified.ok ? null : `${verdict.status}, but ${verified.problem}: ${JSON.stringify(certificate)}`;
}

/** Insists that all is well; how many verdicts there were. */
async function insist(history: History, level: LevelDefinition): Promise<number> {
  const problem = await problemAt(history, level);
  if (problem !== null && problem !== 'unknown')
    throw new Error(`${problem}\n${level.axioms.map(printAxiom).join('\n')}\n${printHistory(history)}`);
  return problem === null ? 1 : 0;
}

for (const kind of Object.keys(RANDOM_KINDS)) {
  test(`the checker agrees with the meaning of all levels on random histories: ${kind}`, async () => {
    const dice = new Dice(SEED);
    let decided = 0;
    for (const history of historiesOf(kind, dice)) for (const level of LEVELS) decided += await insist(history, level);
    expect(decided).toBeGreaterThan(0);
  });

  test(`the checker agrees with the meaning of random levels on random histories: ${kind}`, async () => {
    const dice = new Dice(SEED + 7);
    let decided = 0;
    let drawn = 0;
    for (const history of historiesOf(kind, dice))
      for (let i = 0; i < 12; i++, drawn++) decided += await insist(history, randomLevel(dice).level);
    expect(decided).toBeGreaterThan(drawn / 4);
  });
}

test('there are at least 25 levels', () => {
  expect(LEVELS.length).toBeGreaterThanOrEqual(25);
});
