import { ConnectionLost, type Database, type PlainSql } from '@isolab/collector';
import { describe, expect, test } from 'vitest';
import { steps } from '../../src/hermitage/cases/case.ts';
import { CASES } from '../../src/hermitage/cases/index.ts';
import { checkClaims, claimText } from '../../src/hermitage/play/claims.ts';
import { conductorOf, sentBy } from '../../src/hermitage/play/sessions.ts';
import { type HermitageReport, hermitage } from '../../src/hermitage/play/run.ts';
import { type Script, refuses, scripted } from './fake.ts';

const LOST_UPDATE = CASES.find(({ name }) => name === 'P4')!;
const BOTH_FIRST = { first: [[1, 10]], second: [[1, 10]] } as const;
const LEVEL = { name: 'repeatable read', claims: 'snapshot-isolation' } as const;

async function cellOf(script: Script) {
  const { database, heard } = scripted(LOST_UPDATE, BOTH_FIRST, script);
  const report = await hermitage(database, { levels: [LEVEL], cases: [LOST_UPDATE], waitMs: 100 });
  return { report, cell: report.levels[0]!.cells[0]!, heard };
}

/** Something that others wait for. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('a statement that waits', () => {
  test('a statement that waits is passed over, puts off later steps, and continues when the other transaction ends', async () => {
    let lock = gate();
    const { cell, heard } = await cellOf(async ({ session, sql }) => {
      if (sql === 'BEGIN') lock = gate(); // it may be played again
      if (session === 'T2' && sql.startsWith('UPDATE')) await lock.opened;
      if (session === 'T1' && sql === 'COMMIT') lock.open();
      return session === 'T2' && sql.startsWith('SELECT') ? [[1, 11]] : (undefined as never);
    });
    expect(heard.slice(0, 8).map((line) => line.replace(/(?<=: \w+) .*/, ''))).toEqual([
      'T1: BEGIN',
      'T2: BEGIN',
      'T1: SELECT',
      'T2: SELECT',
      'T1: UPDATE',
      'T2: UPDATE',
      'T1: COMMIT',
      'T2: COMMIT',
    ]);
    expect(cell).toMatchObject({ outcome: 'prevented', by: 'wait' });
    expect(cell.why[0]).toContain('waited until the COMMIT of T1, statement 7');
    expect(cell.sent[5]).toMatchObject({ waited: true, answeredAfter: 7 });
  });

  test('a statement that waits may show the anomaly all the same', async () => {
    let lock = gate();
    const { cell } = await cellOf(async ({ session, sql }) => {
      if (sql === 'BEGIN') lock = gate(); // it may be played again
      if (session === 'T2' && sql.startsWith('UPDATE')) await lock.opened;
      if (session === 'T1' && sql === 'COMMIT') lock.open();
      return undefined as never;
    });
    expect(cell).toMatchObject({ outcome: 'possible' });
  });

  test('a statement that waits ends with a deadlock: the entry that is refused rolls back, and the other one continues', async () => {
    let lock = gate();
    const { cell, heard } = await cellOf(async ({ session, sql }) => {
      if (sql === 'BEGIN') lock = gate(); // it may be played again
      if (session === 'T1' && sql.startsWith('UPDATE')) await lock.opened;
      if (session === 'T2' && sql.startsWith('UPDATE')) {
        lock.open();
        return refuses();
      }
      return undefined as never;
    });
    expect(heard).toContain('T2: ROLLBACK');
    expect(heard).not.toContain('T2: COMMIT');
    expect(cell).toMatchObject({ outcome: 'prevented', by: 'abort' });
    expect(cell.why[0]).toContain('waited until statement 6 had aborted T2');
    expect(cell.why[1]).toContain('statement 6 (T2)');
  });
});

describe('a slow machine', () => {
  /** T2 is slow with its first read when it is first played, and sees the write that T1 committed meanwhile. */
  const slowOnce = (reads: 'old' | 'new'): Script => {
    let isFirst = true;
    const lock = gate();
    return async ({ session, sql }) => {
      if (session === 'T1' && sql === 'COMMIT') lock.open();
      if (session !== 'T2' || !sql.startsWith('SELECT')) return undefined as never;
      if (!isFirst) return reads === 'old' ? [[1, 10]] : [[1, 11]];
      isFirst = false;
      await lock.opened;
      return [[1, 11]];
    };
  };

  test('a slow machine passes for no lock: a case that a wait prevented is played again', async () => {
    const { cell, heard } = await cellOf(slowOnce('old'));
    expect(cell).toMatchObject({ outcome: 'possible' });
    expect(heard.filter((line) => line === 'T1: BEGIN').length).toBe(2);
  });

  test('a slow machine is no wait in the report', async () => {
    const { cell } = await cellOf(slowOnce('new'));
    expect(cell).toMatchObject({ outcome: 'prevented', by: 'reads' });
  });

  test('a slow machine leaves the case unknown in the end, and never prevented', async () => {
    let later = gate();
    const { cell } = await cellOf(async ({ session, sql }) => {
      if (sql === 'BEGIN') later = gate();
      if (session === 'T1' && sql.startsWith('UPDATE')) later.open();
      if (session !== 'T2' || !sql.startsWith('SELECT')) return undefined as never;
      await later.opened; // which is no end of a transaction
      return [[1, 11]];
    });
    expect(cell).toMatchObject({ outcome: 'unknown', by: null });
    expect(cell.why.join()).toContain('was slow although no other transaction ended meanwhile');
  });
});

