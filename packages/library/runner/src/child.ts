import { type ChildProcess, fork } from 'node:child_process';
import process from 'node:process';
import type { Writable } from 'node:stream';
import { started } from '@isolab/history/started';
import { entryPoint } from './entry-point.ts';
import { COLUMNS_PIPE, type ToProcess } from './job.ts';
import { passOn } from './printed.ts';

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of the output. */
  readonly tail: string;
}

export interface ChildOptions {
  /** URL of the checker or plug-in to load. */
  readonly checker: string;
  readonly memoryBytes?: number | undefined;
  /**
   * Called with each message of the process. A message may be any value, because a plug-in can write to the channel
   * too.
   */
  readonly onMessage: (message: unknown) => void;
  /** Called if the process could not be started. `onEnd` is not called then. */
  readonly onFailure: (error: Error) => void;
  /** Called once, after the process has ended. */
  readonly onEnd: (ending: Ending) => void;
}

/** A child process of isolab that runs foreign code, see process-main.ts. */
export interface Child {
  readonly pid: number | undefined;
  readonly columns: Writable;
  send(message: ToProcess): void;
  kill(): void;
}

/**
 * Starts a process as the leader of its own process group, so that child processes of a plug-in end with it. If a
 * remaining process keeps the output open, `onEnd` is called shortly after the end of the process.
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
  columns.on('error', () => {}); // the process has ended, and `onEnd` reports it
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
  // Pending messages and output arrive before this event.
  child.on('close', end);
  return {
    pid: child.pid,
    columns,
    send: (message) => {
      if (child.connected) child.send(message, () => {}); // the process has ended, and `onEnd` reports it
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
    // The process group is empty.
  }
}

const heapLimit = (memoryBytes: number | undefined): string[] =>
  memoryBytes === undefined ? [] : [`--max-old-space-size=${Math.max(32, Math.ceil(memoryBytes / 2 ** 20))}`];

const HAS_GROUPS = process.platform !== 'win32';
/**
 * Maximum wait for the end of the output after the process has ended, because a process that it started may keep the
 * output open.
 */
const CLOSE_LIMIT_MS = 500;
