import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpKind, TxnStatus, buildReadFrom, nameAtom } from '@isolab/history';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { describe, expect, test } from 'vitest';
import { SqlRequests } from '../src/drivers/sql.ts';
import { type Database, collect, driverFor, isolationNamed } from '../src/index.ts';
import { parseLayout } from '../src/database/layout.ts';
import { RETURNING_ROWS } from '../src/rows/sql-rows.ts';
import { SERIAL, fakeDatabase, readBack } from './fake.ts';

const DIALECT = {
  parameter: (n: number) => `$${n}`,
  text: 'TEXT',
  upsert: () => 'ON CONFLICT (k) DO UPDATE SET v = EXCLUDED.v',
  appends: (table: string) => `ON CONFLICT (k) DO UPDATE SET v = ${table}.v || EXCLUDED.v`,
  longer: (element: string) => `v || ${element}`,
  returning: ' RETURNING k',
  bare: (column: string) => `${column} || ''`,
  lengthColumn: null,
  afterTable: '',
  ...RETURNING_ROWS,
};

describe('a layout', () => {
  test('a layout sets the named fields, and the rest as usual', () => {
    expect(parseLayout('tables=3, read-by=scan')).toEqual({
      tables: 3,
      index: 'none',
      'read-by': 'scan',
      write: 'upsert',
    });
  });

  test.each([
    ['tables=0', 'tables=0, expected a number from 1 to 100'],
    ['tables=1e1', 'expected a number'],
    ['read-by=magic', 'expected one of key, index, scan, mixed'],
    ['constructor=1', 'has no setting constructor'],
    ['', 'has no setting '],
  ])('%s is refused', (text, message) => {
    expect(() => parseLayout(text)).toThrow(message);
  });

  const said = async (layout: string, ...requests: Parameters<SqlRequests['ask']>[2][]): Promise<string[]> => {
    const sql: string[] = [];
    const asking = new SqlRequests(DIALECT, parseLayout(layout));
    for (const request of requests) await asking.ask(async (text) => (sql.push(text), []), 'registers', request);
    return sql;
  };

  test('deals out keys to tables, always the same way', async () => {
    const keys = [-1, 0, 1, 2, 3, 'a'] as const;
    const sql = await said('tables=3', ...keys.map((key) => ({ kind: 'read', key }) as const));
    const tables = sql.map((text) => /isolab_registers_\d/.exec(text)![0].at(-1));
    expect(tables).toEqual(['2', '0', '1', '2', '0', '1']);
  });

  test('reads in turn by key, by index and by scan', async () => {
    const read = { kind: 'read', key: 1 } as const;
    const sql = await said('read-by=mixed', read, read, read);
    expect(sql.map((text) => /WHERE (.*) =/.exec(text)![1])).toEqual(['k', 's', "k || ''"]);
  });

  test('updates, and inserts where there was nothing', async () => {
    const sql = await said('write=update', { kind: 'write', key: 1, value: 5 });
    expect(sql[0]).toMatch(/^UPDATE isolab_registers SET v = \$1 WHERE k = \$2 RETURNING k$/);
    expect(sql[1]).toBe('INSERT INTO isolab_registers (k, v) VALUES ($1, $2)');
  });
});

const folder = mkdtempSync(join(tmpdir(), 'isolab-layout-'));

describe('a real PostgreSQL', () => {
  test.each([
    ['list-append', 'tables=3,index=value,read-by=mixed,write=update'],
    ['rw-register', 'tables=2,index=value,read-by=scan'],
  ])('%s with %s: every read saw something that was written, the last ones all of it', async (name, layout) => {
    const driver = await driverFor('embedded');
    const database = await driver.open('embedded', { connectMs: 20_000, layout: parseLayout(layout) });
    const workload = findWorkload(name)!;
    const path = join(folder, `${name}.jsonl`);
    const parameters = resolveParameters(workload, { keys: '4', 'writes-per-key': '5', 'read-only': '0.2' });
    const isolation = isolationNamed(driver, 'serializable');
    const shared = { isolation, workload, parameters, sessions: 4, transactions: 25, seed: 1, layout };
    const counts = await collect({ database, path, finalReads: true, ...shared });
    await database.close();
    expect(counts.committed).toBe(100);
    const history = await readBack(path);
    const { readFrom } = buildReadFrom(history);
    expect([...readFrom]).not.toContain(-2);
    const header = JSON.parse(readFileSync(path, 'utf8').split('\n')[0]!) as object;
    expect(header).toMatchObject({ collected: { layout } });

    const { txnStart, txnSession, txnStatus, opKind, opKey } = history;
    const written = new Set<number>();
    const finallyRead = new Set<number>();
    for (let t = 0; t < txnStatus.length; t++) {
      if (txnStatus[t] !== TxnStatus.Committed) continue;
      const isFinal = nameAtom(history.sessionNames, txnSession[t]!).startsWith('final');
      for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
        if (isFinal) finallyRead.add(opKey[op]!);
        else if (opKind[op] === OpKind.Write || opKind[op] === OpKind.Append) written.add(opKey[op]!);
        if (isFinal && written.has(opKey[op]!)) expect(readFrom[op]).toBeGreaterThanOrEqual(0);
      }
    }
    expect([...written].filter((key) => !finallyRead.has(key))).toEqual([]);
    expect(written.size).toBeGreaterThan(4);
  });
});

test('a history is continued in its own layout only, and rows have none', async () => {
  const path = join(folder, 'resumed.jsonl');
  const workload = findWorkload('general')!;
  const parameters = resolveParameters(workload, { keys: '5', operations: '2' });
  const database: Database = fakeDatabase();
  const options = { database, isolation: SERIAL, workload, parameters, sessions: 1, transactions: 2, seed: 1, path };
  await collect({ ...options, layout: 'tables=2' });
  await expect(collect({ ...options, resume: true })).rejects.toThrow(
    'was collected with the layout tables=2; it cannot be continued with the plain layout',
  );
  expect(() => new SqlRequests(DIALECT, parseLayout('tables=2')).tables('rows', false)).toThrow('its own rows');
});
