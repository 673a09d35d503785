import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { unless } from '@isolab/needs';
import { afterAll, describe, expect, test } from 'vitest';
import { processIdOf, sweep } from '@isolab/engines';
import {
  type CollectorOptions,
  CollectorError,
  type Connection,
  ConnectionLost,
  type Counts,
  type Database,
  TooManyConnections,
  collect,
  driverFor,
} from '../src/index.ts';
import { SERIAL, fakeDatabase, readBack } from './fake.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-endings-'));
let files = 0;

function run(database: Database, options: Partial<CollectorOptions> = {}): { path: string; ended: Promise<Counts> } {
  const workload = findWorkload('general')!;
  const path = join(folder, `${files++}.jsonl`);
  const parameters = resolveParameters(workload, { keys: '5', operations: '3' });
  const shared = { database, isolation: SERIAL, workload, parameters, sessions: 3, transactions: 1000, seed: 1, path };
  return { path, ended: collect({ ...shared, ...options }) };
}

const forever = (): Promise<never> => new Promise(() => {});

/** A database whose connections do something else from the nth statement on, counting those of all sessions. */
function changed(nth: number, change: (connection: Connection, index: number) => Partial<Connection>): Database {
  const database = fakeDatabase();
  let statements = 0;
  let connections = 0;
  return {
    ...database,
    async connect(isolation) {
      const connection = await database.connect(isolation);
      const index = connections++;
      if (index === 0) return connection; // the transaction that marks the tables; the next one fills them
      const other = { ...connection, ...change(connection, index) };
      const now = (): Connection => (++statements < nth ? connection : other);
      return {
        begin: () => now().begin(),
        ask: (question) => now().ask(question),
        commit: () => now().commit(),
        rollback: () => now().rollback(),
        close: () => other.close(),
        abandon: () => other.abandon(),
      };
    },
  };
}

/** A connection that never answers again, and whose requests fail only once it is abandoned. */
function deaf(): Partial<Connection> {
  let hangUp = (): void => {};
  const hung = new Promise<never>((_, reject) => (hangUp = () => reject(new ConnectionLost('abandoned'))));
  hung.catch(() => {});
  const hang = (): Promise<never> => hung;
  return { begin: hang, ask: hang, commit: hang, rollback: hang, close: forever, abandon: hangUp };
}

