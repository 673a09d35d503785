import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type History,
  type InternalAnomalies,
  type InternalAnomaly,
  type PlainOperation,
  buildReadFrom,
  findInternalAnomalies,
  fromPlain,
  showOperation,
} from '../src/index.ts';
import { h } from './support/notation.ts';

const found = ({ count, at }: InternalAnomalies): InternalAnomaly[] => Array.from({ length: count }, (_, i) => at(i));

function anomalies(history: History): string[] {
  return found(findInternalAnomalies(history, buildReadFrom(history))).map(({ name, read, other }) => {
    return other < 0
      ? `${name}: ${showOperation(history, read)}`
      : `${name}: ${showOperation(history, read)}, ${showOperation(history, other)}`;
  });
}

describe('internal anomalies of registers', () => {
  test.each([
    [
      'no anomaly in a clean history',
      h`w(x,1) r(x,1) w(x,2) r(x,2)
      r(x,2) r(x,2) w(x,3)`,
      [],
    ],
    ['a thin-air read', h`r(x,7)`, ['thin-air-read: r(x, 7)']],
    [
      'an aborted read',
      h`!w(x,1)
      r(x,1)`,
      ['aborted-read: r(x, 1), w(x, 1)'],
    ],
    ['a future read', h`r(x,1) w(x,1)`, ['future-read: r(x, 1), w(x, 1)']],
    [
      'a read that does not see the own write',
      h`w(x,1)
      w(x,2) r(x,1)`,
      ['not-my-own-write: r(x, 1), w(x, 2)'],
    ],
    ['a read of the initial state after an own write', h`w(x,2) r(x,0)`, ['not-my-own-write: r(x, 0), w(x, 2)']],
    ['a read of the own write before the last', h`w(x,1) w(x,2) r(x,1)`, ['not-my-last-write: r(x, 1), w(x, 2)']],
    [
      'an intermediate read',
      h`w(x,1) w(x,2)
      r(x,1)`,
      ['intermediate-read: r(x, 1), w(x, 1)'],
    ],
    [
      'a non-repeatable read',
      h`w(x,1)
      r(x,0) r(x,1)`,
      ['non-repeatable-read: r(x, 1), r(x, 0)'],
    ],
    [
      'two anomalies of one read',
      h`w(x,1) w(x,2)
      r(x,0) r(x,1)`,
      ['intermediate-read: r(x, 1), w(x, 1)', 'non-repeatable-read: r(x, 1), r(x, 0)'],
    ],
    [
      'a read of nil where another initial value is declared',
      h`r(x,0) r(x,nil)
      w(x,0) w(y,1)`,
      ['thin-air-read: r(x, nil)', 'non-repeatable-read: r(x, nil), r(x, 0)'],
    ],
    ['nothing about reads of aborted transactions', h`!r(x,7)`, []],
    ['nothing about transactions of unknown outcome that nobody saw', h`?r(x,7) w(y,1)`, []],
    [
      'reads of transactions of unknown outcome that somebody saw',
      h`?r(x,7) w(y,1)
      r(y,1)`,
      ['thin-air-read: r(x, 7)'],
    ],
    ['an own write before reads that differ from earlier ones', h`r(x,0) w(x,1) r(x,1)`, []],
    [
      'a compare-and-set that does not see the own write',
      h`w(x,1) cas(x,0,2)`,
      ['not-my-own-write: cas(x, 0 → 2), w(x, 1)'],
    ],
    [
      'the rows of a range read',
      h`!w(a,1)
      range(a,c,a=1 b=7)`,
      ['aborted-read: range(a to c: {a: 1, b: 7}), w(a, 1)', 'thin-air-read: range(a to c: {a: 1, b: 7})'],
    ],
    [
      'nothing about repeated values that have a legal reading',
      h`w(x,1)
      w(x,1) w(x,2)
      r(x,1)`,
      [],
    ],
  ])('internal anomalies of registers include %s', (_, history, expected) => {
    expect(anomalies(history)).toEqual(expected);
  });
});

