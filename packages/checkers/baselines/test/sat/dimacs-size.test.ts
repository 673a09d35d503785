import type { History } from '@isolab/history';
import { TestContext, parseHistory, prepare } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { DBCOP_SAT_LEVELS } from '../../src/sat/history/dbcop-sat.ts';
import { type Formula, baselinesSat, dbcopFileBytes, encodeHistory } from '../../src/sat/index.ts';
import { DEFAULTS } from './support/run.ts';

/** Sessions of transactions that read the latest write to a key, and write the key. */
function counters(sessions: number, transactions: number): History {
  const last = new Map<number, number>();
  const transaction = (s: number, t: number): string => {
    const [key, value] = [(s + t) % 3, s * transactions + t + 1];
    const read = `r(k${key},${last.get(key) ?? 0})`;
    last.set(key, value);
    return `${read} w(k${key},${value})`;
  };
  const line = (s: number): string => Array.from({ length: transactions }, (_, t) => transaction(s, t)).join(' | ');
  return parseHistory(Array.from({ length: sessions }, (_, s) => line(s)).join('\n'));
}

/** Text of a file for a solver. */
function dimacs({ numVariables, numClauses, clauses }: Formula): string {
  const lines = Array.from(clauses, (literal) => (literal === 0 ? '0\n' : `${literal} `));
  return `p cnf ${numVariables} ${numClauses}\n${lines.join('')}`;
}

describe.each(DBCOP_SAT_LEVELS)('the file of dbcop’s encoding at %s', (level) => {
  test.each([
    [1, 3],
    [2, 4],
    [3, 5],
  ])('the file has the stated length, with %i sessions of %i transactions', (sessions, transactions) => {
    const input = prepare(counters(sessions, transactions));
    const { problem } = encodeHistory(input, level, 'dbcop-sat', DEFAULTS);
    expect(dbcopFileBytes(input, level)).toBe(dimacs(problem!.formula).length);
  });
});

test('the length is computed without a solver, also for a formula that is too large to be made', async () => {
  const counts: Record<string, number> = {};
  const context = { ...new TestContext(), count: (name: string, amount: number) => void (counts[name] = amount) };
  const input = prepare(counters(15, 30));
  const answer = await baselinesSat.check(input, 'serializable', { ...DEFAULTS, solver: 'none' }, context);
  expect(answer).toMatchObject({ status: 'unknown', reason: 'incomplete' });
  // 450 · 449² clauses of some twenty characters.
  expect(counts['satFileBytes']).toBeGreaterThan(1.7e9);
  expect(counts['satFileBytes']).toBeLessThan(2.3e9);
  expect(counts['satFilesOver10GB']).toBe(0);
});
