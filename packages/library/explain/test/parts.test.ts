import { LEVELS, type LevelName } from '@isolab/contract';
import { type History, OpKind, atomOf, findInvalid, rowsOf, toRegisters } from '@isolab/history';
import { levelsSatisfied } from '@isolab/oracle';
import { NAMED_HISTORIES, arbitraryHistory, h, printHistory } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compact } from '../src/shrink/compact.ts';
import { partsOf } from '../src/shrink/part.ts';
import { get, histories, historyOf, put } from './support/row-histories.ts';

const ALL: readonly LevelName[] = LEVELS.map(({ name }) => name);

/** The part without the transactions or operations of the given numbers. */
function without(history: History, which: readonly number[], what: 'transactions' | 'operations'): History {
  const txns = new Uint8Array(history.txnStatus.length).fill(1);
  const ops = new Uint8Array(history.opKind.length).fill(1);
  const mask = what === 'transactions' ? txns : ops;
  for (const i of which) if (mask.length > 0) mask[i % mask.length] = 0;
  return partsOf(history)(txns, ops).history;
}

function expectNoNewViolation(history: History, part: History): void {
  const before = levelsSatisfied(history);
  const after = new Set(levelsSatisfied(part));
  const lost = before.filter((level) => !after.has(level));
  expect(lost, `${printHistory(history)}\n\nbecame\n\n${printHistory(part)}`).toEqual([]);
}

const removal = fc.record({
  which: fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 3 }),
  what: fc.constantFrom('transactions', 'operations'),
});

describe('a part of a history', () => {
  test.each([
    ['registers', { aborted: true, unknown: true, times: true }],
    ['repeated values', { repeatedValues: true, aborted: true, unknown: true, transactions: 4 }],
    ['lists', { lists: true, aborted: true, unknown: true, transactions: 4 }],
  ] as const)('a part of a history satisfies the levels of the whole: %s', (_, bounds) => {
    fc.assert(
      fc.property(arbitraryHistory({ ...bounds, disturbances: 1 }), removal, (history, { which, what }) => {
        expectNoNewViolation(history, without(history, which, what));
      }),
      { numRuns: 120, seed: 11 },
    );
  });

  test.each(NAMED_HISTORIES.map(({ name, history }) => [name, toRegisters(history).history] as const))(
    'a part of a history of %s satisfies the levels of the whole, without any single operation',
    (_, history) => {
      for (let t = 0; t < history.txnStatus.length; t++)
        expectNoNewViolation(history, without(history, [t], 'transactions'));
      for (let op = 0; op < history.opKind.length; op++)
        expectNoNewViolation(history, without(history, [op], 'operations'));
    },
  );

  test('a part of a history loses with a write all its readers, through exchanges too', () => {
    const part = without(
      h`cas(x,0,1)
cas(x,1,2)
r(x,2) w(y,1)`,
      [0],
      'transactions',
    );
    expect(printHistory(part)).toBe('w(y,1)');
  });

  test('a part of a history loses failed exchanges of a key with any write of it: they speak of every value that it had', () => {
    expect(
      printHistory(
        without(
          h`w(x,1)
w(x,2)
cas!(x,9,3)`,
          [1],
          'transactions',
        ),
      ),
    ).toBe('w(x,1)');
  });

  test('a part of a history has lists without the elements that are gone', () => {
    expect(
      printHistory(
        without(
          h`a(x,1)
a(x,2)
r(x,[1 2])`,
          [0],
          'transactions',
        ),
      ),
    ).toBe('a(x,2)\nr(x,[2])');
  });
});

describe('compact', () => {
  test.each(NAMED_HISTORIES.filter(({ history }) => !history.opKind.includes(OpKind.RangeRead)))(
    'compact leaves $name as it was',
    ({ history }) => {
      const small = compact(history);
      expect(printHistory(small)).toBe(printHistory(history));
      expect(levelsSatisfied(small, ALL)).toEqual(levelsSatisfied(history, ALL));
    },
  );

  test('compact drops keys, values, lists and sessions that nothing refers to', () => {
    const part = without(
      h`w(a,1) w(b,2)
a(l,5)
r(l,[5])
w(c,3)`,
      [0, 1],
      'transactions',
    );
    const small = compact(part);
    expect(printHistory(small)).toBe('r(l,[])\nw(c,3)');
    expect(small.keys.type).toHaveLength(2);
    expect(small.values.type).toHaveLength(4); // nil, unknown, the initial 0, 3
    expect(small.lists.parent).toHaveLength(1);
    expect([...small.txnPosition]).toEqual([3, 4]);
  });
});

describe('the rows of a part', () => {
  const spare = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [100 + i, { n: i }]));

  test('the rows of a part keep their tables and their numbers, although keys that nothing uses are gone', () => {
    const history = historyOf([[put(1, { n: 1 })], [get(170, { n: 70 }), put(170, { n: 2 })], [get(1, null)]], spare);
    const part = without(history, [0, 2], 'transactions');
    expect(findInvalid(part)).toBeNull();
    expect(part.keyInitial).toHaveLength(1);
    expect([...part.scans.keyTable]).toEqual([0]);
    expect([...rowsOf(part)!.row]).toEqual([history.opKey[1]]);
  });

  test('the rows of a part are those of the whole in any part, of tables or lowered', () => {
    fc.assert(
      fc.property(histories, removal, (history, { which, what }) => {
        for (const whole of [history, toRegisters(history).history]) {
          if (whole.opKind.includes(OpKind.Scan)) continue;
          const before = rowsOf(whole);
          const part = compact(without(whole, which, what));
          expect(findInvalid(part)).toBeNull();
          part.opKey.forEach((key) => {
            const name = atomOf(part.keys, key);
            const old = Array.from(whole.keys.type, (_, each) => each).find(
              (each) => atomOf(whole.keys, each) === name,
            )!;
            expect(rowsOf(part)?.row[key]).toBe(before?.row[old]);
            expect(rowsOf(part)?.condition[key]).toBe(before?.condition[old]);
          });
        }
      }),
      { numRuns: 100 },
    );
  });
});
