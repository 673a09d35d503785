import { expect, test } from 'vitest';
import { type PlainOperation, type Predicate, UNKNOWN, fromPlain, rowName, textOfRow } from '../src/index.ts';
import { countRows } from '../src/registers/row-counts.ts';

const put = (table: string, key: bigint): PlainOperation => ({
  kind: 'write',
  key: rowName(table, key),
  value: textOfRow({ n: 1 }),
});
const scan = (where: Predicate, keys: readonly bigint[], count: number | null = null): PlainOperation => ({
  kind: 'scan',
  table: 't',
  where,
  rows: keys.map((key) => ({ key: rowName('t', key), value: UNKNOWN })),
  aggregate: count === null ? null : { kind: 'count', result: count },
});

test('the report counts rows by table, scans by returned rows, and predicates that are not modelled', () => {
  const history = fromPlain({
    sessions: [
      {
        name: 1n,
        transactions: [
          { status: 'committed', operations: [put('t', 1n), put('t', 2n), put('u', 1n)] },
          { status: 'committed', operations: [scan(['=', 'n', 1], [1n, 2n]), scan(['=', 'n', 2], [])] },
          { status: 'committed', operations: [scan(['=', 'n', 1], [], 2), scan(['sql', "n LIKE '1'"], [1n])] },
        ],
      },
    ],
    tables: ['t', 'u'],
  });
  expect(countRows(history)).toEqual({
    tables: { t: 2, u: 1 },
    scans: 3,
    aggregates: { count: 1 },
    opaqueScans: 1,
    predicates: 3,
    returned: 3,
    mostReturned: 2,
  });
});

test('the report is empty for a history without tables', () => {
  expect(countRows(fromPlain({ sessions: [] }))).toBeNull();
});
