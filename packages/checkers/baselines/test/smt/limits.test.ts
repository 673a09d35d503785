import { Stop } from '@isolab/contract';
import { describe, expect, test } from 'vitest';
import { TestContext } from '@isolab/testkit';
import { theMachine } from '../../src/smt/z3/machine.ts';
import { solve } from '../../src/smt/z3/solve.ts';

/** n + 1 pigeons in n holes, which takes Z3 longer than anyone waits. */
function pigeons(n: number): string {
  const lines: string[] = [];
  const name = (pigeon: number, hole: number): string => `p${pigeon}_${hole}`;
  const holes = Array.from({ length: n }, (_, hole) => hole);
  for (let p = 0; p <= n; p++) {
    for (const hole of holes) {
      lines.push(`(declare-const ${name(p, hole)} Bool)`);
      for (let q = 0; q < p; q++) lines.push(`(assert (not (and ${name(p, hole)} ${name(q, hole)})))`);
    }
    lines.push(`(assert (or ${holes.map((hole) => name(p, hole)).join(' ')}))`);
  }
  return lines.join('\n');
}

const EASY = { text: '(declare-const a Int)(assert (< a 3))', wanted: ['a'] };
const HARD = { text: pigeons(12), wanted: [] };

describe('Z3', () => {
  test('Z3 gives up after its time, and the next question is not harmed', async () => {
    const answer = await solve(HARD, { solveSeconds: 0.2 }, new TestContext());
    expect(answer).toEqual({ status: 'unknown', reason: 'timeout', detail: 'Z3 gave up: timeout' });
    expect((await solve(EASY, { solveSeconds: 0 }, new TestContext())).status).toBe('satisfiable');
  });

  test('Z3 stops when the context says so, and the next question is not harmed', async () => {
    const tick = (): void => {
      throw new Stop('timeout');
    };
    await expect(solve(HARD, { solveSeconds: 0 }, { ...new TestContext(), tick })).rejects.toThrow(Stop);
    expect((await solve(EASY, { solveSeconds: 0 }, new TestContext())).status).toBe('satisfiable');
  });

  test('Z3 answers questions that are asked at the same time', async () => {
    const answers = await Promise.all(
      [EASY, EASY, EASY].map((script) => solve(script, { solveSeconds: 0 }, new TestContext())),
    );
    expect(answers.map(({ status }) => status)).toEqual(['satisfiable', 'satisfiable', 'satisfiable']);
  });

  test('Z3 names a command that it does not understand', async () => {
    const answer = await solve({ text: '(assert nonsense)', wanted: [] }, { solveSeconds: 0 }, new TestContext());
    expect(answer).toMatchObject({ status: 'unknown', reason: 'crashed' });
  });

  test('Z3 is loaded again when it has broken down', async () => {
    const machine = await theMachine();
    const context = machine.makeContext();
    const answer = machine.evaluate(context, `${HARD.text}(check-sat)`);
    setTimeout(() => machine.giveUp('for a test'), 50);
    await expect(answer).rejects.toThrow('for a test');
    expect((await solve(EASY, { solveSeconds: 0 }, new TestContext())).status).toBe('satisfiable');
    expect(await theMachine()).not.toBe(machine);
  });
});
