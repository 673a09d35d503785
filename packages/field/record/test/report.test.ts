import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type UniqueColumns, dangersOf } from '../src/judgement/dangers.ts';
import { possibleIn } from '../src/judgement/possible.ts';
import { reportPage } from '../src/report/page.ts';
import { programsIn } from '../src/judgement/programs.ts';
import type { Level } from '../src/sql/planned.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-report-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Operation = readonly unknown[];
type Statement = readonly [sql: string, ...operations: Operation[]];

const get = (key: number, row: object | null = { n: 0 }): Operation => ['get', 't', key, row];
const put = (key: number, row: object | null = { n: 1 }): Operation => ['put', 't', key, row];
const scan = (where: unknown, ...found: number[]): Operation => [
  'scan',
  't',
  where,
  found.map((key) => [key, { n: 0 }]),
];

const read = (key: number): Statement => [`select n from t where id = ${key}`, get(key)];
const lock = (key: number): Statement => [`select n from t where id = ${key} for update`, get(key)];
const write = (key: number): Statement => [`update t set n = ${key}`, get(key), put(key)];
const insert = (key: number, row: object = { n: 1 }): Statement => [`insert into t values (${key})`, put(key, row)];

interface Recorded {
  readonly level?: Level;
  readonly status?: string;
  readonly statements: readonly Statement[];
}

/** A recording of these transactions, one after the other. */
function recording(...transactions: readonly (Recorded | readonly Statement[])[]): string {
  const path = join(folder, 'recorded.jsonl');
  const shapes: string[] = [];
  const lines = transactions.map((given) => {
    const { level = 'read committed', status, statements } = 'statements' in given ? given : { statements: given };
    const added: [number, string][] = [];
    const steps = statements.map(([sql, ...operations]) => {
      if (!shapes.includes(sql)) added.push([shapes.push(sql) - 1, sql]);
      const locks = operations.filter(([kind]) => kind === 'lock').map(([, name, mode]) => [name, mode]);
      return [shapes.indexOf(sql), operations.length - locks.length, 0, locks];
    });
    const ops = statements.flatMap(([, ...operations]) => operations).filter(([kind]) => kind !== 'lock');
    return JSON.stringify({ session: '1', ...(status && { status }), ops, level, steps, shapes: added });
  });
  writeFileSync(path, `{"isolab":"history","version":2}\n${lines.join('\n')}\n{"isolab":"end"}\n`);
  return path;
}

async function dangersIn(path: string, unique: UniqueColumns = new Map()): Promise<string[]> {
  const { programs } = await programsIn(path);
  return dangersOf(programs, unique).map(
    ({ name, parties }) => `${name} ${parties.map(({ program }) => program.name).join(' ')}`,
  );
}

const snapshot = (...statements: readonly Statement[]): Recorded => ({ level: 'repeatable read', statements });
const serial = (...statements: readonly Statement[]): Recorded => ({ level: 'serializable', statements });

describe('programs', () => {
  test('programs are the same statements at the same level, the most frequent ones first', async () => {
    const { programs } = await programsIn(
      recording([read(1), write(1)], [read(2)], [read(2)], snapshot(read(2)), {
        statements: [write(9)],
        status: 'aborted',
      }),
    );
    expect(programs.map(({ name, level, count, statements }) => [name, level, count, statements.length])).toEqual([
      ['P1', 'read committed', 2, 1],
      ['P2', 'read committed', 1, 2],
      ['P3', 'repeatable read', 1, 1],
    ]);
  });

  test('programs do not differ by how often a statement is repeated', async () => {
    const { programs } = await programsIn(recording([read(1)], [read(1), read(1), read(1)]));
    expect(programs).toMatchObject([{ count: 2, statements: ['select n from t where id = 1'] }]);
  });
});

