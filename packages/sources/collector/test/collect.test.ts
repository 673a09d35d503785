import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import {
  type History,
  NO_TIME,
  TxnStatus,
  buildReadFrom,
  countSessions,
  countTransactions,
  levelOf,
} from '@isolab/history';
import { type Program, type Request, findWorkload, resolveParameters } from '@isolab/workloads';
import { describe, expect, test, vi } from 'vitest';
import {
  type CollectorOptions,
  CollectorError,
  type Counts,
  type Database,
  collect,
  driverFor,
  isolationNamed,
  isolationToCollect,
  mixedOf,
} from '../src/index.ts';
import { LIMITS, SERIAL, fakeDatabase, readBack } from './fake.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-collect-'));
let files = 0;

async function run(
  database: Database,
  options: Partial<CollectorOptions> = {},
): Promise<{ path: string; counts: Counts; history: History }> {
  const workload = findWorkload('general')!;
  const path = options.path ?? join(folder, `${files++}.jsonl`);
  const counts = await collect({
    database,
    isolation: SERIAL,
    workload,
    parameters: resolveParameters(workload, { keys: '5', operations: '3' }),
    sessions: 3,
    transactions: 10,
    seed: 1,
    ...options,
    path,
  });
  return { path, counts, history: await readBack(path) };
}

const WRITING = { parameters: resolveParameters(findWorkload('general')!, { keys: '5', operations: '3', reads: '0' }) };

const statuses = ({ txnStatus }: History, status: number): number => txnStatus.filter((s) => s === status).length;

