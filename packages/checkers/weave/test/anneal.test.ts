import { type History, buildReadFrom, findInternalAnomalies } from '@isolab/history';
import { arbitraryHistory, parseHistory } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anneal } from '../src/hints/anneal/anneal.ts';
import { Schedule } from '../src/hints/anneal/schedule.ts';
import { modelOf } from '../src/problem/model.ts';
import { TUNING } from '../src/problem/tuning.ts';
import { chainsOf } from '../src/problem/chains.ts';
import { gatherVersions } from '../src/problem/versions.ts';

const inOrder = (history: History): Int32Array => Int32Array.from(history.txnStatus.keys());

function versionsOf(history: History) {
  return gatherVersions(history, buildReadFrom(history), inOrder(history), modelOf('serializable')!);
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

/** One transaction after the other, drawn by number, of clients that know nothing of one another; values repeat. */
function serialHistory(seed: number): History {
  const [sessions, keys, values] = [6, 5, 3];
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % limit;
  };
  const current = Array.from({ length: keys }, () => 0);
  const lines = Array.from({ length: sessions }, () => [] as string[]);
  for (let i = 0; i < 40; i++) {
    const ops = Array.from({ length: 3 }, () => {
      const key = below(keys);
      if (below(2) === 0) return `r(x${key},${current[key]})`;
      current[key] = 1 + below(values);
      return `w(x${key},${current[key]})`;
    });
    lines[below(sessions)]!.push(ops.join(' '));
  }
  return parseHistory(
    lines
      .filter((line) => line.length > 0)
      .map((line) => line.join(' | '))
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
});
