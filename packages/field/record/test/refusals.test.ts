import { describe, expect, test } from 'vitest';
import { recorded } from './support/recorded.ts';

/** Sends statements that begin a transaction, which the database refuses with an error. */
async function refused(client: ReturnType<ReturnType<typeof recorded>['client']>, code: string): Promise<void> {
  await client.says('begin isolation level repeatable read', 'BEGIN', 'T');
  await client.says('select * from accounts where id = 1', 'SELECT 0', 'T');
  (await client.send('update accounts set amount = 5 where id = 1')).fails(code);
  await client.says('rollback', 'ROLLBACK', 'I');
}

describe('a refused transaction', () => {
  test.each(['40001', '40P01'])(
    'a transaction that ended with error %s and was not repeated is reported',
    async (code) => {
      const { client, recording } = recorded();
      await refused(client('a'), code);
      expect(recording.refusals.left((shape) => shape)).toEqual([
        { code, count: 1, statements: ['select * from accounts where id = $1'] },
      ]);
    },
  );

  test('a transaction that another session repeats is not reported', async () => {
    const { client, recording } = recorded();
    await refused(client('a'), '40001');
    const b = client('b');
    await b.says('begin', 'BEGIN', 'T');
    await b.says('select * from accounts where id = 2', 'SELECT 0', 'T');
    await b.says('commit', 'COMMIT', 'I');
    expect(recording.refusals.left((shape) => shape)).toHaveLength(1);
    await b.says('select * from accounts where id = 1', 'SELECT 0', 'I');
    expect(recording.refusals.left((shape) => shape)).toEqual([]);
  });

  test('a transaction with another error is not reported', async () => {
    const { client, recording } = recorded();
    await refused(client('a'), '23505');
    expect(recording.refusals.left((shape) => shape)).toEqual([]);
  });
});
