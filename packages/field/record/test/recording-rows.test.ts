import { readFileSync } from 'node:fs';
import { check, open } from 'isolab';
import { describe, expect, test } from 'vitest';
import { recorded, version } from './support/recorded.ts';

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
