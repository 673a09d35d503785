/** Encryption and passwords, on either side of the proxy. */
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { unless } from '@isolab/needs';
import { beforeAll, describe, expect, test } from 'vitest';
import { startProxy } from '../../src/wire/proxy.ts';
import { selfSigned } from './certificates.ts';
import { all, front, int32, message } from './messages.ts';
import { RawClient, cancel, messagesIn } from './raw-client.ts';
import { type Through, useServer } from './servers.ts';

const PASSWORD = 'correct horse';
const OF_SERVER = selfSigned('server');
const OF_PROXY = selfSigned('proxy');

const server = useServer(`
  create table accounts (id int primary key, balance int);
  insert into accounts select i, i from generate_series(1, 3) i;
  create role keeper login password '${PASSWORD}';
  grant all on accounts to keeper`);

/** The server takes TLS, and asks for SCRAM. */
beforeAll(async () => {
  const [{ folder }] = (await server.ask(`select current_setting('data_directory') as folder`)) as [{ folder: string }];
  const { uid, gid } = statSync(folder);
  const write = (name: string, text: string): void => {
    const path = join(folder, name);
    writeFileSync(path, text);
    chmodSync(path, 0o600);
    chownSync(path, uid, gid);
  };
  write('server.crt', OF_SERVER.cert);
  write('server.key', OF_SERVER.key);
  const rules = readFileSync(join(folder, 'pg_hba.conf'), 'utf8');
  write('pg_hba.conf', `host all keeper 127.0.0.1/32 scram-sha-256\n${rules}`);
  await server.ask('alter system set ssl = on');
  await server.ask('select pg_reload_conf()');
  while (((await server.ask('show ssl')) as [{ ssl: string }])[0].ssl === 'off') await setTimeout(20);
});

const encrypted = (url: string): string => `${url}?sslmode=no-verify`;

/** Connects as `keeper`, through a proxy. */
function clientOf({ url }: Through, more: pg.ClientConfig): pg.Client {
  const { port, pathname } = new URL(url);
  const database = pathname.slice(1);
  return new pg.Client({
    host: '127.0.0.1',
    port: Number(port),
    user: 'keeper',
    password: PASSWORD,
    database,
    ...more,
  });
}

const TLS = { ssl: { rejectUnauthorized: false } };
const SECURE = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';

const WAYS: readonly (readonly [string, boolean, typeof OF_PROXY | null])[] = [
  ['neither', false, null],
  ['the client', false, OF_PROXY],
  ['the server', true, null],
  ['both, with two certificates', true, OF_PROXY],
  ['both, with one certificate', true, OF_SERVER],
];

test.each(WAYS)('TLS with %s', async (_, isToServer, tls) => {
  const through = await server.record({ upstream: isToServer ? encrypted(server.url) : server.url, tls });
  const client = clientOf(through, tls ? TLS : {});
  await client.connect();
  expect((await client.query('select * from accounts where id = $1', [2])).rows).toEqual([{ id: 2, balance: 2 }]);
  expect((await client.query(SECURE)).rows).toEqual([{ ssl: isToServer }]);
  await client.end();
  const { shapes } = await through.finish();
  expect(shapes.map(({ opaque }) => opaque)).toEqual([null, null]);
  expect(through.problems).toEqual([]);
});

test('a wrong password is refused by the server, and no password is kept anywhere', async () => {
  const through = await server.record();
  const liar = clientOf(through, { password: 'wrong horse' });
  await expect(liar.connect()).rejects.toMatchObject({ code: '28P01' });
  const client = clientOf(through, {});
  await client.connect();
  await client.query('update accounts set balance = 5');
  await client.end();
  await through.finish();
  const kept = readFileSync(through.path, 'utf8') + through.problems.join('\n');
  expect(kept).toContain('balance');
  expect(kept).not.toMatch(/horse|SCRAM|c=bi|r=/);
  expect(kept).not.toContain(new URL(server.url).password);
});

describe('a password that is bound to the channel', () => {
  test('a password that is bound to the channel passes where the client sees the certificate of the server', async () => {
    const through = await server.record({ upstream: encrypted(server.url), tls: OF_SERVER });
    const client = clientOf(through, { ...TLS, enableChannelBinding: true });
    await client.connect();
    await client.end();
    await through.finish();
    expect(through.problems).toEqual([]);
  });

  test(
    'a password that is bound to the channel is sent by psql if possible; otherwise psql prints a remedy',
    unless('psql'),
    async () => {
      const same = await server.record({ upstream: encrypted(server.url), tls: OF_SERVER });
      expect(await psql(same, 'channel_binding=require')).toBe('3');
      await same.finish();
      expect(same.problems).toEqual([]);
      const other = await server.record({ upstream: encrypted(server.url), tls: OF_PROXY });
      expect(await psql(other, 'channel_binding=disable')).toBe('3');
      // It would have bound its password.
      expect(await psql(other, 'channel_binding=prefer')).toContain('Set channel_binding=disable');
      await other.finish();
      expect(other.problems).toEqual([expect.stringContaining('bind its password')]);
    },
  );
});

