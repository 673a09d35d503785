import { expect, test } from 'vitest';
import { matches } from '../src/rows/predicate.ts';
import { rowOfText, textOfRow } from '../src/rows/row.ts';
import { aggregateOf } from '../src/rows/scans.ts';

test('aggregates leave out rows without the column, and are null without rows', () => {
  const rows = [{ n: 2 }, { n: null }, { n: 1 }, {}];
  const all = (['count', 'sum', 'min', 'max'] as const).map((kind) => aggregateOf({ kind, column: 'n' }, rows));
  expect(all).toEqual([4, 3, 1, 2]);
  expect(aggregateOf({ kind: 'max', column: 'n' }, [])).toBeNull();
  expect(aggregateOf({ kind: 'count' }, [])).toBe(0);
});

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'a row without the column %s has no value in it',
  (column) => {
    const row = rowOfText('{"a":1}');
    expect(matches(['null', column], row)).toBe(true);
    expect(matches(['<>', column, 1], row)).toBe(false);
    expect(aggregateOf({ kind: 'max', column }, [row])).toBeNull();
    const other = rowOfText(`{"${column}":2}`);
    expect(matches(['=', column, 2], other)).toBe(true);
    expect(textOfRow(other)).toBe(`{"${column}":2}`);
  },
);
