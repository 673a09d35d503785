import { generalizedPolygraph, registerVersionTable } from '@isolab/polygraph';
import { arbitraryHistory, h, prepare } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Scenario, ScenarioDependency } from '../src/index.ts';
import { dependencyOf } from '../src/interpret/scenario.ts';
import { Problem } from '../src/problem/problem.ts';
import { hasUndesiredCycle, isSatisfiable } from './support/brute-force.ts';
import { interpret } from './support/run.ts';

/** Dependencies such as `1 WW(0) 2`, with a question mark where it is uncertain. */
const show = ({ dependencies }: Scenario): string[] => dependencies.map(show1).toSorted();
const show1 = ({ from, to, type, key, certain }: ScenarioDependency): string =>
  `${from} ${type}${key < 0 ? '' : `(${'xyz'[key]})`} ${to}${certain ? '' : '?'}`;

const kinds = {
  any: { transactions: 6, operations: 2, keys: 2 },
  forks: { atLeast: 6, transactions: 8, sessions: 5, operations: 2, stores: ['prefix', 'causal'] },
  lists: { transactions: 6, operations: 2, keys: 2, lists: true },
} as const;

describe('the counterexample of appendix E', () => {
  test.each(Object.entries(kinds))(
    'the counterexample of appendix E is a violation, and not without any one of its dependencies: %s',
    (_, bounds) => {
      let seen = 0;
      fc.assert(
        fc.property(arbitraryHistory(bounds), (history) => {
          if (prepare(history).internal.count > 0) return;
          const found = interpret(history);
          if (found === null) return;
          seen++;
          const { dependencies } = found.counterexample;
          expect(isSatisfiable(dependencies)).toBe(false);
          for (const left of dependencies) expect(isSatisfiable(dependencies.filter((d) => d !== left))).toBe(true);
        }),
        { numRuns: 250, seed: 1 },
      );
      expect(seen).toBeGreaterThan(20);
    },
  );

  test('the counterexample of appendix E is the smallest that contains the cycle', () => {
    let seen = 0;
    fc.assert(
      fc.property(
        arbitraryHistory({ atLeast: 4, transactions: 6, operations: 2, keys: 2, stores: ['prefix', 'causal'] }),
        (history) => {
          const { index, internal } = prepare(history);
          const problem = new Problem(generalizedPolygraph(registerVersionTable(history, index)));
          if (internal.count > 0 || problem.count > 40) return;
          const found = interpret(history);
          if (found === null) return;
          expect(found.isSmallest).toBe(true);
          const all = Array.from({ length: problem.count }, (_, d) => dependencyOf(problem, d, false));
          const raw = new Set(show(found.raw));
          const cycle = all.filter((d) => raw.has(show1(d)));
          const others = all.filter((d) => !raw.has(show1(d)));
          // No way of adding fewer than it does makes a violation of the cycle.
          const fewer = found.counterexample.dependencies.filter((d) => !raw.has(show1(d))).length - 1;
          expect(found.counterexample.dependencies.filter((d) => raw.has(show1(d)))).toHaveLength(cycle.length);
          if (others.length ** fewer > 30_000) return;
          for (const more of subsets(others, fewer)) expect(isSatisfiable([...cycle, ...more])).toBe(true);
          if (fewer > 0) seen++;
        },
      ),
      { numRuns: 300, seed: 1 },
    );
    expect(seen).toBeGreaterThan(5);
  });
});

/** All subsets of this size. */
function* subsets<T>(elements: readonly T[], size: number, from = 0): Generator<T[]> {
  if (size <= 0) {
    if (size === 0) yield [];
    return;
  }
  for (let i = from; i < elements.length; i++)
    for (const rest of subsets(elements, size - 1, i + 1)) yield [elements[i]!, ...rest];
}

describe('the stages', () => {
  test('the stages are those of figure 5 for a lost update', () => {
    const found = interpret(h`
      w(x,1)
      r(x,1) w(x,2)
      r(x,1) w(x,3)`)!;
    expect(show(found.raw)).toEqual(['1 RW(x) 2?', '2 WW(x) 1?']);
    expect(show(found.restored)).toEqual([
      '0 WR(x) 1',
      '0 WR(x) 2',
      '0 WW(x) 1?',
      '0 WW(x) 2?',
      '1 RW(x) 2?',
      '1 WW(x) 0?',
      '1 WW(x) 2?',
      '2 RW(x) 1?',
      '2 WW(x) 0?',
      '2 WW(x) 1?',
    ]);
    expect(show(found.finalized)).toEqual(
      ['0 WR(x) 1', '0 WR(x) 2', '0 WW(x) 1', '0 WW(x) 2', '1 RW(x) 2', '2 RW(x) 1', '1 WW(x) 2'].toSorted(),
    );
    expect(found.finalized.transactions).toEqual([0, 1, 2]);
  });

  test('the stages bring back the transaction that a read misses (figure 13)', () => {
    const found = interpret(h`
      w(x,1) | w(x,2) w(y,1)
      r(y,1) | r(x,1)`)!;
    expect(show(found.finalized)).toEqual(
      ['0 SO 1', '0 WR(x) 3', '0 WW(x) 1', '1 WR(y) 2', '2 SO 3', '3 RW(x) 1'].toSorted(),
    );
  });

  test('the stages say where a read of an initial state stems from', () => {
    const found = interpret(h`
      w(x,1) w(y,1)
      r(x,1) r(y,0)`)!;
    expect(show(found.restored)).toEqual(['-1 WR(y) 1', '-1 WW(y) 0', '0 WR(x) 1', '1 RW(y) 0']);
  });

  test.each(Object.entries(kinds))('follow from one another: %s', (_, bounds) => {
    fc.assert(
      fc.property(arbitraryHistory(bounds), (history) => {
        if (prepare(history).internal.count > 0) return;
        const found = interpret(history);
        if (found === null) return;
        const { raw, restored, resolved, finalized, counterexample } = found;
        expect(hasUndesiredCycle(raw.dependencies)).toBe(true);
        const all = new Set(show(restored));
        for (const stage of [raw, counterexample]) for (const d of show(stage)) expect(all).toContain(d);
        // A dependency that is certain in the end was certain before, or was one side of a choice.
        for (const d of show(resolved)) expect(all.has(d) || all.has(`${d}?`)).toBe(true);
        expect(show(finalized)).toEqual(show(resolved).filter((d) => !d.endsWith('?')));
        // Every anti-dependency has the dependencies that it stems from.
        for (const { from, to, type, key } of restored.dependencies) {
          if (type !== 'RW') continue;
          const readFrom = restored.dependencies.find((d) => d.type === 'WR' && d.to === from && d.key === key)!;
          expect(readFrom).toBeDefined();
          const order = restored.dependencies.find((d) => d.type === 'WW' && d.from === readFrom.from && d.to === to);
          expect(order?.key).toBe(key);
        }
      }),
      { numRuns: 150, seed: 3 },
    );
  });
});
