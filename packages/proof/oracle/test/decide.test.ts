import type { LevelName } from '@isolab/contract';
import { type PlainOperation, fromPlain, rowName, textOfRow } from '@isolab/history';
import { builtInLevel } from '@isolab/levels';
import { describe, expect, test } from 'vitest';
import { decide, decideDefinition, levelsSatisfied } from '../src/index.ts';
import { h } from './support/histories.ts';

const holds = (history: Parameters<typeof decide>[0], level: LevelName): boolean => decide(history, level).satisfied;

test('a list shows no later append of its reader, and no own append twice', () => {
  const level = builtInLevel('read-your-writes')!;
  const holdsAt = (history: Parameters<typeof decide>[0]): boolean => decideDefinition(history, level).satisfied;
  expect(
    holdsAt(h`r(x,[1 2]) a(x,1)
      a(x,2)`),
  ).toBe(false);
  expect(
    holdsAt(h`a(x,2) r(x,[2 1 2])
      a(x,1)`),
  ).toBe(false);
  expect(
    holdsAt(h`a(x,2) r(x,[2 1 2])
      a(x,1)
      a(x,2)`),
  ).toBe(true);
});

describe('outcomes', () => {
  test('a transaction of unknown outcome counts only if that helps', () => {
    expect(holds(h`?w(x,1) | r(x,0)`, 'serializable')).toBe(true);
    expect(holds(h`?w(x,1) | r(x,1)`, 'serializable')).toBe(true);
    expect(
      holds(
        h`?w(x,1) w(y,1)
        r(x,1) r(y,0)`,
        'serializable',
      ),
    ).toBe(false);
  });

  test('a transaction that was seen happened with all its operations, also at cut isolation', () => {
    const seen = h`?w(x,1) r(y,1) r(y,2)
      r(x,1)`;
    expect(holds(seen, 'cut-isolation')).toBe(false);
    expect(holds(h`?w(x,1) r(y,1) r(y,2)`, 'cut-isolation')).toBe(true);
  });

  test('a transaction of unknown outcome may commit long after its client gave up', () => {
    const late = h`?w(x,1) @1-2
      r(x,0) @3-4 | r(x,1) @5-6`;
    expect(holds(late, 'strict-serializable')).toBe(true);
    expect(holds(late, 'strong-snapshot-isolation')).toBe(true);
  });

  test('a commit without a known return came after its call', () => {
    const early = h`w(x,1) @5-
      r(x,1) @0..1-9`;
    expect(holds(early, 'strict-serializable')).toBe(true);
    expect(holds(early, 'generalized-snapshot-isolation')).toBe(false);
  });

  test.each([
    ['w(x,1) @5..6-7..8\nr(x,1) @0..1-9', false, 'the reader had begun before the writer asked to commit'],
    ['w(x,1) @5..6-7..8\nr(x,1) @0..7-9', true, 'the reader may have begun after the writer had asked to commit'],
    ['w(x,1) @5..6-7..8\nr(x,1) @0-9', true, 'the reader may have begun at any time until it returned'],
    ['w(x,1) @1-8\nr(x,1) @2..3-4', true, 'the writer may have committed right after its call'],
    ['w(x,1) @1-7..8\nr(x,1) @2..3-4', false, 'the writer asked to commit after the reader had returned'],
  ])('generalized snapshot isolation of %j is %s: %s', (text, expected) => {
    expect(holds(h({ raw: [text] } as never), 'generalized-snapshot-isolation')).toBe(expected);
  });

  test('aborted transactions may do anything, but no transaction may see it', () => {
    expect(levelsSatisfied(h`!r(x,7) r(x,8) w(x,1)`)).toHaveLength(16);
    expect(
      levelsSatisfied(h`!w(x,1)
      r(x,1)`),
    ).toEqual(['cut-isolation']);
  });

  test('the verdict names the transactions that happened, in an order', () => {
    const verdict = decide(
      h`r(x,1) w(y,1)
      ?w(x,1)
      ?w(x,2)
      !w(x,3)`,
      'serializable',
    );
    expect(verdict.happened).toEqual([0, 1]);
    expect(verdict.certificate).toEqual({ kind: 'commit-order', order: [1, 0] });
  });
});

