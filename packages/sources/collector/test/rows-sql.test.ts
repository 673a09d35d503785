import type { Predicate } from '@isolab/history';
import type { Table, TableRequest } from '@isolab/workloads';
import { describe, expect, test } from 'vitest';
import { driverFor } from '../src/index.ts';

const ITEMS: Table = { name: 'items', columns: { grp: 'integer', open: 'boolean' }, index: 'grp' };
const PARTS: Table = { name: 'parts', columns: { kind: 'integer' }, index: 'kind' };

const WHERE: Predicate = ['and', ['between', 'grp', 1, 3], ['or', ['=', 'open', true], ['in', 'id', [7, 8]]]];
const row = { id: 5, grp: 2, open: false, v: 9 };

const REQUESTS: Record<string, TableRequest> = {
  get: { kind: 'get', table: ITEMS, id: 5 },
  select: { kind: 'select', table: ITEMS, where: WHERE },
  count: { kind: 'aggregate', table: ITEMS, where: true, of: { kind: 'count' } },
  max: { kind: 'aggregate', table: ITEMS, where: ['not', ['null', 'grp']], of: { kind: 'max', column: 'grp' } },
  join: { kind: 'join', table: ITEMS, where: ['<', 'grp', 3], by: 'grp', other: PARTS },
  insert: { kind: 'insert-row', table: ITEMS, row },
  'insert if absent': { kind: 'insert-row', table: ITEMS, row, ifAbsent: true },
  update: { kind: 'update', table: ITEMS, where: ['=', 'grp', 2], set: { open: true, v: 10 } },
  delete: { kind: 'delete-rows', table: ITEMS, where: ['=', 'grp', 2] },
};

/** Statements that PostgreSQL, SQLite and DuckDB are sent alike, with the values in their places. */
const RETURNING: Record<string, string> = {
  get: 'SELECT id, grp, open, v FROM isolab_items WHERE id = 5',
  select: 'SELECT id, grp, open, v FROM isolab_items WHERE (grp BETWEEN 1 AND 3 AND (open = TRUE OR id IN (7, 8)))',
  count: 'SELECT count(*) AS result FROM isolab_items WHERE TRUE',
  max: 'SELECT max(grp) AS result FROM isolab_items WHERE NOT (grp IS NULL)',
  join: 'SELECT a.id AS id, a.grp AS grp, a.open AS open, a.v AS v, b.id AS other_id, b.kind AS other_kind, b.v AS other_v FROM isolab_items a LEFT JOIN isolab_parts b ON b.id = a.grp WHERE a.grp < 3',
  insert: 'INSERT INTO isolab_items (id, grp, open, v) VALUES (5, 2, FALSE, 9)',
  'insert if absent':
    'INSERT INTO isolab_items (id, grp, open, v) VALUES (5, 2, FALSE, 9) ON CONFLICT (id) DO NOTHING RETURNING id',
  update:
    'UPDATE isolab_items SET was_grp = grp, was_open = open, was_v = v, open = TRUE, v = 10 WHERE grp = 2 RETURNING *',
  delete: 'DELETE FROM isolab_items WHERE grp = 2 RETURNING id, grp, open, v',
};

/** MySQL has no RETURNING: rows are locked, and changed by their ids. */
const LOCKING: Record<string, string[]> = {
  'insert if absent': ['INSERT IGNORE INTO isolab_items (id, grp, open, v) VALUES (5, 2, FALSE, 9)'],
  update: [
    'SELECT id, grp, open, v FROM isolab_items WHERE grp = 2 FOR UPDATE',
    'UPDATE isolab_items SET open = TRUE, v = 10 WHERE id IN (0)',
  ],
  delete: [
    'SELECT id, grp, open, v FROM isolab_items WHERE grp = 2 FOR UPDATE',
    'DELETE FROM isolab_items WHERE id IN (0)',
  ],
};

describe.each(['postgres', 'sqlite', 'duckdb', 'mysql'])('%s', (scheme) => {
  test.each(Object.keys(REQUESTS))('%s is one statement of its dialect', async (name) => {
    const { sql } = await driverFor(`${scheme}://localhost`);
    const expected = (scheme === 'mysql' ? LOCKING[name] : undefined) ?? [RETURNING[name]!];
    expect(await sql!.request('tables', REQUESTS[name]!)).toEqual(expected);
  });

  test('a table has a primary key, a second index, and a version', async () => {
    const { sql } = await driverFor(`${scheme}://localhost`);
    const statements = sql!.tables('tables', [ITEMS]);
    const [drop, create, index] = statements.filter((statement) => statement.includes('isolab_items'));
    expect(drop).toBe('DROP TABLE IF EXISTS isolab_items');
    expect(create).toContain('(id BIGINT PRIMARY KEY, grp BIGINT NOT NULL, open BOOLEAN NOT NULL, v BIGINT NOT NULL');
    expect(create!.includes('was_grp BIGINT, was_open BOOLEAN, was_v BIGINT')).toBe(scheme !== 'mysql');
    expect(index).toBe('CREATE INDEX isolab_items_grp ON isolab_items (grp)');
    expect(statements.some((statement) => statement.includes('isolab_registers'))).toBe(true); // says whose they are
  });
});
