import type { Checker, CheckerVerdict, IndexedHistory, InputOf } from '@isolab/contract';
import { type History, countTransactions } from '@isolab/history';
import { LEVEL_RECORDS, builtInLevel, problemOf } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { RANDOM_KINDS, arbitraryHistory, inputFor, parseHistory, printHistory } from '@isolab/testkit';
import { verifyCertificate } from '@isolab/verifier';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { choicesOf } from '../src/facts/choices.ts';
import { factsOf } from '../src/facts/facts.ts';
import { pointsOf } from '../src/facts/order.ts';
import { axioms, axiomsWith } from '../src/index.ts';
import { Hints } from '../src/search/guide.ts';
import { decideAt } from './support/judge.ts';
import { Dice } from './support/random-levels.ts';

type Guide = Checker<Readonly<Record<string, unknown>>>;

/** A guide that answers at all levels, or at those alone where it is asked for want of the level itself. */
const guideOf = (
  answer: (input: IndexedHistory, tick: (steps: number) => void) => CheckerVerdict,
  levels = axioms.info.levels,
): Guide => ({
  info: { ...axioms.info, options: {}, variants: {}, name: 'guide', requires: [], levels },
  check: (input, _level, _options, { tick }) => answer(input as InputOf<'history'>, tick),
});

/** Transactions, or begins and commits, in no order at all; some are missing, some are twice. */
function misleading(dice: Dice): Guide {
  return guideOf(({ history }) => {
    const isOfEvents = dice.below(2) === 0;
    const numbers = Array.from({ length: countTransactions(history) * (isOfEvents ? 2 : 1) }, (_, i) => i);
    const order = numbers.map((number) => ({ number, at: dice.below(1000) })).toSorted((a, b) => a.at - b.at);
    const named = order.map(({ number }) => number);
    if (dice.below(4) === 0) named[dice.below(named.length)] = dice.below(named.length);
    const certificate = isOfEvents
      ? ({ kind: 'event-order', events: named } as const)
      : ({ kind: 'commit-order', order: named } as const);
    return { status: 'satisfied', certificate };
  });
}

for (const [kind, bounds] of Object.entries(RANDOM_KINDS)) {
  test(`the guided search is not misled by wrong orders: ${kind}`, async () => {
    const dice = new Dice(5);
    const { transactions = 5, atLeast = 0 } = bounds as { transactions?: number; atLeast?: number };
    const arbitrary = arbitraryHistory({ ...bounds, transactions: Math.max(atLeast, Math.min(transactions, 4)) });
    const guided = axiomsWith(misleading(dice));
    for (const history of fc.sample(arbitrary, { numRuns: 4, seed: 3 }))
      for (const level of LEVEL_RECORDS.map(({ name }) => builtInLevel(name)!)) {
        const { verdict, certificate, history: seen } = await decideAt(history, level, 5_000_000, guided);
        if (verdict.status === 'unknown') continue;
        const truth = decideDefinition(history, level).satisfied ? 'satisfied' : 'violated';
        expect(verdict.status, `${level.name}\n${printHistory(history)}`).toBe(truth);
        expect(verifyCertificate(seen, level.name, truth, certificate!, level)).toEqual({ ok: true });
      }
  });
}

const CHAIN: History = parseHistory('w(x,1)\nr(x,1) w(x,2)');

test('the guided search gives up a guide that works too long at a level that was not asked for', async () => {
  let asked = 0;
  const endless = guideOf(
    (_, tick): never => {
      for (asked++; ;) tick(1000);
    },
    ['serializable', 'snapshot-isolation'],
  );
  const { verdict } = await decideAt(
    CHAIN,
    builtInLevel('parallel-snapshot-isolation')!,
    1_000_000,
    axiomsWith(endless),
  );
  expect([verdict.status, asked]).toEqual(['satisfied', 2]);
});

test('the guided search gives up a guide that works too long at the level itself, and searches', async () => {
  const endless = guideOf((_, tick): never => {
    for (;;) tick(1000);
  });
  const { verdict } = await decideAt(CHAIN, builtInLevel('serializable')!, 1_000_000, axiomsWith(endless));
  expect(verdict.status).toBe('satisfied');
});

test('the guided search takes no guide that does not take the history', async () => {
  const guide = guideOf(() => {
    throw new Error('asked');
  });
  const picky: Guide = { ...guide, info: { ...guide.info, requires: ['list-append'] } };
  const { verdict } = await decideAt(CHAIN, builtInLevel('serializable')!, 1_000_000, axiomsWith(picky));
  expect(verdict.status).toBe('satisfied');
});

test('the guided search asks a guide that gave up again, and one that answered never', () => {
  const asked: string[] = [];
  const slow = guideOf(
    (_, tick) => {
      asked.push('serializable');
      tick(500);
      return { status: 'satisfied', certificate: { kind: 'commit-order', order: [0, 1] } };
    },
    ['serializable'],
  );
  const level = builtInLevel('serializable')!;
  const input = inputFor(slow, CHAIN);
  const choices = choicesOf(input.history, input.index, () => false);
  const facts = factsOf(input.history, input.index, () => false, choices.isOpen);
  const problem = problemOf(level);
  const points = pointsOf(problem.order, facts);
  const hints = new Hints(slow, input, { name: 'serializable', problem }, { facts, points }, () => {});
  const placesWithin = (steps: number): number[][] => [...hints.within(steps)].map(({ place }) => [...place]);
  expect(placesWithin(499)).toEqual([]);
  expect(placesWithin(500)).toEqual([[1, 3]]);
  expect(placesWithin(10_000)).toEqual([]);
  expect(asked).toHaveLength(2);
});
