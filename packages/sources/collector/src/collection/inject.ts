import type { Random } from '@isolab/workloads';
import type { Database, ProcessFaults } from '../database/database.ts';
import { CollectorError, LastingFault } from '../database/errors.ts';
import type { Journal } from './journal.ts';
import { Interrupted, pause } from '@isolab/engines';
import type { Stop } from './stop.ts';
import type { Proxies } from '../database/proxies.ts';
import {
  type FaultOptions,
  type PlannedFault,
  type ScheduledFaults,
  isOfNetwork,
  plannedFaults,
} from '../faults/schedule.ts';

export interface Injecting {
  readonly faults: FaultOptions;
  readonly database: Database;
  readonly proxies: Proxies | null;
  readonly thinking: Thinking;
  readonly journal: Journal;
  readonly clock: () => bigint;
  /** Start of the clock, in nanoseconds; greater than 0 where the collection continues an earlier run. */
  readonly from: bigint;
  readonly random: Random;
}

/** Pauses of clients between their statements. */
export class Thinking {
  /** Longest pause; 0 for no pauses. */
  maxMs = 0;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  wait(): Promise<void> {
    return pause(this.#random.fraction() * this.maxMs);
  }
}

/** Fails if the database does not support one of the kinds of fault. */
export function insistOnFaults(options: FaultOptions, { faults }: Database, proxies: Proxies | null): void {
  const { kinds } = options;
  for (const kind of kinds) {
    if ((kind === 'kill' || kind === 'pause') && faults === undefined)
      throw new CollectorError(
        `The fault ${kind} needs a server that isolab starts, such as --db postgres@18.4, or a driver whose data outlive its process. A database at another address allows the faults delay, cut, reset and think.`,
      );
    if (isOfNetwork(kind) && (proxies === null || proxies.nodes.length === 0))
      throw new CollectorError(
        `The fault ${kind} needs a database at a TCP address, postgres://… or mysql://…, or a PostgreSQL or MySQL server that isolab starts.`,
      );
  }
  if ('schedule' in options) insistOnNodes(options, faults?.nodes ?? 0, proxies?.nodes.length ?? 0);
}

/** Refuses a schedule for more nodes, because it would strike other nodes here. */
function insistOnNodes({ schedule }: ScheduledFaults, servers: number, proxied: number): void {
  for (const { kind, node = 0 } of schedule) {
    const there = isOfNetwork(kind) ? proxied : servers;
    if (kind !== 'think' && node >= there)
      throw new CollectorError(
        `The schedule applies the fault ${kind} to node ${node}, but there ${there === 1 ? 'is one node, 0' : `are ${there} nodes, from 0 on`}.`,
      );
  }
}

/** Runs the sessions, injects faults until their time is over, and repairs the damage. */
export async function duringFaults(
  stop: Stop,
  injecting: Injecting | undefined,
  seconds: number | undefined,
  sessions: readonly (() => Promise<void>)[],
): Promise<void> {
  if (injecting === undefined) return stop.during(sessions);
  const over = new AbortController();
  let running = sessions.length;
  const ended = (): void => void (--running === 0 && over.abort());
  const signal = AbortSignal.any([over.signal, stop.signal]);
  // Where a server restarts more slowly than faults strike, the reads at the end would never come through.
  const timer = setTimeout(() => over.abort(), Math.min(1000 * (seconds ?? Infinity), LONGEST_TIMER_MS));
  try {
    await stop.during([
      () => injectFaults(injecting, signal),
      ...sessions.map((session) => () => session().finally(ended)),
    ]);
  } finally {
    clearTimeout(timer);
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Injects faults until the signal aborts, then repairs the damage. */
async function injectFaults(injecting: Injecting, signal: AbortSignal): Promise<void> {
  const { faults, database, proxies, journal, clock, from, random } = injecting;
  const nodes = Math.max(1, database.faults?.nodes ?? 0, proxies?.nodes.length ?? 0);
  let id = 0;
  for (const planned of plannedFaults(faults, nodes, Number(from) / 1e6, random)) {
    if ('afterMs' in planned) await pause(planned.afterMs, signal);
    else await pauseUntil(planned.atMs, clock, signal);
    if (signal.aborted) return;
    const number = ++id;
    journal.faultBegins({ id: number, ...describedBy(planned), begin: clock() });
    try {
      await strike(planned, injecting, signal);
    } finally {
      journal.faultEnds(number, clock());
    }
  }
}

/** Timers drop fractions of a millisecond and may fire a millisecond early; a scheduled fault must not start early. */
async function pauseUntil(atMs: number, clock: () => bigint, signal: AbortSignal): Promise<void> {
  const left = (): number => atMs - Number(clock()) / 1e6;
  while (left() > 0 && !signal.aborted) await pause(Math.ceil(left()), signal);
}

const describedBy = ({ kind, node, delayMs, lastsMs }: PlannedFault) => ({
  kind,
  lastsMs,
  ...(node !== undefined && { node }),
  ...(delayMs !== undefined && { delayMs }),
});

async function restarted(servers: ProcessFaults, node: number): Promise<void> {
  try {
    await servers.restart(node);
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    throw new LastingFault((error as Error).message, { cause: error });
  }
}

/** Starts the fault, waits for its duration, and ends it. */
async function strike(
  { kind, node = 0, lastsMs, delayMs = 0 }: PlannedFault,
  { database, proxies, thinking }: Injecting,
  signal: AbortSignal,
): Promise<void> {
  const lasting = (): Promise<void> => pause(lastsMs, signal);
  const servers = (): ProcessFaults => database.faults!;
  const proxy = proxies?.nodes[node % proxies.nodes.length];
  switch (kind) {
    case 'kill':
      await servers().kill(node % servers().nodes);
      await lasting();
      return restarted(servers(), node % servers().nodes);
    case 'pause':
      await servers().pause(node % servers().nodes);
      await lasting();
      return servers().resume(node % servers().nodes);
    case 'delay':
      proxy!.delay(delayMs);
      await lasting();
      return proxy!.heal();
    case 'cut':
      proxy!.shut();
      await lasting();
      return proxy!.heal();
    case 'reset':
      return proxy!.reset();
    case 'think':
      thinking.maxMs = delayMs;
      await lasting();
      thinking.maxMs = 0;
  }
}
