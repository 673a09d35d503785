/** However a connection ends, the recording can be read and states the possible outcomes. */
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startProxy } from '../../src/wire/proxy.ts';
import { front } from './messages.ts';
import { outcomesIn } from './outcomes.ts';
import { RawClient } from './raw-client.ts';
import { type Through, useServer } from './servers.ts';

const server = useServer(`
  create table slow (id int primary key);
  create function nap() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.6); return null; end $$;
  create constraint trigger nap after insert on slow deferrable initially deferred
    for each row execute function nap();
  create table quick (id int primary key)`);

const DURING_COMMIT_MS = 250;

interface Way {
  /** Requests and answers of the connection before it is lost. */
  readonly said: readonly string[];
  /** Requests under way then. */
  readonly asked: string | null;
  readonly outcomes: readonly string[];
}

const WAYS: Readonly<Record<string, Way>> = {
  'between transactions': { said: ['insert into quick values (1)'], asked: null, outcomes: ['committed'] },
  'in a transaction': { said: ['begin', 'insert into quick values (2)'], asked: null, outcomes: ['aborted'] },
  'in a statement of a transaction': {
    said: ['begin', 'insert into quick values (2)'],
    asked: 'select pg_sleep(0.6) from quick',
    outcomes: ['aborted'],
  },
  'during COMMIT': { said: ['begin', 'insert into slow values (1)'], asked: 'commit', outcomes: ['unknown'] },
  'during COMMIT of several statements': {
    said: ['begin', 'insert into slow values (2)'],
    asked: 'insert into quick values (3); commit; select 1',
    outcomes: ['unknown'],
  },
  'in a statement outside a transaction': {
    said: ['insert into quick values (4)'],
    asked: 'insert into slow values (3)',
    outcomes: ['committed'],
  },
};

const NAME = 'doomed';

/** One connection that is lost in the middle, after another one that is not. */
async function lost(way: Way, lose: (client: RawClient, through: Through) => Promise<unknown>) {
  await server.ask('truncate quick, slow');
  const through = await server.record();
  const other = await RawClient.connect(through.url, { parameters: { application_name: 'other' } });
  await other.ask(front.query('insert into quick values (100)'));
  const client = await RawClient.connect(through.url, { parameters: { application_name: NAME } });
  for (const sql of way.said) await client.ask(front.query(sql));
  if (way.asked !== null) {
    client.socket.write(front.query(way.asked));
    await setTimeout(DURING_COMMIT_MS);
  }
  await lose(client, through);
  const told = await client.rest();
  await setTimeout(50);
  const atOnce = await outcomesIn(through.path);
  return { through, told, atOnce, other };
}

async function expectOutcomes(way: Way, { through, atOnce }: Awaited<ReturnType<typeof lost>>): Promise<void> {
  await through.finish();
  const outcomes = await outcomesIn(through.path);
  const own = Object.entries(outcomes).find(([session]) => session.startsWith(NAME))?.[1] ?? [];
  expect(own).toEqual(way.outcomes);
  expect(Object.entries(outcomes).find(([session]) => session.startsWith('other'))?.[1]).toEqual(['committed']);
  // The file as it was when nothing more came is true in the end.
  for (const [session, told] of Object.entries(atOnce))
    for (const [i, outcome] of told.entries()) if (outcome !== 'unknown') expect(outcomes[session]![i]).toBe(outcome);
}

test.each(Object.entries(WAYS))('the client is gone %s', async (_, way) => {
  const end = await lost(way, async (client) => client.socket.resetAndDestroy());
  await expectOutcomes(way, end);
  expect(end.through.problems).toEqual([]);
});

test.each(Object.entries(WAYS))('the server ends the connection %s', async (_, way) => {
  const end = await lost(way, () =>
    server.ask(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${NAME}'`),
  );
  expect(end.told.toString('latin1')).toContain('C57P01');
  await expectOutcomes(way, end);
});

test.each(Object.entries(WAYS))('the server is killed %s', async (_, way) => {
  const end = await lost(way, () => server.crash('SIGKILL'));
  // The server is back, and who comes now is recorded again.
  const client = await RawClient.connect(end.through.url, { parameters: { application_name: 'later' } });
  await client.ask(front.query('select id from quick where id = 100'));
  client.close();
  await expectOutcomes(way, end);
  const outcomes = await outcomesIn(end.through.path);
  expect(Object.keys(outcomes).some((session) => session.startsWith('later'))).toBe(true);
  expect(end.through.problems).toEqual([]);
});

test('a client learns that the database cannot be reached, and why', async () => {
  const problems: string[] = [];
  const proxy = await startProxy({
    upstream: { host: '127.0.0.1', port: await closedPort() },
    tls: null,
    open: () => Promise.reject(new Error('there is nothing to open')),
    settingsQueries: {},
    onProblem: (problem) => problems.push(problem),
  });
  const url = `postgres://me:secret@127.0.0.1:${proxy.port}/db`;
  const answer = await RawClient.connect(url).catch((error: Error) => error.message);
  expect(answer).toMatch(
    /SFATAL.*C08006.*could not connect to the database.*ECONNREFUSED.*HCheck that PostgreSQL runs/s,
  );
  expect(problems).toEqual([expect.stringContaining('ECONNREFUSED')]);
  await proxy.close();
});

async function closedPort(): Promise<number> {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  await new Promise((resolve) => taken.close(resolve));
  return port;
}

/** An address of this machine at which the proxy does not listen; all of 127.0.0.0/8 are addresses of Linux's loopback. */
const ELSEWHERE =
  Object.values(networkInterfaces())
    .flat()
    .find((address) => address && !address.internal && address.family === 'IPv4')?.address ?? '127.0.0.2';

test('the proxy takes clients of this machine only, unless asked otherwise', async () => {
  const through = await server.record();
  const socket = connect({ host: ELSEWHERE, port: Number(new URL(through.url).port) });
  const outcome = await new Promise((resolve) =>
    socket.once('connect', () => resolve('connected')).once('error', resolve),
  );
  expect(outcome).toMatchObject({ code: 'ECONNREFUSED' });
  await through.finish();
});
