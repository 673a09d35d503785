import { AsyncLocalStorage } from 'node:async_hooks';
import process from 'node:process';
import { errorText } from './errors.ts';
import { forbidEnding } from './own-process.ts';

/**
 * Keeps the code of a plug-in that runs in this thread from ending the process. It does so as long as the thread lives,
 * for the timers of the plug-in may come late. The asynchronous context distinguishes its calls from ours. This is no
 * wall: code that means harm runs in a process of its own, which is the default unless this thread is asked for.
 */
export interface Guarded<T> {
  readonly result: Promise<T>;
  /** Attempt of the code to end the process, or its uncaught error; null if neither. */
  offence(): string | null;
  /** Called at once with the first offence. */
  onOffence(listener: (offence: string) => void): void;
  /** Reports later offences on standard error, and no longer prevents them. */
  release(): void;
}

class Ward {
  offence: string | null = null;
  listener: ((offence: string) => void) | null = null;
  isReleased = false;

  note(offence: string): void {
    if (this.isReleased) process.stderr.write(`isolab: after its verdict, the checker ${offence}.\n`);
    else if (this.offence === null) {
      this.offence = offence;
      this.listener?.(offence);
    }
  }
}

/** Runs code of a plug-in; everything that comes of it, timers and promises too, counts as its own. */
export function guarded<T>(run: () => T | Promise<T>): Guarded<T> {
  install();
  const ward = new Ward();
  return {
    result: wards.run(ward, async () => run()),
    offence: () => ward.offence,
    onOffence: (listener) => {
      ward.listener = listener;
      if (ward.offence !== null) listener(ward.offence);
    },
    release: () => {
      ward.isReleased = true;
    },
  };
}

const wards = new AsyncLocalStorage<Ward>();
let isInstalled = false;

function install(): void {
  if (isInstalled) return;
  isInstalled = true;
  forbidEnding((call) => {
    const ward = wards.getStore();
    ward?.note(call);
    if (ward === undefined) return 'allowed';
    return ward.isReleased ? 'ignored' : 'forbidden';
  });
  // Output of a checker must not get into standard output, which may be one JSON object.
  const write = process.stdout.write.bind(process.stdout) as (...args: unknown[]) => boolean;
  const toError = process.stderr.write.bind(process.stderr) as (...args: unknown[]) => boolean;
  process.stdout.write = (...args: unknown[]) => (wards.getStore() === undefined ? write(...args) : toError(...args));
  // Not a listener: other listeners would treat it as an error of ours.
  const emit = process.emit.bind(process) as (...args: unknown[]) => boolean;
  process.emit = ((event: string, ...args: unknown[]) => {
    const ward = UNCAUGHT.has(event) ? wards.getStore() : undefined;
    if (ward === undefined) return emit(event, ...args);
    ward.note(`threw an uncaught error: ${shownError(args[0])}`);
    return true;
  }) as typeof process.emit;
}

const UNCAUGHT: ReadonlySet<string> = new Set(['uncaughtException', 'unhandledRejection']);

function shownError(error: unknown): string {
  const { name, message } = errorText(error);
  return `${name}: ${message}`;
}
