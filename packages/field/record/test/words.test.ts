import { describe, expect, test } from 'vitest';
import { adviceFor } from '../src/judgement/advice.ts';
import { FRAMEWORKS, frameworkNamed, frameworkOf } from '../src/judgement/remedies.ts';
import { assignmentsOf, overwrites } from '../src/sql/assignments.ts';
import { withoutMisleadingReads } from '../src/recorded/misleading-reads.ts';
import { originOf, withoutVarying } from '../src/sql/origin.ts';

describe('the origin of a statement', () => {
  test.each([
    ["select 1 /*file='shop.mjs',line='12'*/", 'select 1', 'shop.mjs:12'],
    ["/*controller='items',action='buy',framework='rails%3A7.1'*/ select 1", 'select 1', 'items#buy'],
    ["select 1 /*route='%2Fbuy%2F%3Aid',test='it%27s sold'*/", 'select 1', "/buy/:id, test “it's sold”"],
    ['select 1 /* a plain comment */', 'select 1 /* a plain comment */', null],
    ['select 1', 'select 1', null],
  ])('%s', (sql, bare, place) => {
    expect(originOf(sql)).toMatchObject({ sql: bare, place });
  });

  test('values that differ in each request are no part of a shape', () => {
    expect(withoutVarying("select 1 /*route='%2Fa',traceparent='00-5bd6-01',tracestate='x%3D1'*/")).toBe(
      "select 1 /*route='%2Fa'*/",
    );
    expect(withoutVarying("select 1 /*traceparent='00-5bd6-01'*/")).toBe('select 1');
  });
});

describe('the columns that an UPDATE computes', () => {
  test.each([
    ['update t set n = n - 1 where id = $1', { n: true }],
    ['update "items" set "stock" = "items"."stock" - $1, "name" = $2', { stock: true, name: false }],
    ['UPDATE "shop_item" SET "stock" = ("shop_item"."stock" - 1) WHERE "id" = 1', { stock: true }],
    ['UPDATE t SET n=COALESCE(n, 0)+1,at=now() RETURNING n', { n: true, at: false }],
    ['update t set n = $1, n2 = n3 where n = 5', { n: false, n2: false }],
    ['delete from t where n = n', {}],
  ])('%s', (sql, assigned) => {
    expect(Object.fromEntries(assignmentsOf(sql))).toEqual(assigned);
  });

  test('an UPDATE overwrites a change of a column that it does not compute', () => {
    const [before, after] = [
      { n: 1, v: 1, xmin: 1 },
      { n: 2, v: 2, xmin: 2 },
    ];
    expect(overwrites('update t set n = $1, v = v + 1', before, after)).toBe(true);
    expect(overwrites('update t set n = n - 1, at = $1', before, after)).toBe(false);
    expect(overwrites('delete from t', before, after)).toBe(true);
  });
});

describe('remedies in the words of a framework', () => {
  test.each([
    ['prisma', 'SELECT "public"."Item"."id" FROM "public"."Item" WHERE ("public"."Item"."id" = $1 AND 1=1) LIMIT $2'],
    ['hibernate', 'select i1_0.id,i1_0.stock from item i1_0 where i1_0.id=$1'],
    ['django', 'SELECT "shop_item"."id", "shop_item"."stock" FROM "shop_item" WHERE "shop_item"."id" = $1 LIMIT 21'],
    ['sqlalchemy', 'SELECT items.id AS items_id, items.stock AS items_stock \nFROM items \nWHERE items.id = $1'],
    [
      'typeorm',
      'SELECT "Item"."id" AS "Item_id", "Item"."stock" AS "Item_stock" FROM "item" "Item" WHERE "Item"."id" = $1',
    ],
    ['sequelize', 'SELECT "id", "stock" FROM "Items" AS "Item" WHERE "Item"."id" = 1;'],
    ['activerecord', 'SELECT "items".* FROM "items" WHERE "items"."id" = $1 LIMIT $2'],
    ['drizzle', 'select "stock" from "items" where "items"."id" = $1'],
    ['knex', 'select "stock" from "items" where "id" = $1 limit $2'],
    ['sqlc', '-- name: GetItem :one\nSELECT id, stock FROM items WHERE id = $1'],
    ['django', "select stock from items where id = $1 /*framework='django%3A5.1'*/"],
    [undefined, 'select stock from items where id = $1'],
  ])('%s is recognized', (name, sql) => {
    expect(frameworkOf([sql])?.name).toBe(name);
  });

  test('advice has the words of the asked frameworks', () => {
    const parties = [{ name: 'T1', statements: ['select n from t', 'update t set n = $1'] }];
    const advised = { name: 'lost-update', preventedBy: 'repeatable read', parties, refusal: '40001' } as const;
    const [, , , ...words] = adviceFor({ ...advised, frameworks: FRAMEWORKS });
    expect(words).toHaveLength(FRAMEWORKS.length);
    for (const [i, { name, lock, compute }] of FRAMEWORKS.entries()) {
      expect(words[i]).toContain(`With ${name}: ${lock}; or ${compute}; or `);
      expect(frameworkNamed(name)?.name).toBe(name);
    }
    expect(adviceFor({ ...advised, frameworks: null })).toHaveLength(3);
  });
});

test('a condition that its rows contradict is not used, but its rows are', () => {
  let misread = 0;
  const line = (ops: unknown): string =>
    JSON.stringify({ session: '1', ops, steps: [[0, 1]], shapes: [[0, 'select * from t where n > $1']] });
  const told = withoutMisleadingReads(() => misread++);
  const scan = (n: number): unknown => [['scan', 't', ['>', 'n', 1], [[1, { n }]]]];
  expect(told(line(scan(2)))).toBe(line(scan(2)));
  expect(JSON.parse(told(line(scan(0))))).toMatchObject({ ops: [['get', 't', 1, { n: 0 }]], steps: [[0, 1]] });
  expect(misread).toBe(1);
});

test('a version without a known write is not used in a table that was defined again', () => {
  const told = withoutMisleadingReads(() => {}, new Set(['t']));
  const line = (ops: readonly (readonly unknown[])[]): string =>
    JSON.stringify({ session: '1', ops, steps: [[0, ops.length]] });
  const get = (table: string, xmin: number): readonly unknown[] => ['get', table, 1, { xmin }];
  expect(told('{"rows":[["t",1,{"xmin":5}]]}')).toBe('{"rows":[["t",1,{"xmin":5}]]}');
  told(line([['put', 't', 1, { xmin: 7 }]]));
  told('{"session":"outside 1","ops":[["put","t",1,{"xmin":8}]]}');
  const known = line([get('t', 5), get('t', 7), get('t', 8), get('other', 6), ['get', 't', 2, null]]);
  expect(told(known)).toBe(known);
  expect(told(line([get('t', 6), get('t', 7)]))).toBe(line([get('t', 7)]));
});
