import { Stop } from '@isolab/contract';
import { describe, expect, test } from 'vitest';
import { TestContext } from '@isolab/testkit';
import { solve } from '../../src/asp/clingo/clingo.ts';

const EASY = '{a}. b :- not a.';
/** Pigeons without enough holes. */
const HARD = '1 {in(P,H) : H = 1..11} 1 :- P = 1..12. :- in(P,H), in(Q,H), P < Q.';
const NO_LIMITS = { solveLimit: 0 };

const facts = (count: number): string => Array.from({ length: count }, (_, i) => `fact(${i}).`).join('\n');

describe('clingo', () => {
  test('clingo gives up after a number of conflicts, and the next program is not harmed', async () => {
    const detail = 'clingo has reached its solve limit';
    expect(await solve(HARD, { solveLimit: 100 }, new TestContext())).toEqual({
      status: 'unknown',
      reason: 'steps',
      detail,
    });
    expect((await solve(EASY, NO_LIMITS, new TestContext())).status).toBe('satisfiable');
  });

  test('clingo stops when the context says so, and the next program is not harmed', async () => {
    let ticks = 0;
    const tick = (): void => {
      if (ticks++ > 0) throw new Stop('timeout');
    };
    await expect(solve(HARD, NO_LIMITS, { ...new TestContext(), tick })).rejects.toThrow(Stop);
    expect((await solve(EASY, NO_LIMITS, new TestContext())).status).toBe('satisfiable');
  });

  test('clingo takes programs that are too large for its stack', async () => {
    const large = `${facts(120_000)}\n#show. #show last(X) : X = #max { Y : fact(Y) }.`;
    expect(large.length).toBeGreaterThan(1 << 20);
    expect(await solve(large, NO_LIMITS, new TestContext())).toEqual({
      status: 'satisfiable',
      atoms: ['last(119999)'],
    });
    expect((await solve(EASY, NO_LIMITS, new TestContext())).status).toBe('satisfiable');
  });

  test('clingo says of a faulty program that it broke down, and the next one is not harmed', async () => {
    expect(await solve('a :-', NO_LIMITS, new TestContext())).toMatchObject({ status: 'unknown', reason: 'crashed' });
    expect(await solve(`${facts(120_000)} a :-`, NO_LIMITS, new TestContext())).toMatchObject({ status: 'unknown' });
    expect((await solve(EASY, NO_LIMITS, new TestContext())).status).toBe('satisfiable');
  });

  test('clingo runs programs that are given at the same time', async () => {
    const answers = await Promise.all(
      [EASY, ':- not a. {a}.', ':- not a.'].map((p) => solve(p, NO_LIMITS, new TestContext())),
    );
    expect(answers.map(({ status }) => status)).toEqual(['satisfiable', 'satisfiable', 'unsatisfiable']);
  });
});