describe('nothing is known', () => {
  test('nothing is known where a connection is lost', async () => {
    const { cell } = await cellOf(({ session, sql }) => {
      if (session === 'T1' && sql === 'COMMIT') throw new ConnectionLost('gone');
      return undefined;
    });
    expect(cell).toMatchObject({ outcome: 'unknown' });
    expect(cell.why.join()).toContain('COMMIT, failed: the connection is lost: gone');
  });

  test('nothing is known where a statement is never answered', async () => {
    const never: PlainSql = { begin: 'BEGIN', session: [], send: () => new Promise(() => {}) };
    const conductor = conductorOf(steps('T1: BEGIN\nT1: COMMIT'), new Map([['T1', never]]), {
      blockedMs: 10,
      patienceMs: 50,
    });
    expect(await conductor.run()).toBe(false);
    expect(sentBy(conductor)).toMatchObject([
      { sql: 'BEGIN', answer: { kind: 'none' }, waited: true, answeredAfter: null },
    ]);
  });

  test('nothing is known where the tables cannot be made', async () => {
    const broken = { ...LOST_UPDATE, tables: ['CREATE TABLE isolab_test (nonsense)'] };
    const { database } = scripted(broken, BOTH_FIRST);
    const refusing: Database = {
      ...database,
      connect: async (isolation) => {
        const connection = await database.connect(isolation);
        const send: PlainSql['send'] = (sql) =>
          sql.startsWith('CREATE') ? Promise.reject(new Error('no')) : connection.sql!.send(sql);
        return { ...connection, sql: { ...connection.sql!, send } };
      },
    };
    const { levels } = await hermitage(refusing, { levels: [LEVEL], cases: [broken], waitMs: 100 });
    expect(levels[0]!.cells[0]).toMatchObject({
      outcome: 'unknown',
      why: ['the case could not be set up or ended: no'],
    });
  });

  test('once it is interrupted', async () => {
    const interrupt = new AbortController();
    const { database } = scripted(LOST_UPDATE, BOTH_FIRST, () => {
      interrupt.abort();
      return undefined;
    });
    const options = { levels: [LEVEL], cases: [LOST_UPDATE, LOST_UPDATE], waitMs: 100, signal: interrupt.signal };
    const { levels } = await hermitage(database, options);
    expect(levels[0]!.cells.map(({ outcome, why }) => [outcome, ...why])).toEqual([
      ['unknown', 'interrupted'],
      ['unknown', 'interrupted'],
    ]);
  });
});

test('an interrupt that ends the database, too, is reported as an interrupt', async () => {
  const interrupt = new AbortController();
  const { database } = scripted(LOST_UPDATE, BOTH_FIRST, () => {
    interrupt.abort();
    throw new ConnectionLost('gone');
  });
  const gone: Database = {
    ...database,
    connect: (level) => (interrupt.signal.aborted ? Promise.reject(new Error('refused')) : database.connect(level)),
  };
  const options = { levels: [LEVEL, LEVEL], cases: [LOST_UPDATE, LOST_UPDATE], waitMs: 100, signal: interrupt.signal };
  const { levels } = await hermitage(gone, options);
  expect(new Set(levels.flatMap(({ cells }) => cells.flatMap(({ why }) => why)))).toEqual(new Set(['interrupted']));
});

test('a database that takes no SQL is refused', async () => {
  const { database } = scripted(LOST_UPDATE, BOTH_FIRST);
  const mute: Database = {
    ...database,
    connect: async (level) => ({ ...(await database.connect(level)), sql: undefined as never }),
  };
  await expect(hermitage(mute, { levels: [LEVEL], cases: [LOST_UPDATE], waitMs: 100 })).rejects.toThrow(
    'does not support SQL',
  );
});

test('the claim of a level is compared with the observations', async () => {
  const said = (report: HermitageReport): string => claimText(checkClaims(report.levels[0]!, CASES));
  const possible = await cellOf(() => undefined);
  expect(said(possible.report)).toBe(
    'REPEATABLE READ claims snapshot-isolation, but of the 1 case that it forbids, P4 was possible.',
  );
  const weaker = { ...possible.report.levels[0]!, name: 'read committed', claims: 'read-committed' } as const;
  expect(claimText(checkClaims(weaker, CASES))).toBe(
    'READ COMMITTED claims read-committed, which forbids none of these cases.',
  );
  const prevented = await cellOf(({ session, sql }) => (session === 'T2' && sql === 'COMMIT' ? refuses() : undefined));
  expect(said(prevented.report)).toBe(
    'REPEATABLE READ claims snapshot-isolation; the 1 case that it forbids was prevented.',
  );
});
