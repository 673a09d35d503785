import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { type Socket, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { faultsOf } from '@isolab/formats';
import { Random, findWorkload, resolveParameters } from '@isolab/workloads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Proxy } from '../src/database/proxy.ts';
import { drawnFaults } from '../src/faults/schedule.ts';
import { type Database, type FaultKind, Interrupted, LastingFault, Proxies, collect, driverFor } from '../src/index.ts';
import { SERIAL, fakeDatabase, readBack } from './fake.ts';

/** A server that echoes all requests, and remembers them. */
async function echo() {
  const said: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      said.push(chunk.toString());
      socket.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { said, sockets, port, end: () => (sockets.forEach((socket) => socket.destroy()), server.close()) };
}

describe('the proxy', () => {
  let behind: Awaited<ReturnType<typeof echo>>;
  let proxy: Proxy;
  const clients: Socket[] = [];
  beforeEach(async () => {
    behind = await echo();
    proxy = await Proxy.to('127.0.0.1', behind.port);
  });
  afterEach(async () => {
    for (const socket of clients.splice(0)) socket.destroy();
    behind.end();
    await proxy.close();
  });

  async function client(): Promise<{ socket: Socket; heard: () => string; closed: Promise<Error | null> }> {
    const socket = connect(proxy.port, '127.0.0.1');
    clients.push(socket);
    let heard = '';
    let error: Error | null = null;
    socket.on('data', (chunk) => (heard += chunk.toString()));
    socket.on('error', (failed) => (error = failed));
    const closed = new Promise<Error | null>((resolve) => socket.on('close', () => resolve(error)));
    await once(socket, 'connect');
    return { socket, heard: () => heard, closed };
  }

  const until = async (holds: () => boolean): Promise<void> => {
    for (let i = 0; i < 500 && !holds(); i++) await pause(10);
    expect(holds()).toBe(true);
  };

  test('the proxy passes on the bytes of either end, in order, and its end', async () => {
    const { socket, heard, closed } = await client();
    for (let i = 0; i < 100; i++) socket.write(`${i},`);
    const all = Array.from({ length: 100 }, (_, i) => `${i},`).join('');
    await until(() => heard() === all);
    behind.sockets[0]!.end();
    expect(await closed).toBeNull();
  });

  test('a shut proxy lets no bytes through; a healed one lets all waiting ones through', async () => {
    const { socket, heard } = await client();
    socket.write('a');
    await until(() => heard() === 'a');
    proxy.shut();
    socket.write('b');
    await pause(100);
    expect(behind.said).toEqual(['a']);
    proxy.heal();
    await until(() => heard() === 'ab');
  });

  test('the proxy delays each packet', async () => {
    const { socket, heard } = await client();
    proxy.delay(60);
    const sent = performance.now();
    socket.write('a');
    await until(() => heard() === 'a');
    expect(performance.now() - sent).toBeGreaterThan(100); // there and back
  });

  test('the proxy resets both ends, whether or not something waits, and takes new clients', async () => {
    const { socket, closed } = await client();
    socket.write('a');
    await until(() => behind.said.length === 1);
    const ended = new Promise((resolve) => behind.sockets[0]!.on('close', resolve));
    proxy.shut();
    socket.write('b');
    await pause(20);
    proxy.reset();
    expect(await closed).toMatchObject({ code: 'ECONNRESET' });
    await ended;
    proxy.heal();
    const next = await client();
    next.socket.write('c');
    await until(() => next.heard() === 'c');
    expect(behind.said.join('')).toBe('ac'); // waiting calls are lost
  });

  test('a client learns that the server is not there', async () => {
    behind.end();
    const { heard, closed } = await client();
    await closed;
    expect(heard()).toBe('');
  });

  test('closed in the middle, it leaves nothing open', async () => {
    const { closed } = await client();
    proxy.shut();
    await proxy.close();
    await closed;
    expect(behind.said).toEqual([]);
  });
});

describe('addresses behind proxies', () => {
  test('addresses behind proxies keep everything but host and port', async () => {
    const proxies = new Proxies();
    const reached = await proxies.through('postgres://me:p%40ss@127.0.0.1:1/db?sslmode=disable');
    expect(reached).toBe(`postgres://me:p%40ss@127.0.0.1:${proxies.nodes[0]!.port}/db?sslmode=disable`);
    expect(await proxies.through('mariadb://h')).toMatch(/^mariadb:\/\/127\.0\.0\.1:\d+$/);
    expect(await proxies.through('sqlite:file.db')).toBe('sqlite:file.db');
    expect(proxies.nodes.length).toBe(2);
    await proxies.close();
  });

  test.each(['postgres://a,b/db', 'postgres://h/db?host=/tmp'])('%s has no single host', async (address) => {
    await expect(new Proxies().through(address)).rejects.toThrow('names one host');
  });
});

test('a message names the address that was asked for, not that of the proxy', async () => {
  const proxies = new Proxies();
  const address = 'postgres://me@127.0.0.1:1/db';
  const opening = (await driverFor(address)).open(address, { connectMs: 5_000, proxies });
  await expect(opening).rejects.toThrow('There is no PostgreSQL server at postgres://me@127.0.0.1:1/db');
  await proxies.close();
});

describe('a schedule', () => {
  const drawn = (seed: string, kinds: readonly FaultKind[]) => {
    const faults = drawnFaults({ kinds, everyMs: 1000 }, 3, new Random(seed));
    return Array.from({ length: 50 }, () => faults.next().value);
  };

  test('a schedule is the same for the same seed, and of the kinds asked for', () => {
    expect(drawn('a', ['kill', 'think'])).toEqual(drawn('a', ['kill', 'think']));
    expect(drawn('a', ['kill', 'think'])).not.toEqual(drawn('b', ['kill', 'think']));
    expect(new Set(drawn('a', ['kill', 'cut']).map(({ kind }) => kind))).toEqual(new Set(['kill', 'cut']));
  });

  test('a schedule strikes every node, about as often as asked', () => {
    const faults = drawn('a', ['kill']);
    expect(new Set(faults.map(({ node }) => node))).toEqual(new Set([0, 1, 2]));
    const mean = faults.reduce((sum, { afterMs }) => sum + afterMs, 0) / faults.length;
    expect(mean).toBeGreaterThan(800);
    expect(mean).toBeLessThan(1200);
  });
});

/** A database that takes as long as a network does. */
function slowDatabase(): Database {
  const database = fakeDatabase();
  return {
    ...database,
    async connect(isolation) {
      const connection = await database.connect(isolation);
      return { ...connection, ask: (question) => pause(1).then(() => connection.ask(question)) };
    },
  };
}

describe('a collection under faults', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-faults-'));
  const options = (kinds: readonly FaultKind[], name: string) => ({
    isolation: SERIAL,
    workload: findWorkload('general')!,
    parameters: resolveParameters(findWorkload('general')!, { keys: '5', operations: '3' }),
    sessions: 3,
    transactions: Infinity,
    seconds: 1,
    seed: 1,
    path: join(folder, `${name}.jsonl`),
    faults: { kinds, everyMs: 100 },
  });

  test('calls for every server that it strikes, fixes it, and says so in the history', async () => {
    const calls: string[] = [];
    const call = (word: string) => async (node: number) => void calls.push(`${word} ${node}`);
    const faults = {
      nodes: 2,
      kill: call('kill'),
      restart: call('restart'),
      pause: call('pause'),
      resume: call('resume'),
    };
    await collect({ database: { ...slowDatabase(), faults }, ...options(['kill', 'pause'], 'calls') });
    expect(calls.length).toBeGreaterThan(0);
    const mending = { kill: 'restart', pause: 'resume' } as Record<string, string>;
    for (let i = 0; i < calls.length; i += 2) {
      const [word, node] = calls[i]!.split(' ');
      expect(calls[i + 1]).toBe(`${mending[word!]} ${node}`);
    }
    const recorded = faultsOf(await readBack(join(folder, 'calls.jsonl')));
    expect(recorded.map(({ kind, node }) => `${kind} ${node}`)).toEqual(calls.filter((_, i) => i % 2 === 0));
    for (const { begin, end } of recorded) expect(end).toBeGreaterThanOrEqual(begin);
    const header = JSON.parse(readFileSync(join(folder, 'calls.jsonl'), 'utf8').split('\n')[0]!) as object;
    expect(header).toMatchObject({ collected: { faults: { kinds: ['kill', 'pause'], everyMs: 100 } } });
  });

  test('no fault strikes once the time of the transactions is over', async () => {
    const database = fakeDatabase();
    const slow: Database = {
      ...database,
      faults: {
        nodes: 1,
        kill: async () => {},
        restart: async () => {},
        pause: async () => {},
        resume: async () => {},
      },
      async connect(isolation) {
        const connection = await database.connect(isolation);
        return { ...connection, ask: (question) => pause(60).then(() => connection.ask(question)) };
      },
    };
    await collect({ database: slow, ...options(['kill'], 'late'), seconds: 0.5, ownReads: true });
    const struck = faultsOf(await readBack(join(folder, 'late.jsonl')));
    expect(struck.length).toBeGreaterThan(0);
    for (const { begin } of struck) expect(Number(begin)).toBeLessThan(0.7e9);
  });

  const afterKill = (name: string, error: Error) => {
    const fails = async () => Promise.reject(error);
    const faults = { nodes: 1, kill: async () => {}, restart: fails, pause: async () => {}, resume: async () => {} };
    return collect({ database: { ...slowDatabase(), faults }, ...options(['kill'], name) });
  };

  test('a collection under faults ends with a message if a server does not start again', async () => {
    const error = await afterKill('broken', new Error('it does not start')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LastingFault);
    expect((error as Error).message).toContain('it does not start');
  });

  test('an interruption while a server starts again ends the collection, and is no error of the server', async () => {
    await expect(afterKill('interrupted', new Interrupted())).resolves.toMatchObject({ unknown: 0 });
  });

  test.each(['kill', 'pause', 'cut', 'delay', 'reset'] as const)('%s is refused where it cannot be', async (kind) => {
    await expect(collect({ database: slowDatabase(), ...options([kind], kind) })).rejects.toThrow(
      `The fault ${kind} needs`,
    );
  });

  test('clients that think take longer', async () => {
    await collect({ database: slowDatabase(), ...options(['think'], 'think') });
    expect(faultsOf(await readBack(join(folder, 'think.jsonl')))[0]).toMatchObject({ kind: 'think' });
  });
});
