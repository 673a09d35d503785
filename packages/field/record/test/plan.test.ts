import { describe, expect, test } from 'vitest';
import type { Ask, Catalog, Column, Names, Table } from '../src/sql/catalog.ts';
import { loadParser } from '../src/sql/parser.ts';
import { Plans } from '../src/recording/plans.ts';
import type { Plan, Planned } from '../src/sql/planned.ts';
import { type Parameter, sentText } from '../src/wire/statement.ts';

const parser = await loadParser();

const column = (name: string, type: Column['type']): Column => ({ name, type });

function table(name: string, given: Partial<Table> = {}): Table {
  const columns = [
    column('id', 'integer'),
    column('owner', 'text'),
    column('amount', 'integer'),
    column('on_call', 'boolean'),
  ];
  return {
    name,
    schema: 'public',
    table: name,
    columns,
    key: ['id'],
    unique: [['id']],
    problem: null,
    sideEffect: null,
    returnsStaleOld: false,
    isWhole: true,
    notInLog: null,
    definition: '',
    storage: '',
    ...given,
  };
}

const TABLES = [
  table('accounts'),
  table('lines', { isWhole: false, key: ['id', 'owner'] }),
  table('totals', { problem: 'a view' }),
  table('audited', { sideEffect: 'triggers' }),
  table('notes', { problem: 'a table without a primary key' }),
  table('audited_notes', { problem: 'a table without a primary key', sideEffect: 'triggers' }),
];

const CATALOG: Catalog = {
  tables: new Map(TABLES.map((each) => [`public.${each.table}`, each])),
  functions: new Set(['transfer']),
  setters: new Set(),
  definers: new Set(),
  aggregates: new Set(['count', 'sum', 'my_aggregate']),
  version: 180_004,
  defersTriggers: false,
  xid: null,
};

const NAMES: Names = {
  catalog: CATALOG,
  schemas: ['public'],
  doubt: null,
  temporary: new Set(),
  unreadable: new Set(),
  use: 'query',
};

const MEANING = { meaning: '', path: '', names: () => NAMES };

/** The plans of a query string, by a database that accepts everything. */
async function plan(sql: string, names = NAMES): Promise<readonly (Planned & Plan)[]> {
  const plans = new Plans({
    parser,
    ask: async () => [],
    catalog: names.catalog,
    isWhole: () => true,
    onCatalog: () => {},
  });
  const planned = await plans.plan(sql, { meaning: '', path: '', names: () => names }, names.use);
  return planned.map((each) => {
    const { text, added, hidden, isSilent, literals } = each;
    return { ...each.plan, ...each, text, added, hidden, isSilent, literals };
  });
}

const plansAsking = (ask: Ask, by = parser): Plans =>
  new Plans({ parser: by, ask, catalog: CATALOG, isWhole: () => true, onCatalog: () => {} });

const one = async (sql: string, names = NAMES): Promise<Planned & Plan> => (await plan(sql, names))[0]!;