describe('reads of keys', () => {
  test.each([
    ['of its own latest write', h`w(x,1) w(x,2) r(x,2)`, true],
    ['of its own earlier write', h`w(x,1) w(x,2) r(x,1)`, false],
    ['of its own later write', h`r(x,1) w(x,1)`, false],
    ['of the initial state after its own write', h`w(x,1) r(x,0)`, false],
    ['out of thin air', h`r(x,1)`, false],
    ['of the initial state', h`r(x,0) w(x,1)`, true],
  ])('a read %s', (_, history, expected) => {
    expect(holds(history, 'read-committed-pl2')).toBe(expected);
    expect(holds(history, 'serializable')).toBe(expected);
    expect(holds(history, 'cut-isolation')).toBe(true);
  });

  test('read committed judges each read of a key separately, and read atomic judges them together', () => {
    const twice = h`w(x,1)
      r(x,0) r(x,1)`;
    expect(holds(twice, 'read-committed')).toBe(true);
    expect(holds(twice, 'read-committed-dbcop')).toBe(true);
    expect(holds(twice, 'read-atomic')).toBe(false);
    expect(holds(twice, 'cut-isolation')).toBe(false);
  });

  test('a read after an own write only has to see that write', () => {
    expect(holds(h`w(x,1) r(x,1) w(x,2) r(x,2)`, 'serializable')).toBe(true);
    expect(holds(h`r(x,0) w(x,1) r(x,1)`, 'cut-isolation')).toBe(true);
  });
});

describe('repeated values', () => {
  test('one valid assignment of reads to writers is enough', () => {
    expect(holds(h`w(x,1) | w(x,2) | w(x,1) | r(x,1)`, 'serializable')).toBe(true);
    expect(holds(h`w(x,1) | w(x,2) | r(x,1)`, 'serializable')).toBe(false);
    expect(
      holds(
        h`w(x,1) w(y,1)
        w(x,1) w(y,2)
        r(x,1) r(y,0)`,
        'read-committed',
      ),
    ).toBe(false);
  });

  test('a read of the initial value may be from a write or of the initial state', () => {
    expect(holds(h`w(x,1) | w(x,0) | r(x,0)`, 'serializable')).toBe(true);
    expect(
      holds(
        h`w(x,1) | r(x,0)
        w(x,0) w(y,1)`,
        'serializable',
      ),
    ).toBe(true);
  });

  test('an aborted or overwritten write of the same value explains no read', () => {
    expect(
      holds(
        h`w(x,1) w(x,2)
        !w(x,1)
        r(x,1)`,
        'read-committed',
      ),
    ).toBe(false);
  });
});

describe('lists of appends', () => {
  test('a list shows all appends before its last element in the commit order', () => {
    expect(holds(h`a(x,1) | a(x,2) | r(x,[1 2])`, 'serializable')).toBe(true);
    expect(holds(h`a(x,1) | a(x,2) | r(x,[2])`, 'read-committed')).toBe(false);
    expect(
      holds(
        h`a(x,1)
        a(x,2)
        r(x,[1 2])
        r(x,[2 1])`,
        'read-committed-pl2',
      ),
    ).toBe(false);
  });

  test('own appends are at the end of a list', () => {
    expect(holds(h`a(x,1) | r(x,[1]) a(x,2) r(x,[1 2])`, 'serializable')).toBe(true);
    expect(holds(h`a(x,1) | a(x,2) r(x,[1])`, 'read-committed-pl2')).toBe(false);
  });
});

test('real time is strict: transactions whose times touch are concurrent', () => {
  const touching = h`w(x,1) @1-3
    r(x,0) @3-4`;
  expect(holds(touching, 'strict-serializable')).toBe(true);
  expect(
    holds(
      h`w(x,1) @1-2
      r(x,0) @3-4`,
      'strict-serializable',
    ),
  ).toBe(false);
});

test('seven transactions without sessions are decided by a search of all orders', () => {
  const history = h`w(x,1) r(y,1)
    w(x,2) r(y,2)
    w(x,3) r(y,3)
    w(y,1) r(x,1)
    w(y,2) r(x,2)
    w(y,3) r(x,3)
    w(x,4) w(y,4)`;
  expect(levelsSatisfied(history)).toEqual(['cut-isolation', 'linearizable']);
});

describe('scans', () => {
  const [key, value] = [rowName('t', 1n), textOfRow({ n: 1 })];
  const scan = (isReturned: boolean): PlainOperation => ({
    kind: 'scan',
    table: 't',
    where: ['=', 'n', 1],
    rows: isReturned ? [{ key, value }] : [],
    aggregate: null,
  });

  test.each([
    [true, true, true],
    [false, false, true],
    [true, false, false],
    [false, true, false],
  ])(
    'two scans of a transaction that return one row each (%s, %s) are consistent: %s',
    (first, second, isSatisfied) => {
      const history = fromPlain({
        sessions: [[{ kind: 'write', key, value } as const], [scan(first), scan(second)]].map((operations, s) => ({
          name: BigInt(s),
          transactions: [{ status: 'committed', operations }],
        })),
        tables: ['t'],
      });
      for (const level of ['read-atomic', 'snapshot-isolation', 'serializable'] as const)
        expect([level, holds(history, level)]).toEqual([level, isSatisfied]);
      expect(holds(history, 'read-committed')).toBe(first <= second);
    },
  );
});