describe('internal anomalies of lists', () => {
  test.each([
    [
      'no anomaly in a clean history',
      h`a(x,1)
      r(x,[1]) a(x,2) a(x,3) r(x,[1 2 3]) r(x,[1 2 3])
      r(x,[1 2 3])`,
      [],
    ],
    [
      'an element out of thin air',
      h`a(x,1)
      r(x,[7 1])`,
      ['thin-air-read: r(x, [7 1])'],
    ],
    [
      'an aborted element anywhere',
      h`!a(x,1)
      a(x,2)
      r(x,[1 2])`,
      ['aborted-read: r(x, [1 2]), append(x, 1)'],
    ],
    ['an own later append', h`r(x,[1]) a(x,1)`, ['future-read: r(x, [1]), append(x, 1)']],
    [
      'a missing own append',
      h`a(x,1)
      a(x,2) r(x,[1])`,
      ['not-my-own-write: r(x, [1]), append(x, 2)'],
    ],
    [
      'an own earlier write of a value that a later transaction wrote, too',
      h`w(x,7) w(x,2) r(x,7) | w(x,7)`,
      ['not-my-last-write: r(x, 7), w(x, 2)'],
    ],
    ['an own earlier write of the initial value', h`w(x,0) w(x,2) r(x,0)`, ['not-my-last-write: r(x, 0), w(x, 2)']],
    ['a missing last own append', h`a(x,1) a(x,2) r(x,[1])`, ['not-my-last-write: r(x, [1]), append(x, 2)']],
    [
      'another’s append after the own one, unseen before',
      h`a(x,9)
      a(x,1) r(x,[1 9])`,
      ['not-my-own-write: r(x, [1 9]), append(x, 1)'],
    ],
    [
      'an intermediate read',
      h`a(x,1) a(x,2)
      r(x,[1])`,
      ['intermediate-read: r(x, [1]), append(x, 1)'],
    ],
    [
      'a read that lacks the own append is no earlier read to compare with',
      h`a(x,1) r(x,[5]) r(x,[1])
      a(x,5)`,
      ['not-my-own-write: r(x, [5]), append(x, 1)'],
    ],
    [
      'the last append of an aborted transaction, which is no intermediate one',
      h`!a(x,1) a(x,2)
      r(x,[1 2])`,
      ['aborted-read: r(x, [1 2]), append(x, 1)'],
    ],
    [
      'lists that differ between two reads',
      h`a(x,1)
      r(x,[]) r(x,[1])`,
      ['non-repeatable-read: r(x, [1]), r(x, [])'],
    ],
    [
      'lists that differ apart from own appends',
      h`a(x,1)
      r(x,[]) a(x,2) r(x,[1 2])`,
      ['non-repeatable-read: r(x, [1 2]), r(x, [])'],
    ],
    ['a list that lost the own append again', h`a(x,1) r(x,[1]) r(x,[])`, ['not-my-own-write: r(x, []), append(x, 1)']],
    [
      'a list that changed and shows an own later append',
      h`r(x,[]) r(x,[1]) a(x,1)`,
      ['future-read: r(x, [1]), append(x, 1)', 'non-repeatable-read: r(x, [1]), r(x, [])'],
    ],
    [
      'a list that went back to one that its writer only passed through',
      h`a(x,1) a(x,2)
      r(x,[1 2]) r(x,[1])`,
      ['non-repeatable-read: r(x, [1]), r(x, [1 2])', 'intermediate-read: r(x, [1]), append(x, 1)'],
    ],
    ['nothing about results that were never learned', h`a(x,1) r(x,[?]) r(x,[1])`, []],
  ])('internal anomalies of lists include %s', (_, history, expected) => {
    expect(anomalies(history)).toEqual(expected);
  });
});

test('no anomaly is missed where the index reports no suspicious read', () => {
  const value = fc.bigInt({ min: 0n, max: 3n });
  const key = fc.constantFrom('x', 'y');
  const operation: fc.Arbitrary<PlainOperation> = fc.oneof(
    fc.record({ kind: fc.constantFrom('read' as const, 'write' as const), key, value: fc.option(value) }),
    fc.record({
      kind: fc.constant('compare-and-set' as const),
      key,
      observed: value,
      written: value,
      failed: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('range-read' as const),
      low: key,
      high: fc.constant('y'),
      rows: fc.array(fc.record({ key, value, dead: fc.constant(false) }), { maxLength: 2 }),
    }),
  );
  const transaction = fc.record({
    status: fc.constantFrom('committed' as const, 'aborted' as const, 'unknown' as const),
    operations: fc.array(operation, { maxLength: 4 }),
  });
  let even = 0;
  fc.assert(
    fc.property(fc.array(fc.array(transaction, { maxLength: 2 }), { maxLength: 3 }), (sessions) => {
      const history = fromPlain({
        initial: 0n,
        sessions: sessions.map((transactions, s) => ({ name: BigInt(s), transactions })),
      });
      const index = buildReadFrom(history);
      if (index.isOdd.includes(0)) even++;
      const all = { ...index, isOdd: index.isOdd.map(() => 1), spoiltReads: 1 };
      expect(found(findInternalAnomalies(history, index))).toEqual(found(findInternalAnomalies(history, all)));
    }),
    { numRuns: 2000 },
  );
  expect(even).toBeGreaterThan(200);
});

test('the search is linear if all other transactions read from one transaction', () => {
  // A search through the writer for each read would take minutes.
  const keys = 200_000;
  const initial = Array.from({ length: keys }, (_, i) => ({
    kind: 'write' as const,
    key: BigInt(i),
    value: BigInt(i + 1),
  }));
  const reads = initial.map((write) => ({ ...write, kind: 'read' as const }));
  const history = manyReaders(initial, reads);
  expect(findInternalAnomalies(history, buildReadFrom(history)).count).toBe(0);
});

function manyReaders(writes: readonly PlainOperation[], reads: readonly PlainOperation[]): History {
  const committed = (operations: readonly PlainOperation[]) => ({ status: 'committed' as const, operations });
  return fromPlain({
    sessions: [
      { name: 'loader', transactions: [committed(writes)] },
      { name: 'reader', transactions: reads.map((read) => committed([read])) },
    ],
  });
}
