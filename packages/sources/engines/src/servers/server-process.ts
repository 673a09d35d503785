import process from 'node:process';
import { EngineError } from '../engine/errors.ts';
import { type Child, descendantsOf } from '../engine/processes.ts';
import { Interrupted, pause } from '../engine/time.ts';
import type { Folder } from './folder.ts';
import type { User } from './users.ts';

/** Command that starts a server, with a test for its readiness. */
export interface Command {
  readonly title: string;
  readonly program: string;
  readonly options: readonly string[];
  readonly user: User | null;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** Returns whether the text on standard error reports readiness. */
  isReady(said: string): boolean;
}

/** Server process of an engine, which can be killed and restarted on its data. */
export class ServerProcess {
  readonly #folder: Folder;
  #command: Command;
  readonly #log: string[] = [];
  #child: Child | null = null;

  constructor(folder: Folder, command: Command) {
    this.#folder = folder;
    this.#command = command;
  }

  /** Process number; null while the server does not run. */
  get pid(): number | null {
    return this.#runs ? (this.#child!.pid ?? null) : null;
  }

  get #runs(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts the server and waits until it is ready. */
  async start(signal?: AbortSignal): Promise<void> {
    const code = await this.run(signal);
    if (code !== null) throw this.failure();
  }

  /** Sets the command for all later starts. */
  startsAs(command: Command): void {
    this.#command = command;
  }

  /** Runs the server until it is ready (returns null) or has ended (returns its exit code). */
  run(signal?: AbortSignal): Promise<number | null> {
    const { program, options, user, env, input, isReady } = this.#command;
    const child = this.#folder.spawn(program, options, { user, env, input });
    this.#child = child;
    return new Promise((resolve, reject) => {
      const interrupt = (): void => {
        signalGroup(child, 'SIGKILL');
        reject(new Interrupted());
      };
      child.stderr!.setEncoding('utf8').on('data', (text: string) => {
        this.#log.push(text);
        if (this.#log.length > LOG_ENTRIES) this.#log.shift();
        if (isReady(text)) resolve(null);
      });
      child.on('error', reject);
      child.on('close', (code) => resolve(code ?? 1));
      if (signal?.aborted) interrupt();
      signal?.addEventListener('abort', interrupt, { once: true });
    });
  }

  /** Returns the error of a failed start, with the last lines of the output. */
  failure(): EngineError {
    const said = this.#log.join('').trim();
    const lines = said.split('\n').slice(-LOG_LINES).join('\n');
    return new EngineError(`isolab’s own ${this.#command.title} did not start: ${lines.replaceAll(/\s*\n\s*/g, '; ')}`);
  }

  /** Kills the server as a crash would. With SIGQUIT, the server can still send a message to its clients. */
  async kill(signal: 'SIGQUIT' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === null || !this.#runs) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    // A stopped process ignores other signals, and servers start processes in process groups of their own.
    if (signal === 'SIGKILL') signalTree(child.pid!, 'SIGKILL');
    else signalTree(child.pid!, 'SIGCONT');
    signalGroup(child, process.platform === 'win32' ? 'SIGKILL' : signal);
    await Promise.race([ended, pause(TO_END_MS)]);
    if (this.#runs) signalGroup(child, 'SIGKILL');
    await ended;
  }

  /** Restarts a killed server on its data. */
  async restart(signal?: AbortSignal): Promise<void> {
    if (this.#runs) throw new EngineError(`${this.#command.title} runs already.`);
    const deadline = Date.now() + RESTART_MS;
    for (;;) {
      try {
        return await this.start(signal);
      } catch (error) {
        // Processes of the old server may need a while to notice that it is gone.
        if (Date.now() > deadline || error instanceof Interrupted) throw error;
        await pause(50);
      }
    }
  }

  /** Suspends the server and its child processes. Its clients wait. */
  pause(): void {
    if (this.#runs) signalTree(this.#child!.pid!, 'SIGSTOP');
  }

  resume(): void {
    if (this.#runs) signalTree(this.#child!.pid!, 'SIGCONT');
  }
}

const LOG_ENTRIES = 100;
const LOG_LINES = 12;
const RESTART_MS = 20_000;
const TO_END_MS = 1_500;

/**
 * Sends a signal to a process before its child processes, because a stopped or dead process starts no more children.
 */
function signalTree(pid: number, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  if (process.platform === 'win32') return;
  const started = descendantsOf(pid);
  for (const one of [pid, ...started]) {
    try {
      process.kill(one, signal);
    } catch {
      // the process has ended
    }
  }
}

/** Sends a signal to a process and, for SIGKILL, to its child processes. */
function signalGroup(child: Child, signal: 'SIGQUIT' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    if (signal === 'SIGKILL' && process.platform !== 'win32') process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    child.kill(signal); // the process does not lead a group yet, or has ended
  }
}
