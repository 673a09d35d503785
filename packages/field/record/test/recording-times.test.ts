import { readFileSync } from 'node:fs';
import { check, open } from 'isolab';
import { describe, expect, test } from 'vitest';
import type { Sent } from '../src/wire/statement.ts';
import { recorded, version } from './support/recorded.ts';

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
  test.each([
    ["set default_transaction_isolation = 'serializable'", 'serializable'],
    ['set session characteristics as transaction isolation level serializable', 'serializable'],
    ["select set_config('default_transaction_isolation', 'serializable', false)", 'serializable'],
    ['discard all', 'serializable'],
    ["select set_config('application_name', 'serializable', false)", 'read committed'],
    ["set application_name = 'serializable'", 'read committed'],
  ])('the level of a transaction after %s is asked if it may have changed', async (sql, level) => {
    const { client: connect, lines } = recorded({ answer: ['serializable', 'serializable', '["public"]', 'me', null] });
    const a = connect('a');
    await a.says(sql, sql.split(' ')[0]!.toUpperCase(), 'I');
    await a.says('insert into accounts values (1, 1)', 'INSERT 0 1', 'I', [version(1, 1, 101)]);
    expect(lines().at(-1)).toMatchObject({ level });
  });

  test('a transaction has the weakest level if the server refuses the question', async () => {
    const { client: connect, lines } = recorded({ answer: null });
    const a = connect('a');
    await a.says("set default_transaction_isolation = 'serializable'", 'SET', 'I');
    await a.says('begin isolation level serializable', 'BEGIN', 'T');
    await a.says('rollback', 'ROLLBACK', 'I');
    await a.says("set application_name = 'x'", 'SET', 'I');
    expect(a.asked).toBe(1);
    expect(lines()).toEqual([]);
  });

  test('the level of a transaction is unchanged where it is begun twice', async () => {
    const { client: connect, lines } = recorded();
    const a = connect('a');
    await a.says('begin isolation level repeatable read', 'BEGIN', 'T');
    await a.says('begin', 'BEGIN', 'T');
    await a.says('insert into accounts values (1, 1)', 'INSERT 0 1', 'T', [version(1, 1, 101)]);
    await a.says('commit', 'COMMIT', 'I');
    expect(lines()[0]).toMatchObject({ level: 'repeatable read' });
  });
});
