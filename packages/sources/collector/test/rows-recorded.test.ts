import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpKind } from '@isolab/history';
import type { Program, Table, TableRequest, TableRow, Workload } from '@isolab/workloads';
import { describe, expect, test } from 'vitest';
import { Aborted, type Connection, type Database, answerTo, collect, operationsOf } from '../src/index.ts';
import { SERIAL, readBack } from './fake.ts';

const ITEMS: Table = { name: 'items', columns: { grp: 'integer', open: 'boolean' }, index: 'grp' };
const PARTS: Table = { name: 'parts', columns: { kind: 'integer' }, index: 'kind' };

const item = (id: number, grp: number, v: number): TableRow => ({ id, grp, open: true, v });
const where = ['=', 'grp', 2] as const;
const withId = (id: number) => ['=', 'id', id] as const;

/** Requests and answers of a database, with their entries in the history. */
const STATEMENTS: Record<string, readonly [TableRequest, raw: unknown, recorded: readonly unknown[]]> = {
  get: [{ kind: 'get', table: ITEMS, id: 1 }, item(1, 2, 5), [['get', 'items', 1, item(1, 2, 5)]]],
  'get of an absent row': [{ kind: 'get', table: ITEMS, id: 1 }, null, [['get', 'items', 1, null]]],
  select: [
    { kind: 'select', table: ITEMS, where },
    [item(1, 2, 5), item(4, 2, 6)],
    [
      [
        'scan',
        'items',
        where,
        [
          [1, item(1, 2, 5)],
          [4, item(4, 2, 6)],
        ],
      ],
    ],
  ],
  'select that shows two versions of a row': [
    { kind: 'select', table: ITEMS, where },
    [item(1, 2, 5), item(1, 2, 6)],
    [
      ['scan', 'items', where, [[1, item(1, 2, 5)]]],
      ['get', 'items', 1, item(1, 2, 6)],
    ],
  ],
  count: [{ kind: 'aggregate', table: ITEMS, where, of: { kind: 'count' } }, 3, [['count', 'items', where, 3]]],
  'min of nothing': [
    { kind: 'aggregate', table: ITEMS, where, of: { kind: 'min', column: 'grp' } },
    null,
    [['min', 'items', where, 'grp', null]],
  ],
  join: [
    { kind: 'join', table: ITEMS, where, by: 'grp', other: PARTS },
    [{ row: item(1, 2, 5), other: { id: 2, kind: 1, v: 8 } }],
    [
      ['scan', 'items', where, [[1, item(1, 2, 5)]]],
      ['get', 'parts', 2, { id: 2, kind: 1, v: 8 }],
    ],
  ],
  'join with nothing': [
    { kind: 'join', table: ITEMS, where, by: 'grp', other: PARTS },
    [{ row: item(1, 2, 5), other: null }],
    [
      ['scan', 'items', where, [[1, item(1, 2, 5)]]],
      ['get', 'parts', 2, null],
    ],
  ],
  insert: [{ kind: 'insert-row', table: ITEMS, row: item(1, 2, 5) }, true, [['put', 'items', 1, item(1, 2, 5)]]],
  'insert that found a row': [
    { kind: 'insert-row', table: ITEMS, row: item(1, 2, 5), ifAbsent: true },
    false,
    [['scan', 'items', ['=', 'id', 1], [[1, null]]]],
  ],
  update: [
    { kind: 'update', table: ITEMS, where, set: { grp: 3, v: 7 } },
    [{ old: item(1, 2, 5), row: item(1, 3, 7) }],
    [
      ['scan', 'items', where, [[1, item(1, 2, 5)]]],
      ['put', 'items', 1, item(1, 3, 7)],
    ],
  ],
  'update of rows whose versions are not known': [
    { kind: 'update', table: ITEMS, where, set: { grp: 3, v: 7 } },
    [{ old: null, row: item(1, 3, 7) }],
    [
      ['scan', 'items', where, [[1, null]]],
      ['put', 'items', 1, item(1, 3, 7)],
    ],
  ],
  'update by the id': [
    { kind: 'update', table: ITEMS, where: withId(1), set: { grp: 3, v: 7 } },
    [{ old: item(1, 2, 5), row: item(1, 3, 7) }],
    [
      ['get', 'items', 1, item(1, 2, 5)],
      ['put', 'items', 1, item(1, 3, 7)],
    ],
  ],
  'update by the id of a row whose version is not known': [
    { kind: 'update', table: ITEMS, where: withId(1), set: { grp: 3, v: 7 } },
    [{ old: null, row: item(1, 3, 7) }],
    [
      ['scan', 'items', withId(1), [[1, null]]],
      ['put', 'items', 1, item(1, 3, 7)],
    ],
  ],
  'update by an id that there is not': [
    { kind: 'update', table: ITEMS, where: withId(1), set: { grp: 3, v: 7 } },
    [],
    [['get', 'items', 1, null]],
  ],
  'delete by the id': [
    { kind: 'delete-rows', table: ITEMS, where: withId(1) },
    [{ id: 1, old: item(1, 2, 5) }],
    [
      ['get', 'items', 1, item(1, 2, 5)],
      ['put', 'items', 1, null],
    ],
  ],
  delete: [
    { kind: 'delete-rows', table: ITEMS, where },
    [{ id: 1, old: item(1, 2, 5) }],
    [
      ['scan', 'items', where, [[1, item(1, 2, 5)]]],
      ['put', 'items', 1, null],
    ],
  ],
};

