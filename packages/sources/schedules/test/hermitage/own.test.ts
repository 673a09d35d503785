import { type Database, type EmbeddedServer, type PlainSql, startEmbedded } from '@isolab/collector';
import type { LevelName } from '@isolab/contract';
import { Random } from '@isolab/workloads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countInterleavings, interleavings } from '../../src/hermitage/results/interleavings.ts';
import { type OwnReport, playTransactions } from '../../src/hermitage/own/own.ts';
import { readTransactions } from '../../src/hermitage/own/read-file.ts';
import { fileText } from '../../src/hermitage/cases/transactions.ts';
import { playResults } from '../../src/hermitage/results/results.ts';
import { ownPage } from '../../src/hermitage/page/own-page.ts';
import { LOCK_WAIT_MS } from '../../src/hermitage/play/play.ts';

const SEATS = `-- Two seats for three travellers.
-- tables
CREATE TABLE isolab_seats (id INT PRIMARY KEY, traveller INT);
INSERT INTO isolab_seats (id, traveller)
VALUES (1, 0), (2, 0);
`;

const SKEW = `${SEATS}
-- T1
BEGIN;
SELECT COUNT(*) FROM isolab_seats WHERE traveller = 0;
UPDATE isolab_seats SET traveller = 1 WHERE id = 1;
COMMIT;

-- T2
SELECT COUNT(*) FROM isolab_seats WHERE traveller = 0;
UPDATE isolab_seats SET traveller = 2 WHERE id = 2;
`;

describe('a file of transactions', () => {
  test('a file of transactions is read in parts', () => {
    const { tables, steps } = readTransactions(SKEW);
    expect(tables[1]).toBe('INSERT INTO isolab_seats (id, traveller) VALUES (1, 0), (2, 0)');
    expect([...steps].map(([name, of]) => [name, ...of.map(({ kind }) => kind)])).toEqual([
      ['T1', 'begin', 'statement', 'statement', 'commit'],
      ['T2', 'begin', 'statement', 'statement', 'commit'],
    ]);
  });

  test.each([
    ['', 'There are no tables.'],
    ['SELECT 1;', 'Line 1: SELECT 1; stands before the first section.'],
    [SEATS, 'There are 0 transactions, expected 2 to 4.'],
    [SKEW.replaceAll('isolab_seats', 'seats'), 'The table seats would be dropped.'],
    [`${SKEW}SELECT 1`, 'The last statement has no semicolon: SELECT 1'],
    [`${SKEW}-- T2\n`, 'the section T2 appears twice'],
    [`${SKEW}-- T3\nBEGIN;\n`, 'The transaction T3 has no statement.'],
  ])('%j is refused', (text, why) => {
    expect(() => readTransactions(text)).toThrow(why);
  });
});

test('interleavings are complete, or limited in number, and keep the order of each transaction', () => {
  const transactions = [...readTransactions(SKEW).steps.values()];
  expect(countInterleavings([3, 3])).toBe(20);
  for (const [most, wanted] of [
    [100, 20],
    [7, 7],
  ] as const) {
    const orders = interleavings(transactions, most);
    expect(new Set(orders.map((order) => order.map(({ session, sql }) => `${session} ${sql}`).join())).size).toBe(
      wanted,
    );
    for (const order of orders)
      for (const [i, name] of ['T1', 'T2'].entries())
        expect(order.filter(({ session }) => session === name)).toEqual(transactions[i]);
  }
});

describe('on PostgreSQL', () => {
  let server: EmbeddedServer;
  beforeAll(async () => {
    server = await startEmbedded({ connectMs: 10_000, lockWaitMs: LOCK_WAIT_MS });
  });
  afterAll(() => server?.database.close(), 60_000);

  const played = async (text: string, ...names: readonly string[]): Promise<OwnReport> => {
    const levels = names.map((name) => ({ name, claims: null }));
    return playTransactions(server.database, readTransactions(text), { levels, waitMs: 100, most: 6 });
  };

  test('transactions are safe at the levels at which all commits agree with a serial order', async () => {
    const report = await played(SKEW, 'repeatable read', 'serializable');
    const [weak, strong] = report.levels;
    expect(weak).toMatchObject({ outcome: 'possible', of: 20 });
    expect(weak!.why[0]).toContain('T1, T2 committed, but no serial order');
    expect(strong).toMatchObject({ outcome: 'prevented', played: 6, of: 20 });
    expect(strong!.refused).toBeGreaterThan(0);
    expect(ownPage(report)).toContain('REPEATABLE READ does not make these transactions safe');
  });

  test('nothing is known where statements fail, or answer otherwise each time', async () => {
    const [wrong] = (await played(SKEW.replace('SET traveller = 2', 'SET nobody = 2'), 'serializable')).levels;
    expect(wrong).toMatchObject({ outcome: 'unknown', played: 0 });
    expect(wrong!.why[0]).toContain('"nobody"');
    const unsteady = await played(SKEW.replace('SELECT COUNT(*)', 'SELECT COUNT(*), random()'), 'serializable');
    expect(unsteady.levels[0]!.why[0]).toContain('do they use a clock or random numbers?');
  });

  /** A database that increments by two beside another transaction. */
  const faulty = (database: Database): Database => {
    const open = new Set<PlainSql>();
    const connect: Database['connect'] = async (isolation) => {
      const connection = await database.connect(isolation);
      const plain = connection.sql!;
      const send: PlainSql['send'] = async (sql) => {
        if (sql === plain.begin) open.add(plain);
        if (sql === 'COMMIT' || sql === 'ROLLBACK') open.delete(plain);
        return plain.send(open.size > 1 ? sql.replace('SET a = a + 1', 'SET a = a + 2') : sql);
      };
      return new Proxy(connection, {
        get: (target, name) => {
          if (name === 'sql') return { ...plain, send };
          const value: unknown = Reflect.get(target, name);
          return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
        },
      });
    };
    return { ...database, description: database.description, connect };
  };

  const results = (database: Database, isolation: string, level: LevelName, seconds: number) =>
    playResults(database, { isolation, level, random: new Random(3), seconds, waitMs: 60 });

  test('an UPDATE that computes a wrong value is found by its results', async () => {
    const { wrong } = await results(faulty(server.database), 'serializable', 'serializable', 60);
    expect(wrong).not.toBeNull();
    expect(fileText(wrong!.transactions)).toContain('SET a = a + 1');
    expect(readTransactions(fileText(wrong!.transactions)).steps.size).toBe(wrong!.transactions.steps.size);
    expect(wrong!.differs.join()).toContain(' instead of ');
  });

  test('results under snapshot isolation are right as such, and wrong as serializable', async () => {
    expect((await results(server.database, 'repeatable read', 'snapshot-isolation', 3)).wrong).toBeNull();
    expect((await results(server.database, 'repeatable read', 'serializable', 60)).wrong).not.toBeNull();
  });
});
