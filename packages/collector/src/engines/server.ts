import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { CollectorError } from '../errors.ts';
import { type ProcessId, bootId, processIdOf } from '../processes.ts';
import { Interrupted, pause } from '../time.ts';
import type { Programs } from './known.ts';
import { FOLDER_PREFIX, OWNER_FILE, type Owner } from './remains.ts';
import { watchdog } from './watchdog.ts';

/**
 * Nothing is kept, so that nothing need reach the disk. Whoever waits for a lock looks for a deadlock soon: with
 * PostgreSQL's own second, clients that meet all the time spend nearly all of it waiting.
 */
const SETTINGS = { fsync: 'off', deadlock_timeout: '5ms', max_connections: '200' };
const LOOPBACK = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];

/** PostgreSQL refuses to run as root, so root runs it as another user. */
interface User {
  readonly uid: number;
  readonly gid: number;
}

export class Server {
  #programs: Programs;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #user: User | null = userInfo().uid === 0 ? unprivileged() : null;
  readonly #log: string[] = [];
  #folder = '';
  #port = 0;
  #process: ChildProcess | null = null;
  #watchdog: ChildProcess | null = null;

  constructor(found: Programs, settings: Readonly<Record<string, string>>) {
    this.#programs = found;
    this.#settings = { ...SETTINGS, ...settings };
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
    if (this.#user && !(await isOpenToAll(this.#programs.folder))) await this.#copyPrograms();
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

  /** Into the folder of the server, because its user cannot reach them where they are. */
  async #copyPrograms(): Promise<void> {
    const { initdb, postgres, folder: from } = this.#programs;
    const folder = join(this.#folder, 'programs');
    await cp(from, folder, { recursive: true, verbatimSymlinks: true });
    const copied = (program: string): string => join(folder, relative(from, program));
    this.#programs = { initdb: copied(initdb), postgres: copied(postgres), folder };
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
    const settings = Object.entries(this.#settings).map(([name, value]) => `${name}=${value}`);
    const flags = [...settings, ...LOOPBACK].flatMap((setting) => ['-c', setting]);
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
      `isolab’s own PostgreSQL did not start: ${this.#log
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

/** Whether every user can enter the folder. */
async function isOpenToAll(folder: string): Promise<boolean> {
  for (let place = folder; ; place = dirname(place)) {
    if (((await stat(place)).mode & 0o001) === 0) return false;
    if (place === dirname(place)) return true;
  }
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
