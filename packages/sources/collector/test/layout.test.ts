import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpKind, TxnStatus, buildReadFrom, nameAtom } from '@isolab/history';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { describe, expect, test } from 'vitest';
import { SqlRequests } from '../src/drivers/sql.ts';
import { type Database, collect, driverFor, isolationNamed } from '../src/index.ts';
import { PLAIN_LAYOUT, parseLayout } from '../src/database/layout.ts';
import { DIALECTS } from '../src/drivers/dialects.ts';
import { SERIAL, fakeDatabase, readBack } from './fake.ts';

const DIALECT = { ...DIALECTS.sqlite, parameter: (n: number) => `$${n}` };

describe('a layout', () => {
  test('a layout sets the named fields, and the rest as usual', () => {
    expect(parseLayout('tables=3, read-by=scan')).toEqual({ ...PLAIN_LAYOUT, tables: 3, 'read-by': 'scan' });
  });

  test.each([
    ['tables=0', 'tables=0, expected a number from 1 to 100'],
    ['tables=1e1', 'expected a number'],
    ['filled=-1', 'filled=-1, expected a number from 0 to'],
    ['read-by=magic', 'expected one of key, index, scan, mixed'],
    ['constructor=1', 'has no setting constructor'],
    ['', 'has no setting '],
  ])('%s is refused', (text, message) => {
    expect(() => parseLayout(text)).toThrow(message);
  });

  const said = async (layout: string, ...requests: Parameters<SqlRequests['ask']>[1][]): Promise<string[]> => {
    const sql: string[] = [];
    const asking = new SqlRequests(DIALECT, 'registers', parseLayout(layout));
    for (const request of requests) await asking.ask(async (text) => (sql.push(text), []), request);
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

  test('an increment is one statement that does not read', async () => {
    const increment = { kind: 'increment', key: 1, value: 4 } as const;
    const asked = async (layout: string, dialect = DIALECT): Promise<string[]> =>
      new SqlRequests(dialect, 'counters', parseLayout(layout)).spelled(increment);
    expect(await asked('key=integer')).toEqual([
      'INSERT INTO isolab_counters (k, v) VALUES (1, 4) ON CONFLICT (k) DO UPDATE SET v = COALESCE(isolab_counters.v, 0) + EXCLUDED.v',
    ]);
    expect((await asked('key=integer,write=update'))[0]).toBe(
      'UPDATE isolab_counters SET v = COALESCE(v, 0) + 4 WHERE k = 1 RETURNING k',
    );
    expect((await asked('key=integer', { ...DIALECT, ...DIALECTS.mysql }))[0]).toContain(
      'ON DUPLICATE KEY UPDATE v = COALESCE(v, 0) + VALUES(v)',
    );
  });

  const spelled = async (layout: string, key: number): Promise<string[]> =>
    new SqlRequests(DIALECT, 'lists', parseLayout(layout)).spelled({ kind: 'read-list', key });

  test('a key is a text, a whole number, or a pair', async () => {
    const tables = (layout: string) => new SqlRequests(DIALECT, 'lists', parseLayout(layout)).tables(true).join();
    expect(tables('key=text')).toContain('(k TEXT PRIMARY KEY, v TEXT)');
    expect(tables('key=integer,index=unique')).toContain('(k INTEGER PRIMARY KEY, v TEXT, s INTEGER)');
    expect(tables('key=composite')).toContain('(h BIGINT NOT NULL, k TEXT NOT NULL, v TEXT, PRIMARY KEY (h, k))');
    expect(await spelled('key=text', 7)).toEqual(["SELECT v FROM isolab_lists WHERE k = '7'"]);
    expect(await spelled('key=integer', 7)).toEqual(['SELECT v FROM isolab_lists WHERE k = 7']);
    expect(await spelled('key=composite', 7)).toEqual(["SELECT v FROM isolab_lists WHERE h = 3 AND k = '7'"]);
    await expect(said('key=integer', { kind: 'read', key: 'a' })).rejects.toThrow('the workload has the key "a"');
  });

  test('random keys are other numbers, each once', async () => {
    const keys = Array.from({ length: 2000 }, (_, i) => i - 1000);
    const stored = await Promise.all(keys.map((key) => spelled('key=integer,order=random', key)));
    expect(new Set(stored.flat()).size).toBe(keys.length);
    expect(stored[1003]).toEqual(['SELECT v FROM isolab_lists WHERE k = -626627309']);
  });

  test('filled keys have a row without a value', () => {
    const tables = new SqlRequests(DIALECT, 'lists', parseLayout('filled=2,key=integer,index=unique')).tables(false);
    expect(tables.slice(-2)).toEqual([
      'INSERT INTO isolab_lists (k, s) VALUES (0, 0)',
      'INSERT INTO isolab_lists (k, s) VALUES (1, 1)',
    ]);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'isolab-layout-'));

describe('a real PostgreSQL', () => {
  test.each([
    ['list-append', 'tables=3,index=value,read-by=mixed,write=update'],
    ['rw-register', 'tables=2,index=value,read-by=scan'],
    ['list-append', 'key=integer,order=random,index=unique,filled=5'],
    ['rw-register', 'key=composite,read-by=mixed,write=update'],
  ])('%s with %s: every read saw something that was written, the last ones all of it', async (name, layout) => {
    const driver = await driverFor('embedded');
    const database = await driver.open('embedded', { connectMs: 20_000 });
    const workload = findWorkload(name)!;
    const path = join(folder, `${name} ${layout}.jsonl`);
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
  const database: Database = { ...fakeDatabase(), takesLayout: true };
  const options = { database, isolation: SERIAL, workload, parameters, sessions: 1, transactions: 2, seed: 1, path };
  await collect({ ...options, layout: 'tables=2' });
  await expect(collect({ ...options, resume: true })).rejects.toThrow(
    'was collected with the layout tables=2; it cannot be continued with the plain layout',
  );
  expect(() => new SqlRequests(DIALECT, 'rows', parseLayout('tables=2'))).toThrow('its own rows');
});
