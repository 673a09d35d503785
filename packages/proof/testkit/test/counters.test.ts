/** The rows that represent counters have the verdicts of a direct definition of counters, by brute force. */
import process from 'node:process';
import type { LevelName } from '@isolab/contract';
import { decide } from '@isolab/oracle';
import { describe, expect, test } from 'vitest';
import { draws } from '../src/draws.ts';
import {
  type CounterKind,
  type CounterRun,
  type CounterTransaction,
  historyOfCounters,
  randomCounterRun,
  stateOf,
} from '../src/random-counters.ts';
import { randomNumbers } from '../src/random-numbers.ts';

const LEVELS = [
  'read-atomic',
  'causal',
  'prefix',
  'snapshot-isolation',
  'plain-serializable',
  'serializable',
  'strict-serializable',
] as const satisfies readonly LevelName[];
/** At read committed, rows have fewer restrictions than counters: only `violated` is compared. */
type Level = (typeof LEVELS)[number] | 'read-committed';

/** A transaction that happened, with its place in the history, which orders sessions. */
type Member = CounterTransaction & { readonly place: number };

/** Returns whether some transactions of unknown outcome and some order of commits explain the reads of counters. */
function holds({ initial, transactions }: CounterRun, level: Level): boolean {
  const members = transactions.map((transaction, place): Member => ({ ...transaction, place }));
  const open = members.filter(({ status }) => status === 'unknown');
  return subsetsOf(open).some((happened) => {
    const all = members.filter((one) => one.status === 'committed' || happened.includes(one));
    return permutationsOf(all).some((order) => {
      const isSession = (a: Member, b: Member): boolean => a.session === b.session && a.place < b.place;
      const isTime = (a: Member, b: Member): boolean =>
        a.times !== null && a.status !== 'unknown' && a.times[1] < b.times![0];
      const respects = (before: (a: Member, b: Member) => boolean): boolean =>
        order.every((b, j) => order.every((a, i) => !before(a, b) || i < j));
      if (level !== 'plain-serializable' && !respects(isSession)) return false;
      if (level === 'strict-serializable' && !respects(isTime)) return false;
      return sees(order, level, isSession, initial);
    });
  });
}

/** Returns whether each transaction can see changes that explain its reads, for this order of commits. */
function sees(
  order: readonly Member[],
  level: Level,
  isSession: (a: Member, b: Member) => boolean,
  initial: number | null,
): boolean {
  const shows = ({ operations }: Member, i: number, visible: readonly Member[]): boolean => {
    const { kind, counter, value } = operations[i]!;
    const changes = [...visible.map((other) => other.operations), operations.slice(0, i)];
    return kind !== 'read' || value === stateOf(changes, counter, initial);
  };
  const explained = (t: Member, visible: readonly Member[]): boolean =>
    t.operations.every((_, i) => shows(t, i, visible));
  /** Each read sees a set of earlier transactions that contains the set of the previous read. */
  const oneByOne = (t: Member, earlier: readonly Member[], i = 0, seen: readonly Member[] = []): boolean =>
    i === t.operations.length ||
    subsetsOf(earlier).some(
      (more) => seen.every((one) => more.includes(one)) && shows(t, i, more) && oneByOne(t, earlier, i + 1, more),
    );
  const writes = (t: Member): Set<string> =>
    new Set(t.operations.filter(({ kind }) => kind !== 'read').map(({ counter }) => counter));
  if (level.endsWith('serializable')) return order.every((t, j) => explained(t, order.slice(0, j)));
  if (level === 'prefix' || level === 'snapshot-isolation')
    return order.every((t, j) => {
      // The snapshot of a transaction is a prefix with its session's past and, at snapshot isolation, with all earlier
      // commits of its counters.
      const conflicts = (a: Member): boolean =>
        level === 'snapshot-isolation' && [...writes(a)].some((counter) => writes(t).has(counter));
      const least = Math.max(0, ...order.slice(0, j).map((a, i) => (isSession(a, t) || conflicts(a) ? i + 1 : 0)));
      return order.slice(0, j + 1).some((_, size) => size >= least && explained(t, order.slice(0, size)));
    });
  if (level === 'read-committed') return order.every((t, j) => oneByOne(t, order.slice(0, j)));
  // Each transaction sees a set of earlier transactions, with its session’s past and, at causal consistency, the sets of its members.
  const seen = new Map<Member, readonly Member[]>();
  const place = (j: number): boolean => {
    if (j === order.length) return true;
    const t = order[j]!;
    return subsetsOf(order.slice(0, j)).some((visible) => {
      const isClosed = order
        .slice(0, j)
        .every(
          (a) =>
            visible.includes(a) ||
            !(isSession(a, t) || (level === 'causal' && visible.some((b) => seen.get(b)!.includes(a)))),
        );
      if (!isClosed || !explained(t, visible)) return false;
      seen.set(t, visible);
      return place(j + 1);
    });
  };
  return place(0);
}

/** Returns all parts of a list, each in its order. */
function subsetsOf<T>(items: readonly T[]): T[][] {
  return items.reduce<T[][]>((all, item) => all.flatMap((some) => [some, [...some, item]]), [[]]);
}

function permutationsOf<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) => permutationsOf(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}

const KINDS: Readonly<Record<string, CounterKind>> = {
  'increments with different amounts': {},
  'increments with repeated amounts': { repeated: true },
  'increments and plain writes': { writes: true },
  'increments and plain writes with repeated amounts': { repeated: true, writes: true },
  'increments of unknown outcome': { repeated: true, writes: true, open: true },
};

const RUNS = Number(process.env['ISOLAB_COUNTER_RUNS'] ?? draws(150));

describe('a history of counters satisfies the levels of the definition', () => {
  test.each(Object.entries(KINDS))('a history of %s satisfies the levels of the definition', (name, kind) => {
    const verdicts = new Set<string>();
    for (let i = 0; i < RUNS; i++) {
      const run = randomCounterRun(randomNumbers(i), { ...kind, transactions: 4 });
      const history = historyOfCounters(run);
      if (holds(run, 'read-committed') && !decide(history, 'read-committed').satisfied)
        expect.fail(`${name}, run ${i}: read-committed should be true for ${JSON.stringify(run)}`);
      for (const level of LEVELS) {
        const expected = holds(run, level);
        verdicts.add(`${level} ${expected}`);
        if (decide(history, level).satisfied !== expected)
          expect.fail(`${name}, run ${i}: ${level} should be ${expected} for ${JSON.stringify(run)}`);
      }
    }
    expect(verdicts.size).toBe(2 * LEVELS.length);
  });
});
