import { type ChildProcess, fork } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Asked, Said } from './child.ts';

/** A command that runs in its own process. */
export interface Running {
  /** Lines on standard error so far, and printed lines. */
  readonly notes: readonly string[];
  readonly printed: readonly string[];
  /** Exit code; null if it was killed. */
  readonly code: Promise<number | null>;
  readonly stdin: Writable;
  interrupt(): void;
  kill(): void;
}

/** Processes that wait for commands, because starting one takes longer than its work. */
export class Workers {
  #waiting: Promise<ChildProcess> | null = null;

  /** `isFresh`: the command reads standard input, which a process can read only once. */
  async run(words: readonly string[], folder: string, isFresh: boolean): Promise<Running> {
    const child = await (this.#waiting ?? startChild());
    this.#waiting = isFresh ? startChild() : null;
    const [notes, printed]: [string[], string[]] = [[], []];
    let isOver = false; // then the process runs another command
    const code = new Promise<number | null>((resolve) => {
      const end = (): void => {
        isOver = true;
        this.#waiting ??= startChild();
        resolve(null);
      };
      child.once('exit', end);
      child.on('message', (said: Said) => {
        if (said.kind === 'note') notes.push(said.text);
        else if (said.kind === 'out') printed.push(said.text);
        else if (said.kind === 'done') {
          isOver = true;
          child.removeAllListeners();
          if (isFresh) child.kill('SIGKILL');
          else this.#waiting ??= Promise.resolve(child);
          resolve(said.code);
        }
      });
    });
    child.send({ words, folder } satisfies Asked);
    return {
      notes,
      printed,
      code,
      stdin: child.stdin!,
      interrupt: () => void (isOver || child.send('interrupt' satisfies Asked, () => {})),
      kill: () => void (isOver || child.kill('SIGKILL')),
    };
  }

  async close(): Promise<void> {
    (await this.#waiting)?.kill('SIGKILL');
  }
}

/** Starts a process and waits until it is ready. */
function startChild(): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const path = new URL('../../dist/streams/child.js', import.meta.url); // tests run from src
    const child = fork(path, { stdio: ['pipe', 'ignore', 'inherit', 'ipc'] });
    child.stdin!.on('error', () => {}); // it was killed
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`A process did not start: exit code ${code}.`)));
    child.once('message', () => {
      child.removeAllListeners();
      resolve(child);
    });
  });
}
