import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { unless } from '@isolab/needs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExitCode } from '../src/terminal/exit.ts';
import { run } from '../src/index.ts';
import { printerTo } from './support/isolab.ts';

describe('MariaDB', unless('mariadb'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-mariadb-'));
  const data = join(folder, 'data');
  let server: ChildProcess;
  let address: string;

  beforeAll(async () => {
    const port = await freePort();
    const user = userInfo().uid === 0 ? ['--user=root'] : []; // the programs alone bring no user mysql
    const auth = '--auth-root-authentication-method=normal';
    execFileSync('mariadb-install-db', ['--no-defaults', `--datadir=${data}`, auth, ...user], { stdio: 'ignore' });
    const options = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(data, 'socket')}`];
    server = spawn('mariadbd', ['--no-defaults', `--datadir=${data}`, ...options, ...user], { stdio: 'ignore' });
    address = `mariadb://root@127.0.0.1:${port}/test`;
    await waitFor(port);
  });

  afterAll(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  async function levels(isolation: string, ...settings: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const path = join(folder, `${isolation.replace(' ', '-')}.jsonl`);
    const out: string[] = [];
    const printer = printerTo(out, []);
    const set = settings.flatMap((setting) => ['--set', setting]);
    const shared = ['--db', address, '--isolation', isolation, '--workload', 'mini-transactions', '--force', ...set];
    expect(await run(['collect', path, ...shared, '--transactions', '80'], printer)).toBe(ExitCode.Satisfied);
    out.length = 0;
    await run(['check', path, '--level', 'all', '--output', 'json'], printer);
    return (JSON.parse(out.join('')) as { levels: Record<string, string> }).levels;
  }

  test('MariaDB keeps SERIALIZABLE', async () => {
    expect(await levels('serializable', 'keys=20')).toMatchObject({ serializable: 'satisfied' });
  });

  test('MariaDB loses updates at REPEATABLE READ, which is not snapshot isolation', async () => {
    const found = await levels('repeatable read', 'keys=6', 'forms=updates');
    expect(found).toMatchObject({ 'read-committed': 'satisfied', 'snapshot-isolation': 'violated' });
  });

  test('MariaDB shows non-repeatable reads at READ COMMITTED', async () => {
    const found = await levels('read committed', 'keys=6', 'forms=all');
    expect(found).toMatchObject({ 'read-committed': 'satisfied', 'read-atomic': 'violated' });
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

/** Waits until a server listens. */
async function waitFor(port: number): Promise<void> {
  const { connect } = await import('node:net');
  const answers = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(socket.destroy() !== null));
      socket.once('error', () => resolve(false));
    });
  for (let tries = 0; tries < 300; tries++) {
    if (await answers()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('MariaDB does not answer.');
}
