import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { all, back, front, int32, message } from './messages.ts';
import { GREETING, Log, fresh, unchanged } from './sessions.ts';

const NONE = Buffer.alloc(0);
const settingsQueries = { isolation: 'SHOW transaction_isolation', ids: 'SELECT 1' };

test('the settings are asked before the client is let in', () => {
  const { client, server, session, facts, log } = fresh(unchanged, { settingsQueries });
  const before = all(back.authenticationOk(), back.parameter('application_name', 'psql'), back.keyData());
  expect(server(before)).toEqual(before);
  session.server(back.ready());
  expect(all(...session.toServer.take())).toEqual(all(...Object.values(settingsQueries).map(front.query)));
  expect(all(...session.toClient.take())).toEqual(NONE);
  // A client that does not wait is held back.
  expect(client(front.query('select 1'))).toEqual(NONE);
  expect(server(all(back.fields('x'), back.row('serializable'), back.notice()))).toEqual(back.notice());
  expect(server(all(back.complete('SHOW'), back.ready(), back.error('42501')))).toEqual(NONE);
  expect(facts).toEqual([]);
  expect(server(back.ready())).toEqual(back.ready());
  expect(all(...session.toServer.take())).toEqual(front.query('select 1'));
  const settings = { isolation: 'serializable' };
  expect(facts).toMatchObject([{ user: 'ann', database: 'shop', applicationName: 'psql', settings }]);
  expect(log.events).toEqual(['1 sends select 1']);
});

test('a log that opens slowly keeps the client waiting, and no other one', async () => {
  const log = new Log(unchanged);
  const { server, toClient } = fresh(unchanged, { open: () => setImmediate(log) });
  expect(server(GREETING)).toEqual(GREETING.subarray(0, -back.ready().length));
  expect(server(back.notice())).toEqual(back.notice());
  await setImmediate();
  await setImmediate();
  expect(toClient()).toEqual(back.ready());
});

test('a log that does not open leaves the session as it would be without it', async () => {
  const { server, client, problems, toClient } = fresh(unchanged, {
    open: () => Promise.reject(new Error('disk full')),
  });
  server(GREETING);
  await setImmediate();
  expect(toClient()).toEqual(back.ready());
  expect(client(front.query('select 1'))).toEqual(front.query('select 1'));
  const answers = all(back.row('1'), back.complete('SELECT 1'), back.ready());
  expect(server(answers)).toEqual(answers);
  expect(problems).toEqual(['no log could be opened, so a session is not recorded: disk full']);
});

test('a client that is refused learns it, and no log is opened', () => {
  const { server, session, facts, log } = fresh();
  const refused = back.error('28P01', 'FATAL');
  expect(server(refused)).toEqual(refused);
  session.end();
  expect(facts).toEqual([]);
  expect(log.events).toEqual([]);
});

const PLUS = back.sasl('SCRAM-SHA-256-PLUS', 'SCRAM-SHA-256');
const firstWords = (flag: string): Buffer => {
  const words = Buffer.from(`${flag},,n=,r=abc`);
  return message('p', 'SCRAM-SHA-256', int32(words.length), words);
};

test('channel binding is not offered where it would bind to the wrong channel', () => {
  const bound = fresh();
  expect(bound.server(PLUS)).toEqual(PLUS);
  const unbound = fresh(unchanged, { channelBinding: 'not offered' });
  expect(unbound.server(PLUS)).toEqual(back.sasl('SCRAM-SHA-256'));
  expect(unbound.client(firstWords('n'))).toEqual(firstWords('n'));
  expect(unbound.problems).toEqual([]);
});

test('a client that would have bound the channel learns the remedy', () => {
  const { client, server, session, problems, toClient } = fresh(unchanged, { channelBinding: 'not offered' });
  server(PLUS);
  expect(client(firstWords('y'))).toEqual(NONE);
  expect(toClient().toString()).toContain('channel_binding=disable');
  expect(session.isRefused).toBe(true);
  expect(problems).toHaveLength(1);
});
