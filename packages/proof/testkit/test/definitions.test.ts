import process from 'node:process';
import { type BuiltInLevel, CORE_LEVELS, LEVEL_RECORDS, builtInLevel } from '@isolab/levels';
import { decide, decideDefinition } from '@isolab/oracle';
import { type History, fromPlain } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HistoryBounds, arbitraryHistory, exhaustiveHistories, printHistory, draws } from '../src/index.ts';
import { RANDOM_KINDS } from '../src/corpus.ts';
import { randomRows } from '../src/random-rows.ts';

/** Small histories of rows, scans and aggregates. */
function rowHistories(count: number, seed: number): History[] {
  let state = seed;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const histories: History[] = [];
  while (histories.length < count) {
    const history = fromPlain(
      randomRows(random, { repeated: histories.length % 2 === 0, open: histories.length % 3 === 0 }),
    );
    if (history.txnStatus.length <= 5) histories.push(history);
  }
  return histories;
}

/** Histories of all kinds together: ISOLAB_DEFINITION_RUNS=1000000 takes about an hour of one core. */
const RUNS = Number(process.env['ISOLAB_DEFINITION_RUNS'] ?? draws(1200));

const KINDS: Readonly<Record<string, HistoryBounds>> = {
  ...RANDOM_KINDS,
  everything: {
    atLeast: 2,
    wild: true,
    aborted: true,
    unknown: true,
    times: true,
    repeatedValues: true,
    operations: 2,
  },
  'lists with outcomes': { atLeast: 2, lists: true, aborted: true, unknown: true, times: true },
  'wild lists': { atLeast: 2, lists: true, wild: true, aborted: true, unknown: true },
};

const holds = (history: History, name: string): boolean => decideDefinition(history, builtInLevel(name)!).satisfied;

function expectAgreement(history: History): void {
  const found = CORE_LEVELS.filter((name) => holds(history, name));
  const expected = CORE_LEVELS.filter((name) => decide(history, name).satisfied);
  if (found.join() !== expected.join()) expect(`${found.join()} on\n${printHistory(history)}`).toBe(expected.join());
}

describe('the files of the levels agree with the definitions written by hand', () => {
  test('the files of the levels agree with the definitions written by hand on all small histories', () => {
    for (const history of exhaustiveHistories({ sessions: 2, transactions: 2, keys: 2, operations: 2 }))
      expectAgreement(history);
    for (const history of exhaustiveHistories({ sessions: 3, transactions: 4, keys: 2, operations: 1 }, 9))
      expectAgreement(history);
    for (const history of exhaustiveHistories({ sessions: 3, transactions: 3, keys: 2, operations: 2 }, 997))
      expectAgreement(history);
  });

  test.each(Object.entries(KINDS))(
    'the files of the levels agree with the definitions written by hand on random histories: %s',
    (_, bounds) => {
      const numRuns = Math.ceil(RUNS / Object.keys(KINDS).length);
      // In parts, because fast-check keeps its draws.
      for (let done = 0; done < numRuns; done += PART)
        for (const history of fc.sample(arbitraryHistory(bounds), {
          numRuns: Math.min(PART, numRuns - done),
          seed: done + 3,
        }))
          expectAgreement(history);
    },
  );
});

const PART = 1000;

test('the files of the levels agree with the definitions written by hand on rows and scans', () => {
  for (const history of rowHistories(RUNS / 20, 7)) expectAgreement(history);
});

describe('each statement of a file about another level holds', () => {
  const implied = new Map<BuiltInLevel, ReadonlySet<BuiltInLevel>>();
  for (const { name, implies } of LEVEL_RECORDS)
    implied.set(name, new Set(implies.flatMap((weaker) => [weaker, ...implied.get(weaker)!])));

  function expectImplied(history: History): void {
    const satisfied = new Set(LEVEL_RECORDS.map(({ name }) => name).filter((name) => holds(history, name)));
    for (const strong of satisfied)
      for (const weak of implied.get(strong)!)
        if (!satisfied.has(weak)) expect.fail(`${strong} implies ${weak}, but not on\n${printHistory(history)}`);
  }

  test('each statement of a file about another level holds on all small histories', () => {
    for (const history of exhaustiveHistories({ sessions: 2, transactions: 2, keys: 2, operations: 2 }))
      expectImplied(history);
    for (const history of exhaustiveHistories({ sessions: 3, transactions: 3, keys: 2, operations: 2 }, 1999))
      expectImplied(history);
  });

  test.each(Object.entries(KINDS))(
    'each statement of a file about another level holds on random histories: %s',
    (_, bounds) => {
      const numRuns = Math.ceil(RUNS / 2 / Object.keys(KINDS).length);
      for (const history of fc.sample(arbitraryHistory(bounds), { numRuns, seed: 29 })) expectImplied(history);
    },
  );

  test('each statement of a file about another level holds on rows and scans', () => {
    for (const history of rowHistories(RUNS / 40, 11)) expectImplied(history);
  });
});
