import { type History, buildReadFrom, findInternalAnomalies } from '@isolab/history';
import { TestContext, arbitraryHistory, defaultsOf, parseHistory, prepare } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { weave } from '../src/weave.ts';
import { anneal } from '../src/hints/anneal/anneal.ts';
import { Schedule } from '../src/hints/anneal/schedule.ts';
import { TUNING } from '../src/problem/tuning.ts';
import { chainsOf } from '../src/problem/chains.ts';
import { gatherVersions } from '../src/problem/versions.ts';

const inOrder = (history: History): Int32Array => Int32Array.from(history.txnStatus.keys());

function versionsOf(history: History) {
  return gatherVersions(history, buildReadFrom(history), inOrder(history));
}

// weave refutes others before it looks for an order.
const histories = arbitraryHistory({ transactions: 7, repeatedValues: true, aborted: true }).filter(
  (history) => findInternalAnomalies(history, buildReadFrom(history)).count === 0,
);

describe('a schedule', () => {
  test('a schedule knows the effect of a move', () => {
    const moves = fc.array(fc.tuple(fc.nat(), fc.double({ min: -1, max: 8, noNaN: true })), { maxLength: 20 });
    fc.assert(
      fc.property(histories, moves, (history, drawn) => {
        const versions = versionsOf(history);
        const schedule = new Schedule(versions, inOrder(history));
        for (const [i, [number, near]] of drawn.entries()) {
          const t = number % versions.numTxns;
          const place = near + (i + 1) * 1e-6; // no two of them are equal
          const before = schedule.misses;
          const more = schedule.change(t, place);
          schedule.move(t, place);
          expect(schedule.misses).toBe(before + more);
          expect(new Schedule(versions, schedule.order()).misses).toBe(schedule.misses);
        }
      }),
      { numRuns: 500 },
    );
  });
});

const SMALL = { transactions: 40, operations: 3, sessions: 6, keys: 5, values: 3, reads: 50 };

/** Draws transactions that run one after the other; each operation is a read with this probability in percent. */
function serialHistory(
  seed: number,
  { transactions, operations, sessions, keys, values, reads } = SMALL,
  further: readonly string[] = [],
): History {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % limit;
  };
  const current = Array.from({ length: keys }, () => 0);
  const lines = Array.from({ length: sessions }, () => [] as string[]);
  for (let i = 0; i < transactions; i++) {
    const ops = Array.from({ length: operations }, () => {
      const key = below(keys);
      if (below(100) < reads) return `r(x${key},${current[key]})`;
      current[key] = 1 + below(values);
      return `w(x${key},${current[key]})`;
    });
    lines[below(sessions)]!.push(ops.join(' '));
  }
  return parseHistory(
    lines
      .filter((line) => line.length > 0)
      .map((line) => line.join(' | '))
      .concat(further)
      .join('\n'),
  );
}

describe('annealing', () => {
  test.each([1, 2, 3, 4, 5])('annealing finds a serial order of a serial history (seed %i)', (seed) => {
    const history = serialHistory(seed);
    const versions = versionsOf(history);
    const chains = chainsOf(history, versions.happened, new Uint8Array(versions.numTxns));
    const annealed = (): Schedule => {
      const schedule = new Schedule(versions, inOrder(history));
      expect(schedule.misses).toBeGreaterThan(10);
      anneal(schedule, chains, { ...TUNING, steps: 200_000 }, () => {});
      return schedule;
    };
    const schedule = annealed();
    expect(schedule.misses).toBe(0);
    for (let t = 0; t < versions.numTxns; t++)
      if (chains.previous[t] >= 0) expect(schedule.place[t]).toBeGreaterThan(schedule.place[chains.previous[t]]);
    expect(annealed().order()).toEqual(schedule.order());
  });

  test('annealing explains a thousand transactions whose values repeat heavily', () => {
    const drawn = { transactions: 1000, operations: 8, sessions: 50, keys: 100, values: 5, reads: 30 };
    const history = serialHistory(1, drawn);
    for (const level of ['serializable', 'snapshot-isolation'] as const) {
      const context = new TestContext({ maxSteps: 20_000_000 });
      expect(weave.check(prepare(history), level, defaultsOf(weave), context)).toMatchObject({ status: 'satisfied' });
    }
  });

  test('a lost update is found among transactions whose values repeat too heavily for an order', () => {
    const drawn = { transactions: 500, operations: 8, sessions: 50, keys: 25, values: 5, reads: 30 };
    const lost = ['w(y,1) w(x1,1)', 'r(y,1) w(y,2) w(x2,1)', 'r(y,1) w(y,3) w(x3,1)'];
    for (const level of ['serializable', 'snapshot-isolation'] as const) {
      const context = new TestContext({ maxSteps: 1_000_000 });
      const history = serialHistory(1, drawn, lost);
      expect(weave.check(prepare(history), level, defaultsOf(weave), context)).toMatchObject({ status: 'violated' });
    }
  });
});
