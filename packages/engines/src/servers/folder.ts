import { started } from '@isolab/history';
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type Child, bootId, killGroup, processIdOf } from '../processes.ts';
import { FOLDER_PREFIX, OWNER_FILE, type Owner, PROCESSES_FILE, sweep } from './remains.ts';
import { watchdog } from './watchdog.ts';

/** A user of the system. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

interface Spawning {
  readonly user: User | null;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** A file for standard input. */
  readonly input?: string | undefined;
}

/** The temporary folder of an engine. It ends with this process, and so does whatever was started in it. */
export class Folder {
  readonly path: string;
  readonly #watchdog: Child | null;
  readonly #remains: Promise<void>;
  readonly #children: Child[] = [];

  private constructor(path: string) {
    this.path = path;
    this.#watchdog = watchdog(path);
    this.#remains = sweep(); // beside the start, which takes longer
  }

  static async make(): Promise<Folder> {
    const path = await mkdtemp(join(tmpdir(), FOLDER_PREFIX));
    const owner: Owner = { owner: processIdOf(process.pid), boot: bootId() };
    await writeFile(join(path, OWNER_FILE), JSON.stringify(owner));
    await writeFile(join(path, PROCESSES_FILE), '');
    await chmod(join(path, PROCESSES_FILE), 0o666); // a server that runs as another user writes its number itself
    await chmod(path, 0o711);
    return new Folder(path);
  }

  /**
   * Starts a program whose options name the folder, in a group of its own, so that an interrupt at the terminal does not
   * reach it. Its number is written down before it runs: there is no moment at which nobody would end it.
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
    const child: Child = started(asked, () => {}); // whoever waits for it hears of it, too
    if (!hasShell && child.pid !== undefined) appendFileSync(join(this.path, PROCESSES_FILE), `${child.pid}\n`);
    this.#children.push(child);
    return child;
  }

  /** With whatever still runs in it. */
  async remove(): Promise<void> {
    for (const child of this.#children) killGroup(child);
    await this.#remains;
    await rm(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    this.#watchdog?.stdin?.end('done\n');
  }
}

const NOTE_AND_RUN = 'echo $$ >>"$0"; exec "$@"';