describe('a collection ends within five seconds', () => {
  const soon = async (ended: Promise<unknown>): Promise<unknown> => {
    const begin = performance.now();
    const result = await ended.catch((error: unknown) => error);
    expect(performance.now() - begin).toBeLessThan(5_000);
    return result;
  };

  test('a collection ends within five seconds when one session fails and the others hang', async () => {
    const failing = changed(1, (_, index) =>
      index === 2 ? { begin: () => Promise.reject(new CollectorError('no such table')) } : deaf(),
    );
    const { path, ended } = run(failing);
    expect(await soon(ended)).toMatchObject({ message: 'no such table' });
    expect((await readBack(path)).source.notes['cutOffAfterLine']).toBeGreaterThanOrEqual(1);
  });

  test('a collection ends within five seconds when one session fails and the others would continue for long', async () => {
    const failing = changed(40, (_, index) =>
      index === 2 ? { ask: () => Promise.reject(new CollectorError('no such table')) } : {},
    );
    expect(await soon(run(failing, { transactions: 100_000 }).ended)).toMatchObject({ message: 'no such table' });
  });

  test('a collection ends within five seconds when it is interrupted and the database hangs', async () => {
    const abort = new AbortController();
    const { path, ended } = run(changed(40, deaf), { signal: abort.signal });
    setTimeout(() => abort.abort(), 300);
    expect(await soon(ended)).toMatchObject({ wanted: 3000 });
    expect((await readBack(path)).source.notes['cutOffAfterLine']).toBeGreaterThanOrEqual(1);
  });

  test('a collection ends within five seconds when it is interrupted while it fills the database', async () => {
    const abort = new AbortController();
    const workload = findWorkload('tpcc')!;
    const loaded: number[] = [];
    const { path, ended } = run(fakeDatabase(), {
      workload,
      parameters: resolveParameters(workload, {}),
      signal: abort.signal,
      onProgress: (counts) => loaded.push(counts.loaded) === 5 && abort.abort(),
    });
    expect(await soon(ended)).toMatchObject({ committed: 0, loaded: 5 });
    expect(loaded).toEqual([1, 2, 3, 4, 5]);
    expect((await readBack(path)).txnStatus.length).toBe(5);
  });

  test('a collection ends within five seconds when no session is answered any more', async () => {
    const { path, ended } = run(changed(40, deaf), { stallMs: 500 });
    expect(await soon(ended)).toMatchObject({
      message: expect.stringContaining('answered no session for 0.5 seconds'),
    });
    await readBack(path);
  });

  test('a collection ends within five seconds when the database has no room for a number of sessions', async () => {
    const database = fakeDatabase();
    let connections = 0;
    const full: Database = {
      ...database,
      connect: (isolation) =>
        ++connections > 3
          ? Promise.reject(new TooManyConnections('sorry, too many clients already'))
          : database.connect(isolation),
    };
    const message = 'The database does not accept 150 sessions: sorry, too many clients already';
    expect(await soon(run(full, { sessions: 150 }).ended)).toMatchObject({ message });
  });

  test('a collection ends within five seconds when the database takes no connection', async () => {
    const database: Database = {
      ...fakeDatabase(),
      connect: () => Promise.reject(new ConnectionLost('connection refused')),
    };
    const message = 'The database refuses connections: connection refused';
    expect(await soon(run(database).ended)).toMatchObject({ message });
  });
});

describe('a server that accepts a connection and says nothing', () => {
  let server: Server | null = null;
  afterAll(() => server?.close());
  const port = new Promise<number>((resolve) => {
    server = createServer(() => {}).listen(0, '127.0.0.1', () => resolve((server!.address() as { port: number }).port));
  });

  test.each(['postgres://me:secret@127.0.0.1:PORT/db', 'exec:sleep 5 # PORT'])(
    'a server that accepts a connection and says nothing is given up: %s',
    async (pattern) => {
      const address = pattern.replace('PORT', String(await port));
      const driver = await driverFor(address);
      const begin = performance.now();
      await expect(driver.open(address, { connectMs: 500 })).rejects.toThrow(/did not answer|no answer for/);
      expect(performance.now() - begin).toBeLessThan(3_000);
    },
  );
});

