import { LEVELS, type LevelName, implies } from '@isolab/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CommitOrderLevel, findCommitOrder } from '../src/commit-order.ts';
import { COMMIT_ORDERS, EVENT_ORDERS, decide, levelsSatisfied } from '../src/decide.ts';
import { findEventOrder } from '../src/facts/event-order.ts';
import { readFacts } from '../src/facts/facts.ts';
import { type World, inRealTime, inSessionOrder, worlds } from '../src/facts/world.ts';
import { VISIBILITY, decideByVisibility } from '../src/visibility.ts';
import { anyHistory, h } from './support/histories.ts';
import { type Before, SECOND_FORMULATIONS, hasSerialReplay } from './support/formulations.ts';

const RUNS = 500;
const TINY = { transactions: 5, sessions: 3 };

const worldsOf = (history: Parameters<typeof readFacts>[0]): World[] => [...worlds(readFacts(history))];
const isSane = (world: World): boolean => !world.transactions.some((t) => t.blind || t.unrepeatable);

describe('two formulations of a level agree', () => {
  test.each(Object.keys(SECOND_FORMULATIONS) as (keyof typeof SECOND_FORMULATIONS)[])(
    'two formulations of a level agree on %s: brute force and the dependency graph',
    (level) => {
      let satisfied = 0;
      fc.assert(
        fc.property(anyHistory({ ...TINY, times: true }), (history) => {
          const [world] = worldsOf(history) as [World];
          const mayRepeat = (COMMIT_ORDERS as Record<string, CommitOrderLevel>)[level]?.repeatable === false;
          fc.pre(mayRepeat ? !world.transactions.some((t) => t.blind) : isSane(world));
          const expected = SECOND_FORMULATIONS[level](world);
          if (expected) satisfied++;
          expect(decide(history, level).satisfied).toBe(expected);
        }),
        { numRuns: RUNS },
      );
      expect(satisfied).toBeGreaterThan(RUNS / 20);
    },
  );

  const variants = { sparse: {}, repeated: { repeat: true }, lists: { lists: true } };

  test.each(Object.entries(variants))(
    'prefix and snapshot isolation: axioms and begins and commits (%s)',
    (_, bounds) => {
      fc.assert(
        fc.property(anyHistory({ ...TINY, ...bounds }), (history) => {
          for (const world of worldsOf(history).filter(isSane)) {
            for (const level of ['prefix', 'snapshot-isolation'] as const) {
              const byEvents = findEventOrder(world, EVENT_ORDERS[level]) !== null;
              expect(findCommitOrder(world, COMMIT_ORDERS[level]) !== null).toBe(byEvents);
            }
          }
        }),
        { numRuns: RUNS },
      );
    },
  );

  test.each(Object.keys(VISIBILITY) as (keyof typeof VISIBILITY)[])(
    'two formulations of a level agree on %s: orders and visibility',
    (level) => {
      const met = { true: 0, false: 0 };
      const histories = [{}, { repeat: true, outcomes: true }, { lists: true }, { times: true, repeat: true }].flatMap(
        (bounds) => fc.sample(anyHistory({ ...TINY, ...bounds }), { numRuns: RUNS / 4, seed: 11 }),
      );
      for (const history of histories) {
        const found = decideByVisibility(history, level);
        if (found === null) continue;
        met[`${found}`]++;
        expect(decide(history, level).satisfied).toBe(found);
      }
      expect(Math.min(met.true, met.false)).toBeGreaterThan(RUNS / 20);
      expect(decideByVisibility(h`r(x,1)`, level)).toBe(false);
    },
  );

  const serial: readonly (readonly [keyof typeof COMMIT_ORDERS, Before])[] = [
    ['plain-serializable', () => false],
    ['serializable', inSessionOrder],
    ['strict-serializable', (a, b) => inSessionOrder(a, b) || inRealTime(a, b)],
  ];

  test.each(Object.entries(variants))('serial levels: axioms and the replay of a store (%s)', (_, bounds) => {
    fc.assert(
      fc.property(anyHistory({ ...TINY, ...bounds, times: true }), (history) => {
        for (const world of worldsOf(history).filter(isSane)) {
          for (const [level, before] of serial) {
            expect(findCommitOrder(world, COMMIT_ORDERS[level]) !== null).toBe(hasSerialReplay(world, before));
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe('the lattice', () => {
  const pairs = LEVELS.flatMap(({ name }) =>
    LEVELS.filter((weak) => weak.name !== name && implies(name, weak.name)).map((weak) => [name, weak.name] as const),
  );

  test.each([
    ['unique values', {}],
    ['repeated values', { repeat: true }],
    ['aborted and unknown outcomes', { outcomes: true }],
    ['times', { times: true }],
    ['everything', { outcomes: true, times: true, repeat: true }],
    ['lists', { lists: true, outcomes: true }],
  ])('a history that satisfies a level satisfies the levels that it implies: %s', (_, bounds) => {
    fc.assert(
      fc.property(anyHistory({ ...TINY, ...bounds }), (history) => {
        const satisfied = levelsSatisfied(history);
        for (const [strong, weak] of pairs) {
          if (satisfied.includes(strong)) expect(satisfied, `${strong} implies ${weak}`).toContain(weak);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('no implication is missing from the registry', () => {
    const missing = new Set<string>();
    for (const { name: strong } of LEVELS) {
      for (const { name: weak } of LEVELS) if (!implies(strong, weak)) missing.add(`${strong} → ${weak}`);
    }
    const sample = ['', 'times'].flatMap((times) =>
      fc.sample(anyHistory({ ...TINY, times: times !== '' }), { numRuns: 4000, seed: 7 }),
    );
    for (const history of sample) {
      const satisfied = new Set<LevelName>(levelsSatisfied(history));
      for (const { name: strong } of LEVELS) {
        if (!satisfied.has(strong)) continue;
        for (const { name: weak } of LEVELS) if (!satisfied.has(weak)) missing.delete(`${strong} → ${weak}`);
      }
    }
    // The registry keeps linearizability, which is meant for single operations, apart from the lattice.
    expect([...missing].filter((pair) => !pair.includes('linearizable'))).toEqual([]);
    expect([...missing].toSorted()).toEqual([
      'linearizable → cut-isolation',
      'strict-serializable → linearizable',
      'strong-snapshot-isolation → linearizable',
    ]);
  });
});