describe('columns are added behind those that the client asked for', () => {
  const WHOLE = `"accounts".xmin, ("accounts".*)::text`;
  test.each([
    ['select * from accounts', `select * , ${WHOLE} from accounts`],
    [
      'SELECT id\nFROM accounts WHERE id = 5 FOR UPDATE;',
      `SELECT id\n, ${WHOLE} FROM accounts WHERE id = 5 FOR UPDATE;`,
    ],
    [
      'select a.id is distinct from 3, extract(year from now()) from accounts a order by 1',
      'select a.id is distinct from 3, extract(year from now()) , "a".xmin, ("a".*)::text from accounts a order by 1',
    ],
    [
      `select 'é', "l"."owner" from accounts, lines "l" -- from`,
      `select 'é', "l"."owner" , ${WHOLE}, "l".xmin, "l"."id", "l"."owner" from accounts, lines "l" -- from`,
    ],
    ['delete from accounts where id = 1', `delete from accounts where id = 1 RETURNING ${WHOLE}`],
    ['delete from accounts where id = 1 returning id;', `delete from accounts where id = 1 returning id, ${WHOLE};`],
    [
      'update accounts as a set amount = amount + 1 -- more',
      'update accounts as a set amount = amount + 1 RETURNING "a".xmin, ("a".*)::text, "old".xmin, ("old".*)::text -- more',
    ],
    ["insert into accounts values (1, 'from')", `insert into accounts values (1, 'from') RETURNING ${WHOLE}`],
  ])('%s', async (sql, expected) => {
    const planned = await one(sql);
    expect(sentText(planned)).toBe(expected);
    expect(planned.opaque).toBeNull();
  });

  test('columns of a prepared statement are cast to text, because the client may ask for another format', async () => {
    const names: Names = { ...NAMES, use: 'prepared' };
    expect(sentText(await one('select id from accounts', names))).toBe(
      'select id , "accounts".xmin::text, ("accounts".*)::text from accounts',
    );
    expect(sentText(await one('select 1 from lines', names))).toBe(
      'select 1 , "lines".xmin::text, "lines"."id"::text, "lines"."owner"::text from lines',
    );
  });

  test('columns added for a client that wanted no rows are silent', async () => {
    expect(await one('update accounts set amount = 1')).toMatchObject({ hidden: 4, isSilent: true });
    expect(await one('update accounts set amount = 1 returning id')).toMatchObject({ hidden: 4, isSilent: false });
    expect(await one('select from accounts')).toMatchObject({ hidden: 0, opaque: 'a form that is not rewritten' });
  });
});

test.each([
  ['select count(*) from accounts', 'an aggregate', false],
  ['select my_aggregate(amount) from accounts', 'an aggregate', false],
  ['select id from accounts order by sum(amount)', 'an aggregate', false],
  ['select row_number() over () from accounts', 'a window', false],
  ['select distinct owner from accounts', 'DISTINCT', false],
  ['select owner from accounts group by owner', 'GROUP BY', false],
  ['select 1 from accounts union select 2', 'a set operation', false],
  ['with gone as (delete from accounts returning id) select * from gone', 'a WITH clause', true],
  ['explain analyze delete from accounts', 'EXPLAIN', true],
  ['select * into copy from accounts', 'SELECT INTO', false],
  ['select * from totals', 'a view', false],
  ['select * from nowhere', 'an unknown table', false],
  ['select transfer(1, 2)', 'the function transfer', true],
  ['update accounts set id = 2 where id = 1', 'a change of a primary key', true],
  ['update totals set amount = 2', 'a view', true],
  ['copy accounts from stdin', 'COPY', true],
  ['do $$ begin delete from accounts; end $$', 'DO', true],
  ['select * from (select * from accounts) as a', 'a sub-query', false],
  ['not SQL', 'not parsed', true],
])('left as it is: %s', async (sql, opaque, mayWriteUnseen) => {
  const planned = await one(sql);
  expect(planned).toMatchObject({ text: sql, hidden: 0, isSilent: false, opaque, mayWriteUnseen });
});

test.each([
  'select 1',
  'select now()',
  'select count(*) from pg_class union select 2',
  'select (select 1) from information_schema.tables',
  'with t as (select oid from pg_catalog.pg_class) select * from t',
  'begin',
])('the plan says nothing of rows of users: %s', async (sql) => {
  expect(await one(sql)).toMatchObject({ text: sql, hidden: 0, opaque: null, mayWriteUnseen: false });
});

test('side effects of a statement are reported', async () => {
  expect(await one('delete from audited')).toMatchObject({ hidden: 2, opaque: 'triggers', mayWriteUnseen: true });
  const asks = await one('select * from accounts where id in (select id from lines)');
  expect(asks).toMatchObject({ hidden: 2, opaque: 'a sub-query', mayWriteUnseen: false });
});

