import { started } from '@isolab/history';
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type Child, bootId, killGroup, processIdOf } from '../engine/processes.ts';
import { FOLDER_PREFIX, OWNER_FILE, type Owner, PROCESSES_FILE, sweep } from './remains.ts';
import type { User } from './users.ts';
import { watchdog } from './watchdog.ts';

interface Spawning {
  readonly user: User | null;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** File to use as standard input. */
  readonly input?: string | undefined;
}

/**
 * Temporary folder of an engine, private to this user. The folder and the processes started in it end with this
 * process.
 */
export class Folder {
  readonly path: string;
  readonly #watchdog: Child | null;
  readonly #remains: Promise<void>;
  readonly #children: Child[] = [];

  private constructor(path: string) {
    this.path = path;
    this.#watchdog = watchdog(path);
    this.#remains = sweep(); // concurrent with the start, which takes longer
  }

  static async make(): Promise<Folder> {
    const path = await mkdtemp(join(tmpdir(), FOLDER_PREFIX));
    const owner: Owner = { owner: processIdOf(process.pid), boot: bootId() };
    await writeFile(join(path, OWNER_FILE), JSON.stringify(owner));
    await writeFile(join(path, PROCESSES_FILE), '', { mode: 0o600 });
    return new Folder(path);
  }

  /** Gives access to the user of the server, who records process numbers in the folder. */
  async letIn({ uid, gid }: User): Promise<void> {
    await chown(this.path, -1, gid);
    await chmod(this.path, 0o710);
    await chown(join(this.path, PROCESSES_FILE), uid, gid);
  }

  /**
   * Starts a program in its own process group, so that an interrupt at the terminal does not reach it. Its process
   * number is recorded before it runs, so that it can always be ended.
   */
  spawn(program: string, options: readonly string[], { user, env, input }: Spawning): Child {
    const hasShell = process.platform !== 'win32';
    const [command, ...rest] = hasShell
      ? ['sh', '-c', NOTE_AND_RUN, join(this.path, PROCESSES_FILE), program, ...options]
      : [program, ...options];
    const stdin = input === undefined ? 'ignore' : openSync(input, 'r');
    const asked = spawn(command!, rest, {
      ...user,
      cwd: this.path,
      detached: hasShell,
      stdio: [stdin, 'ignore', 'pipe'],
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC', ...env },
    });
    if (typeof stdin === 'number') closeSync(stdin);
    const child: Child = started(asked, () => {}); // callers that wait for the process get the error, too
    if (!hasShell && child.pid !== undefined) appendFileSync(join(this.path, PROCESSES_FILE), `${child.pid}\n`);
    this.#children.push(child);
    return child;
  }

  /** Ends the processes that still run in the folder, and removes it. */
  async remove(): Promise<void> {
    for (const child of this.#children) killGroup(child);
    await this.#remains;
    await rm(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    this.#watchdog?.stdin?.end('done\n');
  }
}

const NOTE_AND_RUN = 'echo $$ >>"$0"; exec "$@"';
