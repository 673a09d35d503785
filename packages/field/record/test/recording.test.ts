import { check, open } from 'isolab';
import { describe, expect, test } from 'vitest';
import type { Sent } from '../src/wire/statement.ts';
import { recorded, version } from './support/recorded.ts';

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
