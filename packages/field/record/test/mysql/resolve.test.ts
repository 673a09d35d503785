import { expect, test } from 'vitest';
import { Rows } from '../../src/mysql/history/rows.ts';
import { Resolver } from '../../src/mysql/history/resolve.ts';
import type { Transaction } from '../../src/mysql/recording/transaction.ts';
import { statementsOf } from '../../src/mysql/sql/statement.ts';

const column = (name: string) => ({
  name,
  type: 3,
  metadata: 0,
  isUnsigned: false,
  kind: 'integer' as const,
  values: [],
});
const table = { schema: 'shop', table: 'items', columns: [column('id'), column('stock'), column('price')], key: [0] };

/** A transaction that reads the stock of one row, whose price it does not see. */
function reading(stock: string): Transaction {
  const [statement] = statementsOf('select id, stock from items', { ansiQuotes: false, plainBackslashes: false })!;
  const place = { schema: 'shop', alias: 'items', table: 'items', charset: 63, type: 3, flags: 0, decimals: 0 };
  const columns = ['id', 'stock'].map((name) => ({ ...place, column: name }));
  const found = { columns, rows: [['1', stock]], isWhole: true };
  const rest = { parameters: null, isPrepared: false, schema: 'shop', changed: 0, matched: null };
  return {
    session: { name: '1', serverId: 1 },
    level: 'serializable',
    hasSnapshots: false,
    begin: 1n,
    isExplicit: true,
    hasSnapshotAtBegin: false,
    steps: [{ ...rest, statement: statement!, sent: 2n, answered: 3n, found }],
    locks: [],
    savepoints: [],
    committing: 4n,
    end: 5n,
    outcome: 'committed',
  };
}

test.each([
  ['10', 1, 0],
  ['7', 0, 1],
])('a read by locks of the stock %s is known, or is counted as unexplained', (stock, known, unexplained) => {
  const rows = new Rows(new Map());
  rows.initial(table, [['1', '10', '5']]);
  const resolver = new Resolver(rows);
  const read = { transaction: reading(stock), outcome: 'committed', writer: null, steps: null } as const;
  const [step] = resolver.resolve(read, new Map());
  expect(step!.operations).toHaveLength(known);
  expect(resolver.unresolved).toEqual({ ambiguous: 0, unexplained });
});