describe('a collected history', () => {
  test('a collected history holds the commits of every session', async () => {
    const { counts, history } = await run(fakeDatabase());
    expect(counts).toMatchObject({ committed: 30, aborted: 0, unknown: 0, wanted: 30 });
    expect([countSessions(history), countTransactions(history)]).toEqual([3, 30]);
    expect(buildReadFrom(history).repeatedWrites).toBe(0);
    expect([...history.txnBegin!].every((begin, t) => begin <= history.txnEnd![t]!)).toBe(true);
  });

  describe('a collected history says of each transaction', () => {
    const read = (key: string): Request => ({ kind: 'read', key });
    const write = (key: string): Request => ({ kind: 'write', key, value: ++values });
    let values = 0;

    /** Runs one transaction with a clock that counts how often it was read, by the database as well. */
    async function timed(requests: readonly Request[], mishaps = {}) {
      let ticks = 0n;
      const clock = vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => ++ticks);
      const all: { begin: bigint; answers: bigint[]; commit: bigint; end: bigint; isMark: boolean }[] = [];
      const bare = fakeDatabase(mishaps);
      const database: Database = {
        ...bare,
        connect: async (isolation) => {
          const connection = await bare.connect(isolation);
          const now = () => process.hrtime.bigint();
          return {
            ...connection,
            begin() {
              all.push({ begin: now(), answers: [], commit: 0n, end: 0n, isMark: false });
              return connection.begin();
            },
            ask(question) {
              all.at(-1)!.isMark ||= 'key' in question && question.key === -1; // mark of the owner of the tables
              return connection.ask(question).finally(() => all.at(-1)!.answers.push(now()));
            },
            commit() {
              all.at(-1)!.commit = now();
              return connection.commit().finally(() => (all.at(-1)!.end = now()));
            },
          };
        },
      };
      const program = function* (): Program {
        yield* requests;
      };
      const programs = [program];
      const queue = { next: () => programs.pop() ?? null, mayBegin: () => true, ended: () => {} };
      try {
        const { history, path } = await run(database, { sessions: 1, transactions: 1, queueOf: () => queue });
        const { txnBegin, txnBegun, txnCommitting, txnEnd } = history;
        const [begin, begun, committing, end] = [txnBegin, txnBegun, txnCommitting, txnEnd].map(
          (column) => column?.[0] ?? NO_TIME,
        );
        const seen = all.find(({ isMark }) => !isMark)!;
        const zero = begin! + 1n - seen.begin; // BEGIN follows at once
        const told = { begun, committing, end };
        const expected = (time: bigint | undefined, by: bigint) => (time === undefined ? NO_TIME : time + by + zero);
        return { told, seen, expected, header: readFileSync(path, 'utf8').split('\n', 1)[0] };
      } finally {
        clock.mockRestore();
      }
    }

    test.each([
      ['a read', [read('a'), write('a')], 0],
      ['a read of another key than those that it wrote', [write('a'), read('a'), read('b'), read('c')], 2],
      ['writes', [write('a'), write('b')], undefined],
      ['a read of its own write', [write('a'), read('a')], undefined],
      ['nothing', [], undefined],
    ])('when it had its snapshot, and when it asked to commit: %s', async (_, requests, first) => {
      const { told, seen, expected, header } = await timed(requests);
      const answer = first === undefined ? undefined : seen.answers[first];
      expect(told).toEqual({
        begun: expected(answer, 1n),
        committing: expected(seen.commit, -1n),
        end: expected(seen.end, 1n),
      });
      expect(JSON.parse(header!)).toMatchObject({ version: 2, times: 'nanoseconds' });
    });

    test.each([
      ['refused', { refuse: [1] }, true],
      ['not answered', { loseAfter: [1] }, false],
    ])('when it asked to commit, where that was %s', async (_, mishaps, isAnswered) => {
      for (const requests of [[read('a')], [read('a'), write('a')]]) {
        const { told, seen, expected } = await timed(requests, mishaps);
        expect(told.committing).toBe(expected(seen.commit, -1n));
        expect(told.begun).not.toBe(NO_TIME);
        expect(told.end === NO_TIME).toBe(!isAnswered);
      }
    });

    test('nothing of a request to commit that was not sent', async () => {
      const { told } = await timed([read('a'), { kind: 'abort' }]);
      expect(told.committing).toBe(NO_TIME);
      expect(told.begun).not.toBe(NO_TIME);
      expect(told.end).not.toBe(NO_TIME);
    });
  });

  test('a collected history holds aborted attempts, and the sessions continue with other transactions', async () => {
    const { counts, history } = await run(fakeDatabase({ refuse: [3, 7, 8] }));
    expect(counts).toMatchObject({ committed: 30, aborted: 3 });
    expect(statuses(history, TxnStatus.Aborted)).toBe(3);
  });

  test('a collected history may attempt the same transaction again', async () => {
    const { history } = await run(fakeDatabase({ refuse: [1] }), { retry: true, sessions: 1 });
    const keysOf = (t: number) => [...history.opKey.subarray(history.txnStart[t], history.txnStart[t + 1])];
    const kindsOf = (t: number) => [...history.opKind.subarray(history.txnStart[t], history.txnStart[t + 1])];
    expect([keysOf(1), kindsOf(1)]).toEqual([keysOf(0), kindsOf(0)]);
    expect(buildReadFrom(history).repeatedWrites).toBe(0);
  });

  test.each([{ loseBefore: [4] }, { loseAfter: [4] }])(
    'a collected history says unknown of a commit that got no answer (%o), and the client continues as another session',
    async (mishaps) => {
      const { counts, history } = await run(fakeDatabase(mishaps));
      expect(counts).toMatchObject({ committed: 30, unknown: 1 });
      expect(countSessions(history)).toBe(4);
      const unknown = history.txnStatus.indexOf(TxnStatus.Unknown);
      expect(history.txnStart[unknown + 1]! - history.txnStart[unknown]!).toBe(3);
      const session = history.txnSession[unknown]!;
      expect(history.sessionStart[session + 1]).toBe(unknown + 1); // it is the last one of its session
    },
  );

  test('a collected history says aborted of a transaction whose connection was lost before it committed', async () => {
    const { counts, history } = await run(fakeDatabase({ loseAt: 5 }));
    expect(counts).toMatchObject({ committed: 30, aborted: 1, unknown: 0 });
    expect(countSessions(history)).toBe(3);
  });

  test('a collected history is on the disk as it grows, and ends well when it is interrupted', async () => {
    const abort = new AbortController();
    const path = join(folder, 'interrupted.jsonl');
    const seen: number[] = [];
    const onProgress = ({ committed }: Counts): void => {
      // A committing transaction is there as well, as one of unknown outcome.
      seen.push(
        readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line.startsWith('{"outcome"')).length,
      );
      if (committed === 12) abort.abort();
    };
    const { counts, history } = await run(fakeDatabase(), { path, signal: abort.signal, onProgress, ...WRITING });
    expect(seen.slice(0, 12)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    expect(counts.committed).toBeLessThan(30);
    expect(countTransactions(history)).toBe(counts.committed);
  });

  test('a collected history can be continued, even with a line that was cut off', async () => {
    const database = fakeDatabase();
    const abort = new AbortController();
    const onProgress = ({ committed }: Counts): void => void (committed === 12 && abort.abort());
    const { path, counts } = await run(database, { signal: abort.signal, onProgress });
    appendFileSync(path, '{"session":"0","begin":123');
    const again = await run(database, { path, resume: true });
    expect(again.counts.committed).toBe(30 - counts.committed);
    expect(database.prepared).toEqual([false, true]);
    expect(statuses(again.history, TxnStatus.Committed)).toBe(30);
    const index = buildReadFrom(again.history);
    expect(index.repeatedWrites).toBe(0);
    expect([...index.readFrom].filter((from) => from === -2)).toEqual([]); // nothing out of thin air
  });

  test('a collected history is not continued in a foreign file', async () => {
    const path = join(folder, 'other.jsonl');
    writeFileSync(path, 'dear diary\n');
    await expect(run(fakeDatabase(), { path, resume: true })).rejects.toThrow('cannot be continued');
    expect(readFileSync(path, 'utf8')).toBe('dear diary\n');
  });
});

