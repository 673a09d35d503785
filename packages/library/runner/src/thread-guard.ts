import { AsyncLocalStorage } from 'node:async_hooks';
import process from 'node:process';
import { errorText } from './errors.ts';
import { forbidEnding } from './own-process.ts';

/**
 * Prevents the code of a plug-in in this thread from ending the process. It stays active as long as the thread lives,
 * because timers of the plug-in may fire late. The asynchronous context distinguishes the plug-in's calls from ours. It
 * is not a security boundary: malicious code belongs in a separate process, which is the default.
 */
export interface Guarded<T> {
  readonly result: Promise<T>;
  /** The plug-in's attempt to end the process, or its uncaught error; null if there was none. */
  offence(): string | null;
  /** Calls the listener immediately at the first offence. */
  onOffence(listener: (offence: string) => void): void;
  /** From now on, reports offences on standard error instead of preventing them. */
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

/** Runs code of a plug-in. Timers and promises that the code creates are attributed to the plug-in. */
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
  // Output of a checker must not reach standard output, which may have to be one JSON object.
  const write = process.stdout.write.bind(process.stdout) as (...args: unknown[]) => boolean;
  const toError = process.stderr.write.bind(process.stderr) as (...args: unknown[]) => boolean;
  process.stdout.write = (...args: unknown[]) => (wards.getStore() === undefined ? write(...args) : toError(...args));
  // Overridden instead of adding a listener, because other listeners would treat the error as ours.
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
