/** Streams of a NATS with JetStream that is protected by a password and keeps its streams on disk. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionalPackage } from '@isolab/collector';
import { natsSource } from '../../src/index.ts';
import { until } from '../until.ts';
import { type RunningServer, type StreamServer, freePort } from './server.ts';

interface Client {
  request(subject: string, body?: string): Promise<{ string(): string }>;
  close(): Promise<void>;
}

/** Requests about the stream itself, for tests of NATS alone. */
export interface RunningNats extends RunningServer {
  readonly place: string;
  api(what: string, body?: object): Promise<void>;
  /** Starts the server with these words instead of its streams. */
  startWith(...words: readonly string[]): Promise<void>;
}

export const NATS: StreamServer = { need: 'nats', kind: 'stream', isKept: true, start: startNats };

export async function startNats(): Promise<RunningNats> {
  const place = mkdtempSync(join(tmpdir(), 'isolab-nats-'));
  const port = await freePort();
  const url = `nats://me:secret@127.0.0.1:${port}`;
  let server: ChildProcess;
  async function startWith(...words: readonly string[]): Promise<void> {
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
  const stored = ['-js', '-sd', join(place, 'store')];
  await startWith(...stored);
  const nats = await optionalPackage<{ connect(options: object): Promise<Client> }>('@nats-io/transport-node');
  const login = { user: 'me', pass: 'secret', maxReconnectAttempts: -1, reconnectTimeWait: 100 };
  const client = await nats.connect({ servers: `127.0.0.1:${port}`, ...login });
  async function api(what: string, body: object = {}): Promise<void> {
    const answer = (await client.request(`$JS.API.STREAM.${what}.orders`, JSON.stringify(body))).string();
    if (answer.includes('"error"')) throw new Error(answer);
  }
  return {
    place,
    api,
    startWith,
    address: `${url}/orders`,
    sourceOf: (options) => natsSource({ ...options, url, name: 'orders' }),
    put: async (...lines) => {
      for (const line of lines) await client.request('orders.shop', line); // the answer says that the message is stored
    },
    create: () => api('CREATE', { name: 'orders', subjects: ['orders.>'] }),
    remove: async () => void (await client.request('$JS.API.STREAM.DELETE.orders')),
    trim: (count) => api('PURGE', { seq: count + 1 }),
    restart: {
      stop: async () => {
        server.kill('SIGKILL');
        await once(server, 'exit');
      },
      /** Waits for the connection of the publisher, too. */
      start: async () => {
        await startWith(...stored);
        await until(() =>
          client.request('$JS.API.INFO').then(
            () => true,
            () => false,
          ),
        );
      },
    },
    close: async () => {
      await client.close();
      server.kill();
      rmSync(place, { recursive: true, force: true });
    },
  };
}