test('tables that the user may not read, and names that may mean others, are left alone', async () => {
  const sql = 'select * from accounts';
  expect(await one(sql, { ...NAMES, unreadable: new Set(['public.accounts']) })).toMatchObject({ hidden: 0 });
  expect(await one(sql, { ...NAMES, doubt: 'a changed role' })).toMatchObject({ hidden: 0, opaque: 'a changed role' });
  const hidden = { ...NAMES, temporary: new Set(['accounts']) };
  expect(await one(sql, hidden)).toMatchObject({ hidden: 0 });
  expect(await one('select * from public.accounts', hidden)).toMatchObject({ hidden: 2 });
});

test.each([
  ['set search_path to other', 'a setting that may have changed before it'],
  ["select set_config('role', 'me', false)", 'a setting that may have changed before it'],
  ['alter table lines rename to accounts', 'a definition before it in the transaction'],
  ["do $$ begin execute 'drop table lines' $$", 'a definition before it in the transaction'],
  ['create temp table accounts (id int)', 'a temporary table'],
  ["set application_name to 'x'", null],
  ["select set_config('my.tenant', '5', false)", null],
])('a statement may change the names of the next one in its string: %s', async (first, opaque) => {
  const planned = await plan(`${first}; select * from accounts`);
  expect(planned.at(-1)).toMatchObject({ opaque });
});

describe('conditions', () => {
  async function where(condition: string, parameters: readonly (string | null)[] = []) {
    const planned = await one(`select * from accounts a where ${condition}`);
    if (planned.does.kind !== 'select' || !planned.does.scan) throw new Error('It is no scan.');
    const values = {
      parameters: parameters.map((text) => ({
        value: text === null ? null : Buffer.from(text),
        isBinary: false,
        type: 0,
      })),
      literals: planned.literals,
    };
    return { where: planned.does.scan.where(values), point: planned.does.scan.point?.(values) };
  }
  const OPAQUE = ['sql', 'a part that is not modelled'];

  test.each([
    ['amount > 5 and on_call', ['and', ['>', 'amount', 5], ['=', 'on_call', true]]],
    ["5 > amount or owner = 'O''Neil'", ['or', ['<', 'amount', 5], ['=', 'owner', "O'Neil"]]],
    ["amount in (1, -2) and not owner in ('a')", ['and', ['in', 'amount', [1, -2]], ['not', ['in', 'owner', ['a']]]]],
    ['amount not in (1)', ['not', ['in', 'amount', [1]]]],
    ['amount between 1 and 2.5', ['between', 'amount', 1, 2.5]],
    ['owner is null and a.amount is not null', ['and', ['null', 'owner'], ['not', ['null', 'amount']]]],
    ["owner > 'a'", OPAQUE],
    ['lower(owner) = $1 and amount = 1', ['and', OPAQUE, ['=', 'amount', 1]]],
    ['amount = null', OPAQUE],
    ['amount + 0 = 1', OPAQUE],
    ['amount = 1.5::int', OPAQUE],
    ["amount = '7'::int4", ['=', 'amount', 7]],
    ['amount = 99999999999999999999', OPAQUE],
    ["owner = 'abc'::varchar(2)", OPAQUE],
  ])('%s', async (sql, expected) => {
    expect((await where(sql)).where).toEqual(expected);
  });

  test('conditions of parameters', async () => {
    expect((await where('amount = $2 and owner = $1', ['x', '3'])).where).toEqual([
      'and',
      ['=', 'amount', 3],
      ['=', 'owner', 'x'],
    ]);
    expect((await where('amount = $1', [null])).where).toEqual(OPAQUE);
  });

  test('conditions that name one row by its primary key', async () => {
    expect((await where('id = 7')).point).toEqual(['7']);
    expect((await where('$1 = a.id', ['8'])).point).toEqual(['8']);
    expect((await where('id = 7 and amount = 1')).point).toBeUndefined();
    expect((await where('id = 7 or id = 7')).point).toBeUndefined();
  });

  test('conditions say nothing of rows beyond a limit', async () => {
    const planned = await one('select * from accounts where id = 1 limit 1');
    expect(planned.does).toMatchObject({ kind: 'select', scan: null });
  });
});

