import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, open } from 'isolab';
import { describe, expect, test } from 'vitest';
import { Journal } from '../src/recorded/journal.ts';
import { Plans } from '../src/recording/plans.ts';
import { Recording } from '../src/recording/recording.ts';
import { NO_REDACTION } from '../src/recorded/redaction.ts';
import { Session } from '../src/recording/session.ts';
import { Tuples, takenAgain } from '../src/recorded/tuples.ts';
import { scansOnly, settle } from '../src/recorded/settle.ts';
import type { Catalog, Table } from '../src/sql/catalog.ts';
import { loadParser } from '../src/sql/parser.ts';
import type { Planned } from '../src/sql/planned.ts';
import type { Sent } from '../src/wire/statement.ts';

const parser = await loadParser();
const folder = mkdtempSync(join(tmpdir(), 'isolab-record-'));
let files = 0;

const ACCOUNTS: Table = {
  name: 'accounts',
  schema: 'public',
  table: 'accounts',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'amount', type: 'integer' },
  ],
  key: ['id'],
  unique: [['id']],
  problem: null,
  sideEffect: null,
  returnsStaleOld: false,
  isWhole: true,
  notInLog: null,
  definition: '',
  storage: '',
};

const CATALOG: Catalog = {
  tables: new Map([['public.accounts', ACCOUNTS]]),
  functions: new Set(),
  aggregates: new Set(['count']),
  version: 180_004,
  defersTriggers: false,
  xid: null,
};

/** Rows are `id,amount,writer`; those of updates have the old version behind. */
type Told = readonly string[];