const recorded = (request: TableRequest, raw: unknown, level?: Parameters<typeof operationsOf>[3]): unknown[] =>
  operationsOf(request, answerTo(request, raw), 'tables', level).map((operation) => JSON.parse(operation) as unknown);

describe('a statement is recorded with its certain effects', () => {
  test.each(Object.keys(STATEMENTS))('%s', (name) => {
    const [request, raw, expected] = STATEMENTS[name]!;
    expect(recorded(request, raw)).toEqual(expected);
  });

  test('where statements look at rows one after another, a change by an id that finds no row says nothing', () => {
    const [request, raw] = STATEMENTS['update by an id that there is not']!;
    expect(recorded(request, raw, 'read-committed')).toEqual([]);
  });

  test.each(['update', 'delete'])('where statements look at rows one after another, a %s reports its rows', (name) => {
    const [request, raw, [, write]] = STATEMENTS[name]!;
    expect(recorded(request, raw, 'read-committed')).toEqual([['get', 'items', 1, item(1, 2, 5)], write]);
  });

  test.each([
    ['a row that does not match', 'select', [item(1, 3, 5)]],
    ['a row without its version', 'select', [{ id: 1, grp: 2, open: true }]],
    ['a number for a truth value', 'get', { ...item(1, 2, 5), open: 1 }],
    ['another row', 'get', item(9, 2, 5)],
    ['a part of a number', 'count', 1.5],
    ['an update that is not the one that was asked for', 'update', [{ old: item(1, 2, 5), row: item(1, 3, 8) }]],
    ['nothing', 'delete', undefined],
    ['a row that another one names', 'join', [{ row: item(1, 2, 5), other: { id: 3, kind: 1, v: 8 } }]],
  ])('%s is refused', (_, name, raw) => {
    expect(() => answerTo(STATEMENTS[name]![0], raw)).toThrow('expected');
  });
});

/** A database in this process that answers from a script. */
function scripted(answers: readonly unknown[]): Database & { prepared: unknown[] } {
  const left = [...answers];
  const prepared: unknown[] = [];
  let mark: number | null = null;
  const connection: Connection = {
    async begin() {},
    async ask(question) {
      if (question.kind === 'write') mark = question.value;
      if (question.kind === 'read') return mark;
      if (question.kind === 'write') return undefined;
      const answer = left.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    async commit() {},
    async rollback() {},
    async close() {},
    abandon() {},
  };
  return {
    description: 'scripted',
    prepared,
    prepare: async (data, keep, tables) => void prepared.push([data, keep, tables]),
    connect: async () => connection,
    close: async () => {},
  };
}

/** One session that asks for each of these in a transaction of its own. */
const asking = (requests: readonly TableRequest[]): Workload => ({
  name: 'scripted',
  title: '',
  source: '',
  data: 'tables',
  tables: [ITEMS, PARTS],
  parameters: {},
  prepare: () => ({
    load: [],
    session: () => {
      const left = [...requests];
      return () => {
        const request = left.shift();
        return function* (): Program {
          if (request) yield request;
        };
      };
    },
  }),
});

test('a history of every statement is of format version 2, and can be read back', async () => {
  const all = Object.values(STATEMENTS);
  const path = join(mkdtempSync(join(tmpdir(), 'isolab-rows-')), 'h.jsonl');
  const database = scripted([new Aborted('duplicate key'), ...all.map(([, raw]) => raw), [item(4, 2, 6)], []]);
  const [duplicate] = STATEMENTS['insert']!;
  const counts = await collect({
    database,
    isolation: SERIAL,
    workload: asking([duplicate, ...all.map(([request]) => request)]),
    parameters: {},
    sessions: 1,
    transactions: all.length,
    finalReads: true,
    seed: 1,
    path,
  });
  expect(counts).toMatchObject({ committed: all.length, aborted: 1 });
  expect(database.prepared).toEqual([['tables', false, [ITEMS, PARTS]]]);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  expect(JSON.parse(lines[0]!)).toMatchObject({ isolab: 'history', version: 2, initial: null });
  expect(lines.some((line) => line.includes('"session":"final0"') && line.includes('["scan","items",true'))).toBe(true);
  const history = await readBack(path);
  expect(history.scans.tables).toEqual(['items', 'parts']);
  const scans = history.opKind.filter((kind) => kind === OpKind.Scan).length;
  const written = all.flatMap(([, , operations]) => operations as readonly (readonly unknown[])[]);
  const isScan = ([kind]: readonly unknown[]): boolean => !['get', 'put'].includes(kind as string);
  expect(scans).toBe(written.filter(isScan).length + 2);
});