describe('parameters', () => {
  const int8 = (value: bigint): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(value);
    return bytes;
  };
  const numeric = Buffer.from([0, 0, 0, 0, 0, 0, 0, 2]); // 0.00
  const EQUAL = ['=', 'amount', 2];
  const OPAQUE = ['sql', 'a part that is not modelled'];

  test.each([
    ['an int4', Buffer.from([0, 0, 0, 2]), 23, EQUAL],
    ['an int8', int8(2n), 20, EQUAL],
    ['a number of the column’s type', Buffer.from([0, 0, 0, 2]), 0, EQUAL],
    ['a number of another width', int8(2n), 0, OPAQUE],
    ['a numeric', numeric, 1700, OPAQUE],
    ['a float8', int8(1n), 701, OPAQUE],
    ['a date', Buffer.from([0, 0, 0, 2]), 1082, OPAQUE],
  ])('a binary parameter is read by its type: %s', async (_, value, type, condition) => {
    expect(await conditionWith({ value, isBinary: true, type })).toEqual(condition);
  });

  test.each([
    ['2', 0, EQUAL],
    ['2', 1700, EQUAL],
    ['2', 700, OPAQUE],
    ['2.00000000000000000001', 1700, OPAQUE],
    ['2e0', 701, OPAQUE],
  ])('a parameter of type %s is read as text: %s', async (text, type, condition) => {
    expect(await conditionWith({ value: Buffer.from(text), isBinary: false, type })).toEqual(condition);
  });

  async function conditionWith(parameter: Parameter) {
    const planned = await one('select * from accounts where amount = $1');
    if (planned.does.kind !== 'select') throw new Error('It is no SELECT.');
    return planned.does.scan!.where({ parameters: [parameter], literals: [] });
  }
});

describe('statements that differ in their literals', () => {
  const texts = ['1', '-12', '12345.25', "'a'", "'it''s'", "''", "'é'"];
  test.each(texts.flatMap((a) => texts.map((b) => [a, b])))(
    'statements that differ in their literals are planned once and sent right: %s, %s',
    async (a, b) => {
      const plans = plansAsking(async () => []);
      const sql = (x: string, y: string): string =>
        `update accounts set owner = ${x}, amount = ${y} where amount = ${y} returning 5; select ${x} from accounts where owner <> ${x}`;
      await plans.plan(sql('1', '1'), MEANING, 'query');
      await plans.plan(sql("'x'", "'y'"), MEANING, 'query');
      const again = await plans.plan(sql(a, b), MEANING, 'query');
      const fresh = await plan(sql(a, b));
      expect(again.map(({ text }) => text)).toEqual(fresh.map(({ text }) => text));
      for (const [
        i,
        {
          plan: { does },
        },
      ] of again.entries()) {
        const other = fresh[i]!.plan.does;
        if (!('scan' in does) || !('scan' in other)) throw new Error('It has no condition.');
        const values = (planned: Planned) => ({ parameters: null, literals: planned.literals });
        expect(does.scan!.where(values(again[i]!))).toEqual(other.scan!.where(values(fresh[i]!)));
      }
    },
  );
});

test.each([
  ["prepare q as select 'secret', 5", 'prepare q as select ?, ?'],
  ["execute q('secret', 5)", 'execute q(?, ?)'],
  ["alter role me password 'secret'", 'alter role me password $1'],
  ["create table x (a text default 'secret')", 'create table x (a text default ?)'],
  ["select 'secret' from from", 'select ? from from'],
  ["select 'secret", 'select …'],
  ["select 1 /* a.ts:5 traceparent='00-5-1-01' */", "select $1 /* a.ts:5 traceparent='?' */"],
])('the shape of a statement has no constants: %s', async (sql, shape) => {
  expect((await one(sql)).shape).toBe(shape);
});

