import type { Random } from '@isolab/workloads';

/** Faults between and inside the nodes of a database. */
export const FAULT_KINDS = {
  kill: 'kills a server with kill −9 and restarts it with the same data',
  pause: 'stops a server with SIGSTOP and lets it continue later',
  delay: 'delays every packet between clients and a node for a while',
  cut: 'blocks all packets between clients and a node, and delivers them later',
  reset: 'resets the connections of all clients to a node',
  think: 'makes clients wait between their statements',
} as const;
export type FaultKind = keyof typeof FAULT_KINDS;

export const isFaultKind = (word: string): word is FaultKind => Object.hasOwn(FAULT_KINDS, word);

const NETWORK: ReadonlySet<FaultKind> = new Set(['delay', 'cut', 'reset']);

/** Returns whether the fault affects the network between clients and nodes. */
export const isOfNetwork = (kind: FaultKind): boolean => NETWORK.has(kind);

interface Fault {
  readonly kind: FaultKind;
  /** Number of the affected node, from 0; absent where the fault affects clients. */
  readonly node?: number;
  /** Duration in milliseconds; 0 for a reset, which is instantaneous. */
  readonly lastsMs: number;
  /** Delay of each packet in milliseconds, or longest pause before each statement. */
  readonly delayMs?: number;
}

export interface DrawnFault extends Fault {
  /** Milliseconds from the end of the previous fault, or from the start of the sessions, to the start of this fault. */
  readonly afterMs: number;
}

export interface ScheduledFault extends Fault {
  /** Milliseconds from the start of the history's clock to the start of this fault. */
  readonly atMs: number;
}

export type PlannedFault = DrawnFault | ScheduledFault;

/** Faults to inject, either random or scheduled. */
export type FaultOptions = DrawnFaults | ScheduledFaults;

interface DrawnFaults {
  readonly kinds: readonly FaultKind[];
  /** Average time between two faults, in milliseconds. */
  readonly everyMs: number;
}

export interface ScheduledFaults {
  readonly kinds: readonly FaultKind[];
  readonly schedule: readonly ScheduledFault[];
}

/** Returns the faults after a time of the history's clock, so that a continued collection repeats no fault. */
export const plannedFaults = (
  options: FaultOptions,
  nodes: number,
  fromMs: number,
  random: Random,
): Iterable<PlannedFault> =>
  'schedule' in options ? options.schedule.filter(({ atMs }) => atMs >= fromMs) : drawnFaults(options, nodes, random);

/** Yields an endless sequence of random faults from a seed. */
export function* drawnFaults(
  { kinds, everyMs }: DrawnFaults,
  nodes: number,
  random: Random,
): Generator<DrawnFault, never> {
  for (;;) {
    const kind = random.pick(kinds);
    const afterMs = Math.round(everyMs * (0.5 + random.fraction()));
    const lastsMs = kind === 'reset' ? 0 : random.between(...LASTS_MS);
    const node = random.below(nodes);
    const [least, most] = kind === 'think' ? THINK_MS : DELAY_MS;
    const delayMs = random.between(least, most);
    yield {
      kind,
      ...(kind !== 'think' && { node }),
      afterMs,
      lastsMs,
      ...((kind === 'delay' || kind === 'think') && { delayMs }),
    };
  }
}

const LASTS_MS = [100, 1_000] as const;
const DELAY_MS = [1, 50] as const;
const THINK_MS = [5, 50] as const;
