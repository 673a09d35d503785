/**
 * A run of the command behind the recording proxy, with a schedule that is played meanwhile. It leaves a recording
 * behind, and no process.
 */
import { startRecord } from '@isolab/record';
import { Run } from './run.ts';

/** A command that uses a database. */
export interface Command {
  /**
   * Runs the command with the proxy of a port instead of the database; returns the exit code. After the signal, it ends
   * soon.
   */
  run(upstream: string, port: number, signal: AbortSignal): Promise<number>;
  /** Returns the address of a database for a run. */
  database(): Promise<string>;
  /** Returns the same address with the port of a proxy. */
  through(upstream: string, port: number): string;
}

export interface Trial {
  readonly run: Run;
  readonly upstream: string;
  readonly port: number;
  /** States that the command has ended, or is late or interrupted. */
  readonly isOver: () => boolean;
}

/** Shortest time for a run, and time for its rest after the schedule. */
const AT_LEAST_MS = 10_000;
/** Longest time in which the first run may send no statement. */
const QUIET_MS = 300_000;

interface Limits {
  readonly signal: AbortSignal;
  /** Time that a run without delays took; null for the first run. */
  readonly knownMs: number | null;
}

/** Runs the command once; `during` is called when the proxy accepts clients, and the run lasts until it is settled. */
export async function trial<T>(
  command: Command,
  path: string,
  { signal, knownMs }: Limits,
  during: (trial: Trial) => Promise<T>,
): Promise<{ readonly result: T; readonly code: number; readonly ms: number }> {
  const run = new Run();
  const upstream = await command.database();
  const running = await startRecord({ upstream, path, gate: run });
  const ends = new AbortController();
  const both = AbortSignal.any([signal, ends.signal]);
  const began = performance.now();
  const mostMs = knownMs === null ? Infinity : AT_LEAST_MS + 3 * knownMs;
  let hasEnded = false;
  const isOver = (): boolean => hasEnded || both.aborted || performance.now() - began > mostMs;
  const ended = command.run(upstream, running.port, both).finally(() => (hasEnded = true));
  ended.catch(() => {});
  const watch = setInterval(() => {
    if (run.quietMs > QUIET_MS) ends.abort();
  }, 1000);
  let rest: NodeJS.Timeout | undefined;
  try {
    const result = await during({ run, upstream, port: running.port, isOver });
    if (knownMs !== null) rest = setTimeout(() => ends.abort(), mostMs);
    const code = await ended;
    await running.finish();
    return { result, code, ms: performance.now() - began };
  } catch (error) {
    ends.abort();
    await running.finish().catch(() => {});
    throw error;
  } finally {
    clearInterval(watch);
    clearTimeout(rest);
  }
}