describe('the set-up', () => {
  test('a database that never commits is reported, not asked forever', async () => {
    const refuse = Array.from({ length: 5000 }, (_, i) => i + 1);
    await expect(run(fakeDatabase({ refuse }), { sessions: 1 })).rejects.toThrow('did not commit in 1000 attempts');
  });

  test.each(['oracle://localhost', 'localhost:5432', ''])('there is no driver for "%s"', async (address) => {
    await expect(driverFor(address)).rejects.toThrow(CollectorError);
  });

  test('a package that is not installed is named', async () => {
    const driver = await driverFor('mongodb://localhost');
    await expect(driver.open('mongodb://localhost', LIMITS)).rejects.toThrow('npm install mongodb');
  });

  test('isolation levels go by the database’s own names', async () => {
    const driver = await driverFor('postgres://localhost');
    expect(isolationNamed(driver, 'Repeatable_Read').claims).toBe('snapshot-isolation');
    expect(() => isolationNamed(driver, 'snapshot')).toThrow(
      'expected one of read committed, repeatable read, serializable',
    );
  });

  test('the levels of a database can be mixed, one for each session', async () => {
    const { isolations } = await driverFor('mariadb://localhost');
    const mixed = isolationToCollect(await driverFor('mariadb://localhost'), 'Mixed');
    expect(mixed.mixes!.map(({ beside }) => beside)).toEqual([
      'read-committed',
      'strong-session-read-committed',
      'serializable',
    ]);
    expect(isolationToCollect(await driverFor('postgres://localhost'), 'mixed').mixes!.at(-1)!.beside).toBe(
      'snapshot-isolation',
    );
    expect(mixedOf(isolations.slice(1, 2))).toBeNull();
    expect(mixedOf(isolations.map((one) => ({ ...one, beside: null })))).toBeNull();
    const bare = fakeDatabase();
    const connected: string[] = [];
    const connect: Database['connect'] = (isolation) => (connected.push(isolation.name), bare.connect(isolation));
    const { history, path } = await run({ ...bare, connect }, { isolation: mixed });
    expect(new Set(connected)).toEqual(new Set(isolations.map(({ name }) => name)));
    const [header, line] = readFileSync(path, 'utf8').split('\n');
    expect(JSON.parse(header!)).toMatchObject({
      levels: { 'repeatable read': 'strong-session-read-committed' },
      collected: { isolation: 'mixed', claims: 'stated' },
    });
    expect(isolations.map(({ name }) => name)).toContain((JSON.parse(line!) as { level: string }).level);
    for (let s = 0; s < 3; s++) {
      const own = Array.from({ length: countTransactions(history) }, (_, t) => t).filter(
        (t) => history.txnSession[t] === s,
      );
      expect(new Set(own.map((t) => levelOf(history, t))).size).toBe(1);
    }
    expect(history.txnLevels!.names.toSorted()).toEqual(mixed.mixes!.map(({ beside }) => beside).toSorted());
  });

  test('a server that does not answer is named without its password', async () => {
    const driver = await driverFor('postgres://me:secret@127.0.0.1:1/db');
    const failure = driver.open('postgres://me:secret@127.0.0.1:1/db', LIMITS);
    await expect(failure).rejects.toThrow('There is no PostgreSQL server at postgres://me:…@127.0.0.1:1/db');
  });
});
