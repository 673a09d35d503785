import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type History, OpKind, TxnStatus, buildReadFrom, nameAtom } from '@isolab/history';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { unless } from '@isolab/needs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CollectorOptions, type Counts, collect, driverFor, isolationNamed } from '../src/index.ts';
import { LIMITS, readBack } from './fake.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-databases-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Collected {
  readonly counts: Counts;
  readonly history: History;
  /** Final content of the lists, as `key: element`. */
  readonly held: readonly string[];
}

let files = 0;

/** Appends to lists, and reads the lists afterwards. */
async function collected(address: string, isolation: string, options: Partial<CollectorOptions>): Promise<Collected> {
  const driver = await driverFor(address);
  const level = isolationNamed(driver, isolation);
  const workload = findWorkload('list-append')!;
  const path = join(folder, `${driver.title} ${isolation} ${files++}.jsonl`);
  const parameters = options.parameters ?? resolveParameters(workload, {});
  const database = await driver.open(address, LIMITS);
  const shared = { isolation: level, workload, parameters, sessions: 5, transactions: 20, seed: 1, path };
  const counts = await collect({ database, ...shared, ...options });
  await database.close().catch(() => {});

  const again = await driver.open(address, LIMITS);
  await again.prepare(workload.data, true);
  const history = await readBack(path);
  const connection = await again.connect(level);
  const held: string[] = [];
  await connection.begin();
  for (let key = 0; key < 1000; key++) {
    const list = (await connection.ask({ kind: 'read-list', key })) as readonly number[];
    held.push(...list.map((element) => `${key}: ${element}`));
  }
  await connection.commit();
  await connection.close();
  await again.close();
  return { counts, history, held };
}

/** Nothing that was committed is lost or there twice, nothing that was aborted is there, and no read is out of thin air. */
function expectRight({ history, held }: Collected): void {
  const { txnStart, txnStatus, opKind, opKey, opValue, keys, values } = history;
  const committed: string[] = [];
  const possible = new Set<string>();
  for (let t = 0; t < txnStatus.length; t++) {
    if (txnStatus[t] === TxnStatus.Aborted) continue;
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      if (opKind[op] !== OpKind.Append) continue;
      const element = `${nameAtom(keys, opKey[op]!)}: ${nameAtom(values, opValue[op]!)}`;
      possible.add(element);
      if (txnStatus[t] === TxnStatus.Committed) committed.push(element);
    }
  }
  const isHeld = new Set(held);
  expect(isHeld.size).toBe(held.length);
  expect(committed.length).toBeGreaterThan(0);
  expect(committed.filter((element) => !isHeld.has(element))).toEqual([]);
  expect(held.filter((element) => !possible.has(element))).toEqual([]);
  expect([...buildReadFrom(history).readFrom].filter((from) => from === -2)).toEqual([]);
}

describe.each([
  ['SQLite', 'sqlite', 'better-sqlite3', 'serializable'],
  ['DuckDB', 'duckdb', 'duckdb-node-api', 'snapshot'],
] as const)('%s', (_, scheme, need, isolation) => {
  test('the database ends in the final state of the history', unless(need), async () => {
    const result = await collected(`${scheme}:${join(folder, scheme)}`, isolation, {});
    expect(result.counts.committed).toBe(100);
    expectRight(result);
  });
});

describe('MariaDB', unless('mariadb'), () => {
  let port = 0;
  let address = '';
  let server: ChildProcess | null = null;

  /** Starts the server on the data that are there, and waits until it answers. */
  async function start(): Promise<void> {
    const paths = [`--datadir=${join(folder, 'mariadb')}`, `--socket=${join(folder, 'socket')}`];
    const options = ['--no-defaults', ...paths, '--bind-address=127.0.0.1', `--port=${port}`, '--user=root'];
    server = spawn('mariadbd', [...options, '--skip-grant-tables'], { stdio: 'ignore' });
    const driver = await driverFor(address);
    for (let attempts = 0; ; attempts++) {
      const database = await driver.open(address, LIMITS).catch((error: unknown) => error as Error);
      if (!(database instanceof Error)) return database.close();
      if (attempts === 100 || server.exitCode !== null) throw database;
      await pause(200);
    }
  }

  async function kill(): Promise<void> {
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }

  beforeAll(async () => {
    port = await freePort();
    address = `mariadb://root@127.0.0.1:${port}/test`;
    const install = ['--no-defaults', `--datadir=${join(folder, 'mariadb')}`, '--user=root'];
    const installed = spawnSync('mariadb-install-db', install, { encoding: 'utf8' });
    if (installed.status !== 0) throw new Error(`mariadb-install-db failed: ${installed.stderr}`);
    await start();
  });
  afterAll(kill);

  const levels = ['read committed', 'repeatable read', 'serializable'];
  test.each(levels)('MariaDB at %s ends in the final state of the history', async (isolation) => {
    const result = await collected(address, isolation, {});
    expect(result.counts.committed).toBe(100);
    expectRight(result);
  });

  test.each(levels)('at %s, with locks, savepoints and changes of no row, too', async (isolation) => {
    const shares = { 'locking-reads': '0.5', savepoints: '0.3', 'empty-changes': '0.1', 'early-snapshots': '0.5' };
    const parameters = resolveParameters(findWorkload('list-append')!, shares);
    const result = await collected(address, isolation, { parameters });
    expect(result.counts.committed).toBe(100);
    expectRight(result);
  });

  test.each(levels)('at %s, killed in the middle and started again, too', async (isolation) => {
    let killed: Promise<void> | null = null;
    const result = await collected(address, isolation, {
      transactions: 40,
      onProgress: ({ committed }) => {
        if (committed === 60) killed ??= kill().then(start);
      },
    });
    await killed;
    expect(killed).not.toBeNull();
    expect(result.counts.committed).toBe(200);
    expect(result.history.txnStatus.filter((status) => status === TxnStatus.Unknown).length).toBe(
      result.counts.unknown,
    );
    expectRight(result);
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
