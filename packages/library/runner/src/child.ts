import { type ChildProcess, fork } from 'node:child_process';
import process from 'node:process';
import type { Writable } from 'node:stream';
import { started } from '@isolab/history/started';
import { entryPoint } from './entry-point.ts';
import { COLUMNS_PIPE, type ToProcess } from './job.ts';
import { passOn } from './printed.ts';

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of its output. */
  readonly tail: string;
}

export interface ChildOptions {
  /** The URL of the checker or plug-in that it is to load. */
  readonly checker: string;
  readonly memoryBytes?: number | undefined;
  /** Called with each message of the process, which may be anything: the code of a plug-in can write there, too. */
  readonly onMessage: (message: unknown) => void;
  /** Called where it could not be started, and `onEnd` is not. */
  readonly onFailure: (error: Error) => void;
  /** Called once, when the process is gone. */
  readonly onEnd: (ending: Ending) => void;
}

/** A process of our own that runs code of others, see process-main.ts. */
export interface Child {
  readonly pid: number | undefined;
  /** Receiver of the columns of a history. */
  readonly columns: Writable;
  send(message: ToProcess): void;
  /** Ends the process and its child processes. */
  kill(): void;
}

/**
 * Starts a process. It leads its own process group: child processes of a plug-in end with it. Whatever the plug-in
 * leaves after that holds the output open, `onEnd` is called a moment after the process is gone.
 */
export function startChild({ checker, memoryBytes, onMessage, onFailure, onEnd }: ChildOptions): Child {
  const child = started(
    fork(entryPoint('process-main', checker), [], {
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
      execArgv: [...process.execArgv, ...heapLimit(memoryBytes)],
      detached: HAS_GROUPS,
    }),
    (error) => {
      if (child.pid === undefined) fail(error);
      else killGroup(child); // the message was malformed
    },
  );
  const tail = passOn([child.stdout, child.stderr]);
  const columns = child.stdio[COLUMNS_PIPE] as Writable;
  columns.on('error', () => {}); // the process is gone, as its end reports
  let hasEnded = false;
  let limit: NodeJS.Timeout | undefined;

  const end = (code: number | null, signal: NodeJS.Signals | null): void => {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(limit);
    killGroup(child);
    for (const stream of child.stdio) stream?.destroy();
    if (child.connected) child.disconnect();
    onEnd({ code, signal, tail: tail() });
  };
  child.on('message', (message: unknown) => {
    if (!hasEnded) onMessage(message);
  });
  const fail = (error: Error): void => {
    if (!hasEnded) onFailure(error);
    hasEnded = true;
  };
  child.on('exit', (code, signal) => {
    limit = setTimeout(() => end(code, signal), CLOSE_LIMIT_MS);
  });
  // Messages and output that are still under way come before it.
  child.on('close', end);
  return {
    pid: child.pid,
    columns,
    send: (message) => {
      if (child.connected) child.send(message, () => {}); // an error means that it is gone, as its end reports
    },
    kill: () => killGroup(child),
  };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  if (!HAS_GROUPS) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}

const heapLimit = (memoryBytes: number | undefined): string[] =>
  memoryBytes === undefined ? [] : [`--max-old-space-size=${Math.max(32, Math.ceil(memoryBytes / 2 ** 20))}`];

const HAS_GROUPS = process.platform !== 'win32';
/** Time that output may take to end after the process has: something that it started may hold it open. */
const CLOSE_LIMIT_MS = 500;