describe('a lost update', () => {
  test('a lost update threatens who reads, then writes', async () => {
    expect(await dangersIn(recording([read(1), write(1)]))).toEqual(['lost-update P1 P1']);
  });

  test.each([
    ['who locks first', [[lock(1), write(1)]]],
    ['an UPDATE alone', [[write(1)], [write(1)]]],
    ['who has written the row before it reads', [[write(1), read(1), write(1)]]],
    ['who holds another row that all of them lock', [[lock(7), read(1), write(1)]]],
    ['a snapshot', [snapshot(read(1), write(1))]],
    ['readers of what nobody else writes', [[read(1), write(2)]]],
  ])('a lost update does not threaten %s', async (_, transactions) => {
    expect(await dangersIn(recording(...transactions))).toEqual([]);
  });
});

describe('reads in two states', () => {
  test('reads in two states threaten who reads twice at READ COMMITTED', async () => {
    const twice: Statement = ['select n from t where id = 1 and true', get(1)];
    expect(await dangersIn(recording([read(1), twice], [write(1)]))).toEqual(['non-repeatable-read P1 P2']);
    expect(await dangersIn(recording(snapshot(read(1), twice), [write(1)]))).toEqual([]);
    expect(await dangersIn(recording([lock(1), twice], [write(1)]))).toEqual([]);
  });

  test('reads in two states threaten who reads two rows that another one writes together', async () => {
    expect(await dangersIn(recording([read(1), read(2)], [write(1), write(2)]))).toEqual(['read-skew P1 P2']);
    expect(await dangersIn(recording([read(1), read(2)], [write(1)], [write(2)]))).toEqual([]);
    expect(await dangersIn(recording(snapshot(read(1), read(2)), [write(1), write(2)]))).toEqual([]);
    expect(await dangersIn(recording([lock(1), read(2)], [write(1), write(2)]))).toEqual([]);
  });
});

describe('write skew', () => {
  test.each([
    ['read committed', (...s: Statement[]): Recorded => ({ statements: s })],
    ['repeatable read', snapshot],
  ])('write skew threatens two transactions that read the row of the other at %s', async (_, at) => {
    expect(await dangersIn(recording(at(read(1), read(2), write(1)), at(read(1), read(2), write(2))))).toContain(
      'write-skew P1 P2',
    );
  });

  test.each([
    ['serializable transactions', [serial(read(2), write(1)), serial(read(1), write(2))]],
    [
      'who first lock the same row',
      [
        [lock(7), read(2), write(1)],
        [lock(7), read(1), write(2)],
      ],
    ],
    [
      'snapshots of which each locks what the other one writes',
      [snapshot(lock(1), lock(2), write(1)), snapshot(lock(1), lock(2), write(2))],
    ],
    [
      'snapshots that write a common row',
      [snapshot(read(2), write(1), write(7)), snapshot(read(1), write(2), write(7))],
    ],
  ])('write skew does not threaten %s', async (_, transactions) => {
    expect(await dangersIn(recording(...transactions))).toEqual([]);
  });

  test('write skew threatens snapshots that first lock the same row, which no transaction writes', async () => {
    expect(
      await dangersIn(recording(snapshot(lock(7), read(2), write(1)), snapshot(lock(7), read(1), write(2)))),
    ).toEqual(['write-skew P1 P2']);
  });

  const where = ['=', 'n', 5];
  const book: readonly Statement[] = [['select id from t where n = 5', scan(where)], insert(1, { n: 5 })];

  test('write skew threatens a transaction that inserts a row that it found missing', async () => {
    expect(await dangersIn(recording(book))).toEqual(['write-skew P1 P1']);
    expect(await dangersIn(recording([['select id from t where n = 5', scan(where)], insert(1, { n: 6 })]))).toEqual(
      [],
    );
  });

  test('write skew does not threaten where the database prevents a second insert', async () => {
    expect(await dangersIn(recording(book), new Map([['t', [['id'], ['n']]]]))).toEqual([]);
    expect(await dangersIn(recording(book), new Map([['t', [['id'], ['n', 'm']]]]))).toEqual(['write-skew P1 P1']);
    const byKey: Statement = ['select id from t where id = 1', get(1, null)];
    expect(await dangersIn(recording([byKey, insert(1)]))).toEqual([]);
  });
});