describe('the number of the transaction is queried only where nothing else shows it', () => {
  const numbered = { ...NAMES, catalog: { ...CATALOG, xid: 'number()' } };
  const ways = async (sql: string) => {
    const uses = ['prepared', 'query', 'numbering query', 'numbered query'] as const;
    const all = await Promise.all(uses.map((use) => plan(sql, { ...numbered, use })));
    return all.map((planned) =>
      planned.map(sentText).join('').includes('number()') ? 'queried' : planned[0]!.tellsXid,
    );
  };
  test.each([
    ['select id from accounts', ['queried', 'queried', null, null]],
    ['update accounts set amount = 1', ['queried', 'queried', 'in its rows', null]],
    ['insert into accounts values (1)', ['queried', 'queried', 'in its rows', null]],
    ['delete from accounts', ['queried', 'queried', 'queried', null]],
    ['update accounts set amount = transfer()', ['queried', 'queried', 'queried', null]],
    ['insert into notes values (1)', ['queried', 'queried', 'queried', null]],
    ['copy accounts from stdin', ['queried', 'queried', 'queried', null]],
    ['update accounts set amount = 1; update accounts set amount = 2', ['queried', 'queried', 'in its rows', null]],
    [
      'update accounts set amount = 1; savepoint s; select id from accounts',
      ['queried', 'queried', 'queried', 'queried'],
    ],
    ['commit; select id from accounts', ['queried', 'queried', 'queried', 'queried']],
  ])('%s', async (sql, expected) => {
    expect(await ways(sql)).toEqual(expected);
  });
});

test('a statement that the database accepts with hidden columns is not tried again for another use', async () => {
  let tried = 0;
  const plans = plansAsking(async (sql) => (sql.includes('PREPARE') && tried++, []));
  for (const use of ['query', 'numbering query', 'prepared'] as const)
    await plans.plan('select id from accounts', MEANING, use);
  expect(tried).toBe(1);
});

test('statements that differ in the ids of traces are planned once', async () => {
  let parsed = 0;
  const counting = { ...parser, parse: (sql: string) => (parsed++, parser.parse(sql)) };
  const plans = plansAsking(async () => [], counting);
  const sql = (id: string) => `/* traceparent='${id}' */ select id from accounts where amount = 5`;
  const [first] = await plans.plan(sql('1'), MEANING, 'query');
  const before = parsed;
  const [second] = await plans.plan(sql('12345'), MEANING, 'query');
  expect(parsed).toBe(before);
  expect(sentText(second!)).toBe(sentText(first!).replace("'1'", "'12345'"));
});

test('a statement that the database refuses with hidden columns is sent as it is', async () => {
  const ask = async (sql: string) => {
    if (sql.includes('PREPARE')) throw new Error('column must appear in GROUP BY');
    return [];
  };
  const plans = plansAsking(ask);
  const [planned] = await plans.plan('select id from accounts;', MEANING, 'query');
  expect(planned).toMatchObject({
    text: 'select id from accounts;',
    hidden: 0,
    plan: { opaque: 'refused by the database with hidden columns' },
  });
});

test.each(['', ' ', '-- nothing', ';;'])('%j has no statement, and nothing in it that is not followed', async (sql) => {
  expect(await plan(sql)).toMatchObject([{ text: sql, opaque: null, mayWriteUnseen: false }]);
});

test.each([
  ['insert into notes select * from accounts', false],
  ['update notes set amount = 1', false],
  ['insert into notes values (transfer())', true],
  ['insert into audited_notes values (1)', true],
  ['with gone as (delete from accounts returning *) insert into notes select * from gone', true],
  ['insert into elsewhere.notes values (1)', true],
  ['update accounts set id = 1', true],
  ['update accounts set amount = 1', false],
  ['update audited set amount = 1', true],
  ['copy accounts from stdin', true],
  ['select transfer()', true],
  ['nonsense', true],
])('%s may write rows that are followed elsewhere: %s', async (sql, mayWriteFollowed) => {
  expect((await one(sql)).mayWriteFollowed).toBe(mayWriteFollowed);
});
