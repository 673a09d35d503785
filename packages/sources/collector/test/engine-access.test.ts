/** A server that isolab starts accepts clients with its address, and no other user of the machine. */
import { type RunningEngine, findEngine, start } from '@isolab/engines';
import { readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { connect as connectTls } from 'node:tls';
import pg from 'pg';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { unlessFetched } from './fetched.ts';

interface Mysql {
  createConnection(options: object): Promise<{ end(): Promise<void> }>;
}

/** The processes of a server, and their public arguments. */
function processesOf({ processes }: RunningEngine): { readonly pid: number; readonly command: string }[] {
  const all = readdirSync('/proc').flatMap((name) => {
    try {
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ');
      return [{ pid: Number(name), parent: Number(parent), command: readFileSync(`/proc/${name}/cmdline`, 'utf8') }];
    } catch {
      return []; // it is no process, or has ended
    }
  });
  const found = all.filter(({ pid }) => processes.some((server) => server.pid === pid));
  for (const each of found) found.push(...all.filter(({ parent }) => parent === each.pid));
  return found;
}

/** Ports of the network on which they listen. */
function portsOf(pids: readonly number[]): number[] {
  const sockets = new Set(
    pids.flatMap((pid) => readdirSync(`/proc/${pid}/fd`).map((file) => readlinkSync(`/proc/${pid}/fd/${file}`))),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .slice(1, -1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === LISTENS && sockets.has(`socket:[${fields[9]}]`))
      .map((fields) => Number.parseInt(fields[1]!.split(':')[1]!, 16)),
  );
}
const LISTENS = '0A';

/** Reason why a port gives nothing to a client without a key; null if it does. */
const withoutKey = (port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', ({ message }) => resolve(message)).on('data', () => resolve(null));
    socket.setTimeout(5000, () => resolve(null));
  });

describe.each([
  ['embedded', 1],
  ['postgres@9.6.24', 1],
  ['postgres@12.3', 1],
  ['mariadb@10.11.19', 1],
  ['mariadb@11.4.5', 1],
  ['galera@10.11.19-26.4.23', 3],
  ['redis@7.0.15', 0],
  ['etcd@3.4.23', 0],
] as const)('%s', unless('linux'), async (name, clients) => {
  const here = name === 'embedded' ? {} : await unlessFetched(name);
  test('the server lets in only known clients', here, async () => {
    const server = await start(findEngine(name));
    try {
      const processes = processesOf(server);
      const [folder] = /\/[^\0]*isolab-engine-[A-Za-z\d]+/.exec(processes[0]!.command)!;
      expect(statSync(folder).mode & 0o067).toBe(0);
      const passwords = server.addresses.map((address) => new URL(address).password).filter((word) => word !== '');
      expect(passwords).toHaveLength(clients);
      for (const password of passwords) {
        expect(password).toMatch(/^[\da-f]{48}$/);
        for (const { command } of processes) expect(command).not.toContain(password);
      }
      const reached = server.addresses
        .flatMap((address) => Number(new URL(address).port || NaN))
        .filter((port) => port > 0);
      for (const address of server.addresses.filter((each) => /^(?:postgres|mariadb):/.test(each)))
        for (const [user, password] of [
          ['isolab', 'isolab'],
          ['isolab', ''],
          ['root', ''],
          ['postgres', ''],
        ] as const) {
          const wrong = Object.assign(new URL(address), { username: user, password });
          await expect(opened(wrong.href), `${user} ${password}`).rejects.toThrow(/password|access denied/i);
        }
      const others = portsOf(processes.map(({ pid }) => pid)).filter((port) => !reached.includes(port));
      expect(others).toHaveLength(clients > 1 ? clients : 0);
      for (const port of others)
        expect(await withoutKey(port)).toMatch(/certificate required|closed|ECONNRESET|disconnected/);
    } finally {
      await server.end();
    }
  });
});

async function opened(address: string): Promise<void> {
  if (address.startsWith('postgres:')) {
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    await client.end();
    return;
  }
  const { createConnection } = (await import('mysql2/promise' as string)) as Mysql;
  const connection = await createConnection({ uri: address.replace(/^mariadb:/, 'mysql:') });
  await connection.end();
}

test('each start has a password of its own', async () => {
  const servers = await Promise.all([start(findEngine('embedded')), start(findEngine('embedded'))]);
  const [one, other] = servers.map(({ addresses }) => new URL(addresses[0]!).password);
  await Promise.all(servers.map((server) => server.end()));
  expect(one).not.toBe(other);
});
