import { type LevelName, LEVELS } from '@isolab/contract';
import { checkShape } from '@isolab/history';
import { decide, levelsSatisfied } from '@isolab/oracle';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ExhaustiveBounds,
  STORES,
  arbitraryHistory,
  countExhaustive,
  exhaustiveHistories,
  prepare,
  printHistory,
} from '../src/index.ts';
import { RANDOM_KINDS } from '../src/corpus.ts';

describe('arbitrary histories', () => {
  test.each(STORES.filter((store) => store !== 'random'))('an undisturbed execution satisfies %s', (store) => {
    const bounds = { stores: [store], disturbances: 0, aborted: true, unknown: true };
    fc.assert(
      fc.property(arbitraryHistory(bounds), (history) => decide(history, store as LevelName).satisfied),
      { numRuns: 300 },
    );
  });

  test('an undisturbed serial execution of lists, of repeated values or with times is serializable', () => {
    for (const kind of [{ lists: true }, { repeatedValues: true }, { times: true, aborted: true }]) {
      const bounds = { stores: ['serializable' as const], disturbances: 0, ...kind };
      fc.assert(fc.property(arbitraryHistory(bounds), (history) => decide(history, 'serializable').satisfied));
    }
  });

  test('some histories that satisfy all weaker levels satisfy a level, and others violate it', () => {
    const sample = [{ atLeast: 3, times: true }, RANDOM_KINDS['stale snapshots']].flatMap((bounds) =>
      fc.sample(arbitraryHistory(bounds), { numRuns: 1500, seed: 1 }),
    );
    const satisfied = sample.map((history) => new Set(levelsSatisfied(history)));
    const rare = LEVELS.filter(({ name, implies }) => {
      const near = satisfied.filter((levels) => implies.every((weak) => levels.has(weak)));
      const holding = near.filter((levels) => levels.has(name)).length;
      return holding < 20 || near.length - holding < 5;
    });
    expect(rare.map(({ name }) => name)).toEqual([]);
  });

  test('writes of arbitrary histories follow reads on request', () => {
    const sample = fc.sample(arbitraryHistory({ readFirst: true, disturbances: 0, operations: 2 }), {
      numRuns: 100,
      seed: 1,
    });
    for (const { history, index } of sample.map(prepare)) {
      expect(checkShape(history, index, 'mini-transactions').holds).toBe(true);
    }
  });

  test('failures shrink to the smallest history', () => {
    const found = fc.check(
      fc.property(arbitraryHistory(), (history) => decide(history, 'serializable').satisfied),
      { seed: 1, numRuns: 1000 },
    );
    expect(found.failed).toBe(true);
    expect(found.counterexample![0].opKind.length).toBeLessThanOrEqual(4);
  });
});

describe('exhaustive histories', () => {
  test.each([
    [{ sessions: 1, transactions: 1, keys: 1, operations: 2 }, 8],
    [{ sessions: 2, transactions: 2, keys: 1, operations: 2 }, 247],
    [{ sessions: 2, transactions: 2, keys: 2, operations: 2 }, 812],
    [{ sessions: 3, transactions: 3, keys: 1, operations: 2 }, 11_246],
    [{ sessions: 3, transactions: 4, keys: 2, operations: 1 }, 1377],
    [{ sessions: 3, transactions: 3, keys: 2, operations: 2 }, 75_385],
  ])('exhaustive histories of %o number %i', (bounds, count) => {
    expect(countExhaustive(bounds)).toBe(count);
  });

  test('exhaustive histories have one history of each class', () => {
    const bounds: ExhaustiveBounds = { sessions: 2, transactions: 2, keys: 2, operations: 2 };
    const classes = Array.from(exhaustiveHistories(bounds), (history) => canonical(printHistory(history)));
    expect(new Set(classes).size).toBe(classes.length);
    expect(new Set(classes)).toEqual(everyClass());
  });
});

/** The smallest text among all renamings of a history. */
function canonical(text: string): string {
  const texts = [text, text.replaceAll(/[xy]/g, (key) => (key === 'x' ? 'y' : 'x'))].flatMap((renamed) => {
    const lines = renamed.split('\n');
    return [lines, lines.toReversed()].map((order) => renumbered(order.join('\n')));
  });
  return texts.toSorted()[0]!;
}

/** Numbers the values of each key in the order of their writes. */
function renumbered(text: string): string {
  const numbers = new Map([...'xy'].map((key) => [key, new Map([['0', 0]])]));
  for (const [, key, value] of text.matchAll(/w\((\w),(\d+)\)/g))
    numbers.get(key!)!.set(value!, numbers.get(key!)!.size);
  return text.replaceAll(
    /\((\w),(\d+)\)/g,
    (_, key: string, value: string) => `(${key},${numbers.get(key)!.get(value)})`,
  );
}

/** All classes within 2 transactions, 2 keys and 2 operations, by writing down everything. */
function everyClass(): Set<string> {
  const ops = ['r(x', 'r(y', 'w(x', 'w(y'];
  const txns = [...ops.map((op) => [op]), ...ops.flatMap((a) => ops.map((b) => [a, b]))];
  const skeletons = [...txns.map((t) => [t]), ...txns.flatMap((a) => txns.map((b) => [a, b]))];
  const classes = new Set<string>();
  for (const skeleton of skeletons) {
    for (const separator of skeleton.length === 1 ? [''] : ['\n', ' | ']) {
      for (const filled of fill(skeleton.flat())) {
        const texts = skeleton.map((txn, t) =>
          (t === 0 ? filled.slice(0, txn.length) : filled.slice(-txn.length)).join(' '),
        );
        classes.add(canonical(texts.join(separator)));
      }
    }
  }
  return classes;
}

function fill(ops: readonly string[]): string[][] {
  const count = { x: 0, y: 0 };
  const written = ops.map((op) => (op[0] === 'w' ? `${op},${++count[op[2] as 'x']})` : op));
  return written.reduce<string[][]>(
    (made, op) => {
      if (op[0] === 'w') return made.map((m) => [...m, op]);
      const values = Array.from({ length: count[op[2] as 'x'] + 1 }, (_, value) => `${op},${value})`);
      return made.flatMap((m) => values.map((value) => [...m, value]));
    },
    [[]],
  );
}
