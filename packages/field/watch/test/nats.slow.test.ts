// Slow: needs a NATS server.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { optionalPackage } from '@isolab/collector';
import { unless } from '@isolab/needs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULTS, natsSource, runWatch, watchFolder } from '../src/index.ts';
import { until } from './until.ts';

const HEADER = '{"isolab":"history","version":1,"initial":0}';
const add = (n: number): string => `{"session":1,"ops":[["r","x",${n}],["w","x",${n + 1}]]}`;
const LOST = '{"session":2,"ops":[["r","x",0],["w","x",1000000]]}';
const END = '{"isolab":"end"}';
const PROGRAM = fileURLToPath(new URL('fixtures/watch-nats.mjs', import.meta.url));

/** Finds a port for a server that is started again at the same address. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

interface Client {
  request(subject: string, body?: string): Promise<{ string(): string }>;
  close(): Promise<void>;
}

describe('a stream of NATS', { timeout: 60_000, ...unless('nats') }, () => {
  const place = mkdtempSync(join(tmpdir(), 'isolab-nats-'));
  let port: number;
  let server: ChildProcess;
  let client: Client;
  let folder: string;
  const url = (): string => `nats://me:secret@127.0.0.1:${port}`;

  async function start(...words: readonly string[]): Promise<void> {
    const config = join(place, 'nats.conf');
    // Command lines are visible to other users; the file is not.
    writeFileSync(config, 'authorization { user: me, password: secret }\n', { mode: 0o600 });
    server = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-c', config, ...words], { stdio: 'ignore' });
    await until(
      () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
          socket.on('connect', () => socket.destroy());
        }),
    );
  }
  const stop = async (): Promise<void> => {
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  const stored = ['-js', '-sd', join(place, 'store')];
  /** Starts the server with its streams, and waits for the connection of the publisher. */
  async function startAgain(): Promise<void> {
    await start(...stored);
    const isBack = (): Promise<boolean> =>
      client.request('$JS.API.INFO').then(
        () => true,
        () => false,
      );
    await until(isBack);
  }

  beforeAll(async () => {
    port = await freePort();
    await start(...stored);
    const nats = await optionalPackage<{ connect(options: object): Promise<Client> }>('@nats-io/transport-node');
    const login = { user: 'me', pass: 'secret', maxReconnectAttempts: -1, reconnectTimeWait: 100 };
    client = await nats.connect({ servers: `127.0.0.1:${port}`, ...login });
  });
  afterAll(async () => {
    await client?.close();
    server?.kill();
    rmSync(place, { recursive: true, force: true });
  });

  async function api(what: string, body: object = {}): Promise<void> {
    const answer = (await client.request(`$JS.API.STREAM.${what}.orders`, JSON.stringify(body))).string();
    expect(JSON.parse(answer)).not.toHaveProperty('error');
  }
  const create = (): Promise<void> => api('CREATE', { name: 'orders', subjects: ['orders.>'] });
  const remove = (seq: number): Promise<void> => api('MSG.DELETE', { seq });
  async function put(...lines: readonly string[]): Promise<void> {
    for (const line of lines) await client.request('orders.shop', line); // the answer says that the message is stored
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'isolab-watch-'));
    await create();
  });
  afterEach(async () => {
    await client.request('$JS.API.STREAM.DELETE.orders');
    rmSync(folder, { recursive: true, force: true });
  });

  async function watch(signal: AbortSignal, isFollowed = true) {
    const options = { ...DEFAULTS, name: 'orders', levels: ['serializable'] as const, isReadAgain: true };
    const folderOf = await watchFolder(folder, options);
    const from = folderOf.position?.at ?? null;
    const source = natsSource({ url: url(), name: 'orders', isFollowed: () => isFollowed, from });
    const over = runWatch(source, folderOf, { intervalMs: 1e9, signal, onStatus: () => {} });
    over.catch(() => {});
    return { over, watcher: folderOf.watcher };
  }
  const never = (): AbortSignal => new AbortController().signal;
  const again = async (isFollowed = false) => (await watch(never(), isFollowed)).over;

  test('a stream of NATS is watched to its end', async () => {
    await put(HEADER, `${add(0)}\n${add(1)}`);
    const { over } = await watch(never());
    await put(`${add(2)}\n`, END);
    const { ending, status } = await over;
    expect([ending, status.transactions, status.levels]).toEqual(['ended', 3, { serializable: 'stands' }]);
  });

  test('a stream of NATS ends at its last message if it is not followed', async () => {
    await put(HEADER, ...Array.from({ length: 450 }, (_, n) => add(n)));
    const { ending, status } = await again();
    expect([ending, status.transactions, status.levels]).toEqual(['ended', 450, { serializable: 'stands' }]);
  });

  test('a stream of NATS continues behind the checkpoint, whose messages may be removed', async () => {
    await put(HEADER, add(0), add(1));
    const stopping = new AbortController();
    const first = await watch(stopping.signal);
    await until(() => first.watcher.line === 3);
    stopping.abort();
    await first.over;
    await api('PURGE');
    await put(add(2), LOST, END);
    const { ending, status } = await again(true);
    expect([ending, status.transactions, status.levels]).toEqual(['ended', 4, { serializable: 'violated' }]);
  });

  test('a stream of NATS loses and doubles nothing when its watcher and its server are killed', async () => {
    await put(HEADER);
    let lines = 1;
    const isSaved = (): boolean => existsSync(join(folder, 'checkpoint.json'));
    for (const ending of ['at once', 'after it has saved', 'with the server', 'at once']) {
      const watching = spawn(process.execPath, [PROGRAM, folder, url(), 'orders'], { stdio: 'inherit' });
      const upTo = lines + 200;
      const mayGo = ending === 'after it has saved' ? isSaved : () => true;
      while (lines < upTo || !mayGo()) {
        await put(add(lines++ - 1));
        await sleep(2);
      }
      if (ending === 'with the server') {
        await stop();
        await startAgain();
      }
      watching.kill('SIGKILL');
      await once(watching, 'exit');
    }
    await put(END);
    const { status } = await again(true);
    expect([status.transactions, status.levels]).toEqual([lines - 1, { serializable: 'stands' }]);
  });

  test('a stream of NATS continues when the connection was lost', async () => {
    await put(HEADER, add(0));
    const { over, watcher } = await watch(never());
    await until(() => watcher.line === 2);
    await stop();
    await sleep(300);
    await startAgain();
    await put(add(1), END);
    const { ending, status } = await over;
    expect([ending, status.transactions, status.levels]).toEqual(['ended', 2, { serializable: 'stands' }]);
  });

  test.each([
    ['in the middle', () => remove(2), 2],
    ['at the beginning', () => api('PURGE', { seq: 3 }), 1],
    ['at the end', () => remove(4), 4],
    ['altogether', () => api('PURGE'), 1],
  ])('a message of NATS that was removed unread %s is an error', async (_, removing, number) => {
    await put(HEADER, add(0), add(1), add(2));
    await removing();
    await expect(again(true)).rejects.toThrow(`Message ${number} of the stream orders was removed before it was read`);
  });

  test('a repeated message of NATS is dropped if its line has a number', async () => {
    const numbered = (n: number): string => add(n).replace('"session":1', `"session":1,"number":${n}`);
    await put(HEADER, numbered(0), numbered(1), numbered(1), END);
    expect((await again()).status).toMatchObject({ transactions: 2, levels: { serializable: 'stands' } });
  });

  test.each([
    ['with the same messages', [HEADER, add(0)]],
    ['with more messages', [HEADER, add(0), add(1), END]],
    ['with fewer messages', [HEADER]],
  ])('another stream of NATS %s is not the stream that was watched', async (_, lines) => {
    await put(HEADER, add(0));
    const { over, watcher } = await watch(never());
    await until(() => watcher.line === 2);
    await client.request('$JS.API.STREAM.DELETE.orders');
    await create();
    await put(...lines);
    await expect(over).rejects.toThrow(/is not the stream that was watched before|The stream orders is gone/);
    await expect(again()).rejects.toThrow('The stream orders is not the stream that was watched before');
  });

  test('a stream of NATS that forgot messages in a crash is not the stream that was watched', async () => {
    const [store, copy] = [join(place, 'store'), join(place, 'copy')];
    await put(HEADER, add(0));
    await stop();
    cpSync(store, copy, { recursive: true });
    await startAgain();
    await put(add(1));
    expect((await again()).status.transactions).toBe(2);
    await stop();
    rmSync(store, { recursive: true });
    cpSync(copy, store, { recursive: true });
    await startAgain();
    await put(LOST, END);
    await expect(again()).rejects.toThrow('The stream orders is not the stream that was watched before');
  });

  test('a stream of NATS that goes away is an error', async () => {
    await put(HEADER, add(0));
    const { over, watcher } = await watch(never());
    await until(() => watcher.line === 2);
    await client.request('$JS.API.STREAM.DELETE.orders');
    await expect(over).rejects.toThrow('The stream orders is gone; the messages read before were watched.');
  });

  test('a line of NATS that is no transaction is an error with its number', async () => {
    await put(HEADER, add(0), 'garbage');
    await expect(again()).rejects.toThrow('line 3');
  });

  test('a wrong password, and a server without JetStream, are errors at once', async () => {
    const open = (address: string) => {
      const source = natsSource({ url: address, name: 'orders', isFollowed: () => true, from: null });
      return source.chunks(never())[Symbol.asyncIterator]().next();
    };
    await expect(open(`nats://me:wrong@127.0.0.1:${port}`)).rejects.toThrow(
      `no NATS server at nats://…@127.0.0.1:${port}`,
    );
    await expect(open('nats://127.0.0.1:1')).rejects.toThrow('There is no NATS server at nats://127.0.0.1:1');
    await stop();
    await start();
    await expect(open(url())).rejects.toThrow(
      'This NATS server has no JetStream, which keeps messages; start it with -js.',
    );
    await stop();
    await startAgain();
  });
});