function recorded() {
  const path = join(folder, `${files++}.jsonl`);
  const journal = new Journal(path);
  let time = 0n;
  const plans = new Plans({
    parser,
    ask: async () => [],
    catalog: CATALOG,
    isWhole: () => true,
    onCatalog: () => {},
  });
  const recording = new Recording({
    journal,
    plans,
    redaction: NO_REDACTION,
    isInitial: (xmin) => xmin < 100,
    now: () => ++time,
  });
  journal.add('{"isolab":"history","version":2,"times":"nanoseconds"}\n');
  const lines = (): Record<string, unknown>[] => {
    journal.flush();
    return readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const finish = async (): Promise<void> => {
    recording.finish();
    journal.close();
    const tuples = new Tuples(await takenAgain(path, () => false), new Set());
    await settle(path, scansOnly({ isUndisturbed: () => true, redefined: new Map(), tuples }));
  };
  return { path, recording, lines, finish, client: (name: string) => client(recording, name) };
}

const FACTS = { user: 'me', database: 'db', applicationName: null, settings: { level: 'read committed' } };

function client(recording: Recording, name: string) {
  const session = new Session(recording, name, FACTS, new Set());
  const send = async (sql: string): Promise<Sent> => {
    const [statement] = (await session.plan(sql)) as readonly Planned[];
    return session.sends(statement!, null);
  };
  const answer = (sent: Sent, tag: string, rows: readonly Told[] = []): void => {
    for (const row of rows) sent.row!(row);
    sent.complete(tag);
  };
  /** Sends a statement and answers it; `status` is that of ReadyForQuery. */
  const says = async (sql: string, tag: string, status: 'I' | 'T', rows: readonly Told[] = []): Promise<void> => {
    answer(await send(sql), tag, rows);
    session.ready(status);
  };
  return { session, send, answer, says };
}

/** The hidden columns of one version. */
const version = (id: number, amount: number, writer: number): string[] => [String(writer), `(${id},${amount})`];

describe('outcomes', () => {
  test('a transaction is in the file before COMMIT is sent, as one of unknown outcome', async () => {
    const { client: connect, lines } = recorded();
    const a = connect('a');
    await a.says('begin isolation level repeatable read', 'BEGIN', 'T');
    await a.says('update accounts set amount = 5 where id = 1', 'UPDATE 1', 'T', [
      [...version(1, 5, 101), ...version(1, 0, 7)],
    ]);
    expect(lines()).toEqual([]);
    const commit = await a.send('commit');
    expect(lines()).toMatchObject([
      { rows: [['accounts', 1, { xmin: 7, id: 1, amount: 0 }]] },
      {
        session: 'a',
        status: 'unknown',
        level: 'repeatable read',
        ops: [
          ['get', 'accounts', 1, { xmin: 7, id: 1, amount: 0 }],
          ['put', 'accounts', 1, { xmin: 101, id: 1, amount: 5 }],
        ],
      },
    ]);
    a.answer(commit, 'COMMIT');
    expect(lines()[2]).toMatchObject({ outcome: 'committed', session: 'a' });
  });

  test.each([
    ['COMMIT answered', ['commit', 'COMMIT'], 'committed'],
    ['COMMIT of a failed transaction', ['commit', 'ROLLBACK'], 'aborted'],
    ['ROLLBACK', ['rollback', 'ROLLBACK'], 'aborted'],
    ['COMMIT refused', ['commit', null], 'aborted'],
    ['lost before COMMIT', null, 'aborted'],
    ['lost after COMMIT', ['commit', 'lost'], 'unknown'],
  ] as const)('%s', async (_, end, outcome) => {
    const { client: connect, lines, recording } = recorded();
    const a = connect('a');
    await a.says('begin', 'BEGIN', 'T');
    await a.says('delete from accounts where id = 1', 'DELETE 1', 'T', [version(1, 0, 7)]);
    if (end === null) a.session.closes('gone');
    else {
      const sent = await a.send(end[0]);
      if (end[1] === 'lost') a.session.closes('gone');
      else {
        if (end[1] === null) sent.fails('40001');
        else a.answer(sent, end[1]);
        a.session.ready('I');
      }
    }
    recording.finish();
    const told = lines().filter((line) => 'ops' in line || 'outcome' in line);
    const last = told.at(-1)!;
    expect(last['outcome'] ?? last['status'] ?? 'committed').toBe(outcome);
  });

  test('a recording that ends in the middle of COMMIT leaves the outcome open', async () => {
    const { client: connect, lines, recording } = recorded();
    const a = connect('a');
    await a.says('begin', 'BEGIN', 'T');
    await a.says('delete from accounts where id = 1', 'DELETE 1', 'T', [version(1, 0, 7)]);
    await a.send('commit');
    recording.finish();
    expect(lines().at(-1)).toMatchObject({ session: 'a', status: 'unknown' });
  });

  test('a statement outside a transaction commits by itself, fails by itself, and is unknown if nothing came', async () => {
    const { client: connect, lines } = recorded();
    const a = connect('a');
    await a.says('insert into accounts values (1, 1)', 'INSERT 0 1', 'I', [version(1, 1, 101)]);
    const failing = await a.send('insert into accounts values (1, 1)');
    failing.fails('23505');
    a.session.ready('I');
    await a.says('select * from accounts', 'SELECT 1', 'I', [version(1, 1, 101)]);
    await a.send('insert into accounts values (2, 1)');
    a.session.closes('gone');
    expect(lines().map(({ status = 'committed' }) => status)).toEqual(['committed', 'committed']);
  });

  test('a run that was completed and not answered to its end may have been committed', async () => {
    const { client: connect, lines } = recorded();
    const a = connect('a');
    a.answer(await a.send('insert into accounts values (1, 1)'), 'INSERT 0 1', [version(1, 1, 101)]);
    a.session.closes('gone');
    expect(lines()).toMatchObject([{ status: 'unknown' }]);
  });

  test('the outcome of a transaction is unknown where the client continues and is not followed', async () => {
    const { client: connect, lines } = recorded();
    const a = connect('a');
    await a.says('begin', 'BEGIN', 'T');
    await a.says('delete from accounts where id = 1', 'DELETE 1', 'T', [version(1, 0, 7)]);
    a.session.closes('unfollowed');
    expect(lines().at(-1)).toMatchObject({ status: 'unknown' });
  });

  test('runs that are sent before the first is answered are transactions of their own, from when they were sent', async () => {
    const { client: connect, lines, finish, path } = recorded();
    const a = connect('a');
    const texts = [
      'insert into accounts values (1, 1)',
      'insert into accounts values (2, 1)',
      'select * from accounts',
    ];
    const sent: Sent[] = [];
    for (const text of texts) sent.push(await a.send(text));
    const rows = [version(1, 1, 101), version(2, 1, 102)];
    for (const [i, each] of sent.entries()) {
      if (i < 2) a.answer(each, 'INSERT 0 1', [rows[i]!]);
      else a.session.closes('gone');
      if (i < 2) a.session.ready('I');
    }
    expect(lines()).toMatchObject([{ begin: 1 }, { begin: 2 }]);
    await finish();
    expect((await check(await open(path), { level: 'strict-serializable', allowVacuous: true })).verdict).toBe(
      'satisfied',
    );
  });

  test('a transaction whose COMMIT is sent with its statements is no reason to blame others for its writes', async () => {
    const { client: connect, lines } = recorded();
    const [a, b] = [connect('a'), connect('b')];
    await a.says('begin', 'BEGIN', 'T');
    const insert = await a.send('insert into accounts values (1, 1)');
    const commit = await a.send('commit');
    await b.says('select * from accounts', 'SELECT 1', 'I', [version(1, 1, 101)]);
    a.answer(insert, 'INSERT 0 1', [version(1, 1, 101)]);
    a.answer(commit, 'COMMIT');
    a.session.ready('I');
    expect(lines().map(({ session }) => session)).toEqual(['a', 'b']);
  });

  test('a version is known for as long as a transaction that saw it is not in the file', async () => {
    const { client: connect, lines, recording } = recorded();
    const [a, b, c] = [connect('a'), connect('b'), connect('c')];
    const update = (n: number) =>
      a.says(`update accounts set amount = ${n}`, 'UPDATE 1', 'I', [
        [...version(1, n, 100 + n), ...version(1, n - 1, n === 1 ? 7 : 99 + n)],
      ]);
    for (const n of [1, 2]) await update(n);
    await b.says('begin', 'BEGIN', 'T');
    await b.says('select * from accounts', 'SELECT 1', 'T', [version(1, 2, 102)]);
    await update(3);
    const unanswered = await c.send('insert into accounts values (9, 9)'); // is committed, and b sees it before its answer came
    await b.says('select * from accounts where id = 9', 'SELECT 1', 'T', [version(9, 9, 200)]);
    await b.says('rollback', 'ROLLBACK', 'I');
    for (const n of [4, 5]) await update(n);
    c.answer(unanswered, 'INSERT 0 1', [version(9, 9, 200)]);
    c.session.ready('I');
    recording.finish();
    expect(lines().filter(({ session }) => String(session).startsWith('outside'))).toEqual([]);
  });

  test('an operation that a savepoint rolls back did not happen', async () => {
    const { client: connect, lines } = recorded();
    const a = connect('a');
    await a.says('begin', 'BEGIN', 'T');
    await a.says('insert into accounts values (1, 1)', 'INSERT 0 1', 'T', [version(1, 1, 101)]);
    await a.says('savepoint s', 'SAVEPOINT', 'T');
    await a.says('insert into accounts values (2, 1)', 'INSERT 0 1', 'T', [version(2, 1, 102)]);
    await a.says('select * from accounts', 'SELECT 2', 'T', [version(1, 1, 101), version(2, 1, 102)]);
    await a.says('rollback to s', 'ROLLBACK', 'T');
    await a.says('insert into accounts values (3, 1)', 'INSERT 0 1', 'T', [version(3, 1, 103)]);
    await a.says('commit', 'COMMIT', 'I');
    const [line] = lines();
    expect((line!['ops'] as unknown[][]).map(([kind, , key]) => [kind, key])).toEqual([
      ['put', 1],
      ['put', 3],
    ]);
    expect(line!['scans']).toBeUndefined();
  });
});

describe('the times of a transaction', () => {
  const INSERT = 'insert into accounts values (1, 1)';
  const SELECT = 'select * from accounts';
  const timesOf = ({ begin, begun, committing, end }: Record<string, unknown>) => [begin, begun, committing, end];

  test('the times of a transaction are when it was sent, first answered about rows, asked to commit, and answered', async () => {
    const { client: connect, lines } = recorded();
    const a = connect('a'); // reads the clock as it sends, and as rows are recorded
    await a.says('begin', 'BEGIN', 'T'); // 1
    await a.says("set local work_mem = '1MB'", 'SET', 'T'); // 2
    await a.says('select 1', 'SELECT 1', 'T'); // 3: of no rows
    await a.says(SELECT, 'SELECT 1', 'T', [version(1, 0, 7)]); // 4, 5
    await a.says(INSERT, 'INSERT 0 1', 'T', [version(2, 1, 101)]); // 6
    const commit = await a.send('commit'); // 7
    expect(timesOf(lines()[1]!)).toEqual([1, 5, 7, undefined]);
    a.answer(commit, 'COMMIT'); // 8
    expect(lines()[2]).toEqual({ outcome: 'committed', session: 'a', end: 8 });
  });

  test('the times of a transaction of a search that found nothing are those of a search', async () => {
    const { client: connect, lines } = recorded();
    const a = connect('a');
    await a.says('begin', 'BEGIN', 'T');
    await a.says(SELECT, 'SELECT 0', 'T');
    await a.says('commit', 'COMMIT', 'I');
    expect(timesOf(lines()[0]!)).toEqual([1, 3, 4, undefined]);
  });

  test('the times of a transaction do not say when a statement commits that is a transaction by itself', async () => {
    const { client: connect, lines } = recorded();
    const a = connect('a');
    await a.says(INSERT, 'INSERT 0 1', 'I', [version(1, 1, 101)]);
    expect(lines().map(timesOf)).toEqual([[1, 2, undefined, 3]]);
  });

  test('the times of a transaction are of the statements that were sent together for it', async () => {
    const { client: connect, lines, finish, path } = recorded();
    const a = connect('a');
    const sent: Sent[] = [];
    for (const sql of ['begin', INSERT, 'commit', 'begin', SELECT, 'commit', SELECT]) sent.push(await a.send(sql)); // 1–7
    const rows = [version(1, 1, 101)];
    for (const [i, tag] of ['BEGIN', 'INSERT 0 1', 'COMMIT', 'BEGIN', 'SELECT 1', 'COMMIT', 'SELECT 1'].entries()) {
      a.answer(sent[i]!, tag, i % 3 === 1 || i === 6 ? rows : []); // 8 rows, 9 end; 10, 11; 12
      a.session.ready(i % 3 === 2 || i === 6 ? 'I' : 'T');
    }
    expect(lines().map(timesOf)).toEqual([
      [1, 8, 3, 9],
      [4, 10, 6, 11],
      [7, 12, undefined, 13],
    ]);
    await finish();
    const settled = readFileSync(path, 'utf8').split('\n')[1]!;
    expect(timesOf(JSON.parse(settled) as Record<string, unknown>)).toEqual([1, 8, 3, 9]);
    expect((await check(await open(path), { level: 'strict-serializable' })).verdict).toBe('satisfied');
  });

  test('the times of a transaction are those of the first statement that may have committed it', async () => {
    const { client: connect, lines } = recorded();
    const a = connect('a');
    await a.says('begin', 'BEGIN', 'T');
    await a.says(INSERT, 'INSERT 0 1', 'T', [version(1, 1, 101)]); // 2, 3
    const unknown = a.session.sends(a.session.withoutText('a function call'), null); // 4
    unknown.complete(null);
    a.session.ready('T');
    await a.says('commit', 'COMMIT', 'I');
    expect(timesOf(lines()[0]!)).toEqual([1, 3, 4, undefined]);
  });
});

describe('the level of a transaction', () => {
  const SERIALIZABLE = "set default_transaction_isolation = 'serializable'";

  test.each([
    [[SERIALIZABLE], 'serializable'],
    [['set session characteristics as transaction isolation level serializable'], 'serializable'],
    [["select set_config('default_transaction_isolation', 'serializable', false)"], 'serializable'],
    [["select set_config('application_name', 'serializable', false)"], 'read committed'],
    // Its constants matter, though statements are planned without them.
    [[SERIALIZABLE, "set default_transaction_isolation = 'repeatable read'"], 'repeatable read'],
    [[SERIALIZABLE, 'reset default_transaction_isolation'], 'read committed'],
    [[SERIALIZABLE, 'set default_transaction_isolation to default'], 'read committed'],
    [[SERIALIZABLE, 'reset all'], 'read committed'],
    [[SERIALIZABLE, 'discard all'], 'read committed'],
    [[`begin; ${SERIALIZABLE}; commit`], 'serializable'],
    [[`begin; ${SERIALIZABLE}; rollback`], 'read committed'],
    [[`begin; set local ${SERIALIZABLE.slice(4)}; commit`], 'read committed'],
  ])('the level of a transaction after %j is %s', async (texts, level) => {
    const { client: connect, lines } = recorded();
    const a = connect('a');
    for (const text of texts) {
      const statements = text.split('; ');
      for (const [i, sql] of statements.entries())
        await a.says(sql, sql.split(' ')[0]!.toUpperCase(), i < statements.length - 1 ? 'T' : 'I');
    }
    await a.says('insert into accounts values (1, 1)', 'INSERT 0 1', 'I', [version(1, 1, 101)]);
    expect(lines().at(-1)).toMatchObject({ level });
  });

  test('the level of a transaction is unchanged where it is begun twice', async () => {
    const { client: connect, lines } = recorded();
    const a = connect('a');
    await a.says(SERIALIZABLE, 'SET', 'I');
    await a.says('begin isolation level read committed', 'BEGIN', 'T');
    await a.says('begin', 'BEGIN', 'T');
    await a.says('insert into accounts values (1, 1)', 'INSERT 0 1', 'T', [version(1, 1, 101)]);
    await a.says('commit', 'COMMIT', 'I');
    expect(lines()[0]).toMatchObject({ level: 'read committed' });
  });
});

describe('rows that are fetched in portions', () => {
  test('rows that are fetched in portions are read where the statement was executed, and say nothing of others', async () => {
    const { client: connect, lines } = recorded();
    const a = connect('a');
    await a.says('begin', 'BEGIN', 'T');
    const cursor = await a.send('select * from accounts');
    cursor.row!(version(1, 0, 7));
    cursor.suspends!();
    await a.says('update accounts set amount = 5 where id = 2', 'UPDATE 1', 'T', [
      [...version(2, 5, 101), ...version(2, 0, 7)],
    ]);
    cursor.resumes!();
    // From the snapshot in which its own update had not happened.
    for (const id of [2, 3]) cursor.row!(version(id, 0, 7));
    cursor.complete('SELECT 2');
    await a.says('commit', 'COMMIT', 'I');
    const line = lines().find((each) => 'ops' in each)!;
    expect((line['ops'] as unknown[][]).map(([kind, , key]) => [kind, key])).toEqual([
      ['get', 1],
      ['get', 2],
      ['put', 2],
      ['get', 3],
    ]);
    expect(line['scans']).toBeUndefined();
  });

  test('rows that are fetched in portions are read even if the client never asks for the rest', async () => {
    const { client: connect, lines } = recorded();
    const a = connect('a');
    const cursor = await a.send('select * from accounts');
    cursor.row!(version(1, 0, 7));
    cursor.suspends!();
    a.session.ready('I');
    expect(lines().at(-1)).toMatchObject({ ops: [['get', 'accounts', 1, { amount: 0 }]] });
  });
});

describe('the order of lines', () => {
  test('a reader stands behind its writer, even if the writer is answered later', async () => {
    const { client: connect, lines } = recorded();
    const [a, b] = [connect('a'), connect('b')];
    const insert = await a.send('insert into accounts values (1, 1)'); // under way
    await b.says('select * from accounts', 'SELECT 1', 'I', [version(1, 1, 101)]); // sees it already
    expect(lines()).toEqual([]);
    a.answer(insert, 'INSERT 0 1', [version(1, 1, 101)]);
    a.session.ready('I');
    expect(lines().map(({ session }) => session)).toEqual(['a', 'b']);
  });

  test('a version that came from elsewhere has a writer of its own', async () => {
    const { client: connect, lines } = recorded();
    await connect('a').says('select * from accounts', 'SELECT 1', 'I', [version(1, 9, 400)]);
    expect(lines()).toMatchObject([
      { session: 'outside 1', status: 'unknown', ops: [['put', 'accounts', 1, { xmin: 400, id: 1, amount: 9 }]] },
      { session: 'a' },
    ]);
  });

  test('a version that a transaction wrote unseen is not taken for one of those that it is known to have written', async () => {
    const { client: connect, lines } = recorded();
    const [a, b] = [connect('a'), connect('b')];
    await a.says('begin', 'BEGIN', 'T');
    await a.says('copy accounts from stdin', 'COPY 1', 'T');
    await a.says('insert into accounts values (1, 1)', 'INSERT 0 1', 'T', [version(1, 1, 101)]);
    await a.says('commit', 'COMMIT', 'I');
    await b.says('select * from accounts', 'SELECT 2', 'I', [version(1, 1, 101), version(2, 1, 101)]);
    expect(lines().flatMap(({ session, ops }) => (ops ? [[session, (ops as unknown[]).length]] : []))).toEqual([
      ['a', 1],
      ['outside 1', 1],
      ['b', 2],
    ]);
  });

  test('a statement that never ends holds up only the readers of possible writes of it', async () => {
    const { client: connect, lines } = recorded();
    await connect('slow').send('delete from accounts');
    await connect('a').says('select * from accounts where id = 1', 'SELECT 1', 'I', [version(1, 0, 7)]);
    expect(lines().map((line) => line['session'] ?? 'rows')).toEqual(['rows', 'a']);
  });
});

describe('rows that a condition passed over', () => {
  test('rows that a condition passed over are in the file once no other transaction can have written them', async () => {
    const { client: connect, path, recording, finish } = recorded();
    recording.initialRow('"accounts",1', '{"amount":0,"id":1,"xmin":7}');
    const a = connect('a');
    await a.says('select * from accounts where amount > 5', 'SELECT 1', 'I', [version(2, 6, 8)]);
    await a.says('select * from accounts where id = 3', 'SELECT 0', 'I');
    await finish();
    const [, ...lines] = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter((line) => 'ops' in line).map(({ ops }) => ops)).toEqual([
      [['scan', 'accounts', ['>', 'amount', 5], [[2, { amount: 6, id: 2, xmin: 8 }]]]],
      [['get', 'accounts', 3, null]],
    ]);
    expect(lines.at(-1)).toEqual({ isolab: 'end' });
  });

  test('rows that a condition passed over show write skew over a predicate, which single rows do not', async () => {
    const { client: connect, path, recording, finish } = recorded();
    recording.initialRow('"accounts",1', '{"amount":1,"id":1,"xmin":7}');
    recording.initialRow('"accounts",2', '{"amount":1,"id":2,"xmin":7}');
    const clients = [connect('a'), connect('b')];
    for (const a of clients) await a.says('begin isolation level repeatable read', 'BEGIN', 'T');
    for (const a of clients) await a.says('select * from accounts where amount > 5', 'SELECT 0', 'T');
    for (const [i, a] of clients.entries())
      await a.says('insert into accounts values ($1, 9)', 'INSERT 0 1', 'T', [version(10 + i, 9, 101 + i)]);
    for (const a of clients) await a.says('commit', 'COMMIT', 'I');
    await finish();
    const history = await open(path);
    expect((await check(history, { level: 'snapshot-isolation', allowVacuous: true })).verdict).toBe('satisfied');
    expect((await check(history, { level: 'serializable' })).verdict).toBe('violated');
  });
});