/** Output of psql. */
async function psql({ url }: Through, settings: string): Promise<string> {
  const { port, pathname } = new URL(url);
  const target = `host=127.0.0.1 port=${port} user=keeper dbname=${pathname.slice(1)} sslmode=require ${settings}`;
  const args = ['-X', '-A', '-t', '-c', 'select count(*) from accounts', target];
  const run = promisify(execFile)('psql', args, { env: { ...process.env, PGPASSWORD: PASSWORD } });
  return run.then(({ stdout }) => stdout.trim()).catch((error: { stderr: string }) => error.stderr);
}

const SSL_REQUEST = message('', int32(80_877_103));
const STARTUP = message('', int32(0x3_0000), 'user', 'isolab', 'database', 'postgres', Buffer.alloc(1));
const GSS_REQUEST = message('', int32(80_877_104));

/** Answer of a proxy to the first bytes of a client, up to `length` bytes or the end. */
function answer(url: string, bytes: Buffer, length: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
    let told = '';
    const finish = (): void => {
      socket.destroy();
      resolve(told);
    };
    socket.on('data', (chunk) => {
      told += chunk.toString('latin1');
      if (told.length >= length) finish();
    });
    socket.on('close', finish).on('error', finish);
    socket.write(bytes);
  });
}

describe('the first bytes of a client', () => {
  test('the first bytes of a client ask for encryption in vain, and then begin without', async () => {
    const through = await server.record();
    expect(await answer(through.url, SSL_REQUEST, 1)).toBe('N');
    expect(await answer(through.url, GSS_REQUEST, 1)).toBe('N');
    expect(await answer(through.url, all(GSS_REQUEST, SSL_REQUEST, STARTUP), 3)).toMatch(/^NNR/);
    await through.finish();
  });

  test('the first bytes of a client ask for refused features', async () => {
    const through = await server.record();
    const refused = /^E.*C08P01/s;
    expect(await answer(through.url, message('', int32(0x2_0000), 'user'), 1e4)).toMatch(refused);
    expect(await answer(through.url, all(int32(7), int32(0)), 1e4)).toMatch(refused);
    expect(await answer(through.url, all(int32(0x7fff_ffff), int32(0x3_0000)), 1e4)).toMatch(refused);
    expect(await answer(through.url, Buffer.from('GET / HTTP/1.1\r\n\r\n'), 1e4)).toMatch(refused);
    expect(await answer(through.url, Buffer.from([0x16, 3, 1, 0, 0, 0, 0, 0]), 1e4)).toMatch(refused);
    await through.finish();
  });

  test('the first bytes of a client are lost in the middle', async () => {
    const through = await server.record();
    for (let end = 0; end < STARTUP.length; end++) {
      const socket = connect({ port: Number(new URL(through.url).port), host: '127.0.0.1' });
      socket.on('error', () => {}).end(STARTUP.subarray(0, end));
      await new Promise((resolve) => socket.resume().once('close', resolve));
    }
    const client = await RawClient.connect(through.url);
    client.close();
    await through.finish();
    expect(through.problems).toEqual([]);
  });

  test('the first bytes of a client are not treated as encrypted ones because they came before', async () => {
    const through = await server.record({ tls: OF_PROXY });
    expect(await answer(through.url, all(SSL_REQUEST, STARTUP), 1e4)).toBe('');
    await through.finish();
  });

  test('the first bytes of a client are those of TLS at once', async () => {
    const through = await server.record({ tls: OF_PROXY });
    const socket = connectTls({
      host: '127.0.0.1',
      port: Number(new URL(through.url).port),
      rejectUnauthorized: false,
      ALPNProtocols: ['postgresql'],
    });
    const told = await new Promise<Buffer>((resolve, reject) => {
      socket
        .once('secureConnect', () => socket.write(STARTUP))
        .once('data', resolve)
        .once('error', reject);
    });
    expect(messagesIn(told)[0]![0]).toBe('R');
    expect(socket.alpnProtocol).toBe('postgresql');
    socket.destroy();
    await through.finish();
  });
});

test('a statement is cancelled where the server is reached by TLS', async () => {
  const through = await server.record({ upstream: encrypted(server.url) });
  const client = await RawClient.connect(through.url);
  const told = client.ask(front.query('select pg_sleep(60)'));
  await setTimeout(200);
  await cancel(through.url, client.greeted);
  expect((await told).toString('latin1')).toContain('C57014');
  client.close();
  await through.finish();
});

test('a server without TLS is not asked for anything else', async () => {
  const problems: string[] = [];
  const proxy = await startProxy({
    upstream: { host: '127.0.0.1', port: await withoutTls(), tls: {} },
    tls: null,
    open: () => Promise.reject(new Error('there is nothing to open')),
    settingsQueries: {},
    onProblem: (problem) => problems.push(problem),
  });
  const told = await answer(`http://127.0.0.1:${proxy.port}`, STARTUP, 1e4);
  expect(told).toMatch(/C08006.*does not offer TLS.*HTurn on ssl/s);
  expect(problems).toHaveLength(1);
  await proxy.close();
});

/** The port of a server that answers that it has no TLS. */
function withoutTls(): Promise<number> {
  const none = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end('N'))).unref();
  return new Promise((resolve) => none.listen(0, '127.0.0.1', () => resolve((none.address() as AddressInfo).port)));
}