describe('a history continues', () => {
  const interrupted = async (database: Database): Promise<string> => {
    const abort = new AbortController();
    const onProgress = ({ committed }: Counts): void => void (committed === 20 && abort.abort());
    const { path, ended } = run(database, { signal: abort.signal, onProgress });
    await ended;
    return path;
  };

  test.each([
    ['another database', fakeDatabase(), 'no longer holds the data'],
    ['an embedded one', { ...fakeDatabase(), isTemporary: true as const }, 'which was lost when its server ended'],
  ])('a history does not continue on %s', async (_, other, message) => {
    const path = await interrupted(fakeDatabase());
    const before = readFileSync(path, 'utf8');
    await expect(run(other, { path, resume: true }).ended).rejects.toThrow(message);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('a history does not continue where the tables are those of another history', async () => {
    const database = fakeDatabase();
    const path = await interrupted(database);
    await interrupted(database);
    await expect(run(database, { path, resume: true }).ended).rejects.toThrow('no longer holds the data');
  });

  test('a history does not continue at another level', async () => {
    const database = fakeDatabase();
    const path = await interrupted(database);
    const isolation = { name: 'chaos', claims: 'read-committed' } as const;
    await expect(run(database, { path, resume: true, isolation }).ended).rejects.toThrow('was collected at serial');
  });

  test('a history cut off while the database is filled', async () => {
    const database = fakeDatabase();
    const abort = new AbortController();
    const workload = findWorkload('blindw')!;
    const parameters = resolveParameters(workload, { keys: '80' });
    const options = { workload, parameters, transactions: 2 };
    const onProgress = ({ loaded }: Counts): void => void (loaded === 3 && abort.abort());
    const first = run(database, { ...options, signal: abort.signal, onProgress });
    expect(await first.ended).toMatchObject({ loaded: 3, committed: 0 });
    const again = run(database, { ...options, path: first.path, resume: true });
    expect(await again.ended).toMatchObject({ loaded: 10, committed: 6, wanted: 6 });
  });
});

test('foreign changes of tables spoil the history', async () => {
  const database = fakeDatabase();
  const onProgress = ({ committed }: Counts): void => void (committed === 10 && database.content.set(-1, 12_345));
  const { path, ended } = run(database, { transactions: 5, onProgress });
  await expect(ended).rejects.toThrow('the tables were replaced during the collection');
  await expect(readBack(path)).rejects.toThrow('a collection that failed: the tables were replaced');
});

test.each([null, 'x', 1.5, {}, 2 ** 60])('an answer of %o does not reach the history', async (answer) => {
  const wrong = changed(20, () => ({ ask: async () => (answer === null ? undefined : answer) }));
  const { path, ended } = run(wrong);
  await expect(ended).rejects.toThrow(/The database was asked .* and answered .*, expected a whole number/);
  await readBack(path);
});

describe('an embedded server', unless('posix'), () => {
  const remains = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('isolab-engine-'));

  const start = async (): Promise<{ child: ChildProcess; folder: string; pid: number }> => {
    const before = new Set(remains());
    const program = `
      import { startEmbedded } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
      await startEmbedded();
      console.log('started');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout!.once('data', resolve));
    const mine = remains().find(
      (name) =>
        !before.has(name) && readFileSync(join(tmpdir(), name, 'owner.json'), 'utf8').includes(`"pid":${child.pid},`),
    )!;
    const path = join(tmpdir(), mine);
    return {
      child,
      folder: path,
      pid: Number(readFileSync(join(path, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]),
    };
  };
  const isThere = (pid: number): boolean => processIdOf(pid).started !== null && processIdOf(pid).started !== 'zombie';
  const gone = async (pid: number, path: string): Promise<void> => {
    for (let waited = 0; waited < 10_000 && (isThere(pid) || existsSync(path)); waited += 50)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect([isThere(pid), existsSync(path)]).toEqual([false, false]);
  };

  test('an embedded server ends with the process that started it, even by kill −9', async () => {
    const { child, folder: path, pid } = await start();
    expect(isThere(pid)).toBe(true);
    child.kill('SIGKILL');
    await gone(pid, path);
  });

  test('an embedded server is ended by a later start, if nothing else did', async () => {
    const { child, folder: path, pid } = await start();
    // Simulates a machine without a shell: no process watches.
    const watchdog = readdirSync('/proc').find((name) => {
      try {
        return (
          /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`isolab-watchdog\0${path}\0`)
        );
      } catch {
        return false;
      }
    });
    process.kill(Number(watchdog), 'SIGKILL');
    await sweep();
    expect(isThere(pid)).toBe(true); // it belongs to an existing user
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    await sweep();
    await gone(pid, path);
  });

  test('an embedded server is not ended where another process has its number', async () => {
    const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
    const path = join(tmpdir(), `isolab-engine-test-${process.pid}`);
    mkdirSync(join(path, 'data'), { recursive: true });
    const owner = { pid: 4_194_300, started: '1' };
    writeFileSync(join(path, 'owner.json'), JSON.stringify({ owner, boot: null }));
    writeFileSync(join(path, 'processes'), `${bystander.pid}\n`);
    await sweep();
    expect([isThere(bystander.pid!), existsSync(path)]).toEqual([true, false]);
    bystander.kill();
  });
});