describe('locks', () => {
  const locked = (how: string, key = 1): Statement => [`select n from t x where id = ${key} for ${how}`, get(key)];
  const within = ([sql, ...rest]: Statement, name: string, mode: number): Statement => [
    sql,
    ['lock', name, mode],
    ...rest,
  ];

  test.each([
    ['update', []],
    ['no key update', []],
    ['update of x', []],
    ['no key update of t skip locked', []],
    ['share nowait', []],
    ['key share', ['lost-update P1 P1']],
    ['update of other', ['lost-update P1 P1']],
  ])('a read FOR %s and a write threaten: %j', async (how, dangers) => {
    expect(await dangersIn(recording([locked(how), write(1)]))).toEqual(dangers);
  });

  test.each([
    ['update', []],
    ['no key update', []],
    ['share', ['lost-update P1 P1']],
    ['key share', ['lost-update P1 P1']],
  ])('a common row that is locked FOR %s keeps transactions apart, except: %j', async (how, dangers) => {
    expect(await dangersIn(recording([locked(how, 7), read(1), write(1)]))).toEqual(dangers);
  });

  test('an advisory lock keeps transactions apart, unless it is shared, or another one', async () => {
    const buys = (name: string, mode: number, key = 1) => [within(read(key), name, mode), write(key)];
    expect(await dangersIn(recording(buys('a', 4)))).toEqual([]);
    expect(await dangersIn(recording(buys('a', 2)))).toEqual(['lost-update P1 P1']);
    expect(
      await dangersIn(recording([within(read(1), 'a', 4), write(2)], [within(read(2), 'a', 4), write(1)])),
    ).toEqual([]);
    expect(
      await dangersIn(recording([within(read(1), 'a', 4), write(2)], [within(read(2), 'b', 4), write(1)])),
    ).toEqual(['write-skew P1 P2']);
  });

  test('an advisory lock does not keep snapshots apart, which are older than the wait for it', async () => {
    const skew = [snapshot(within(read(1), 'a', 4), write(2)), snapshot(within(read(2), 'a', 4), write(1))];
    expect(await dangersIn(recording(...skew))).toEqual(['write-skew P1 P2']);
  });
});

test('a report of a batch can miss a receipt of it', async () => {
  const receipt = snapshot(read(1), insert(2));
  const close = snapshot(write(1));
  const report = snapshot(read(1), ['select * from t where n = 1', scan(['=', 'n', 1])]);
  expect(await dangersIn(recording(receipt, close, report))).toEqual(['read-only-anomaly P3 P1 P2']);
});

const NO_OVERLAPS = { transactions: 1, pairs: 0, meeting: 0 };

test('the page says all of it, for any statements', async () => {
  const path = recording([['select n -- </script><b>', get(1)], write(1)]);
  const recorded = {
    path,
    transactions: 1,
    shapes: [],
    refused: [{ code: '40001', count: 2, statements: ['select 1'] }],
    outsiders: 0,
    withoutScans: ['a&b'],
    log: null,
    unique: new Map(),
  };
  const judged = {
    database: 'PostgreSQL',
    promises: [],
    troubles: [],
    overlaps: NO_OVERLAPS,
    isComplete: true,
    verdict: 'satisfied',
  } as const;
  const possible = await possibleIn(recorded, []);
  const page = await reportPage(recorded, judged, possible, { Command: 'npm test <x>' });
  expect(page).toContain('npm test &lt;x&gt;');
  expect(page).toContain('No two transactions overlapped');
  expect(page).toContain('<h1>The application met no anomaly, but could meet 1</h1>');
  expect(page).toContain('If another P1 writes the row between the two statements of P1');
  expect(page).toContain('select n -- &lt;/script&gt;&lt;b&gt;');
  expect(page).toContain('a&amp;b');
  expect(page).toContain('2 transactions ended with error 40001 and were not retried: select 1');
  expect(page).not.toContain('<b>');
});
