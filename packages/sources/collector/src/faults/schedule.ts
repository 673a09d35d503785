import type { Random } from '@isolab/workloads';

/** Faults between and inside the nodes of a database. */
export const FAULT_KINDS = {
  kill: 'ends a server with kill −9, and starts it again on its data',
  pause: 'stops a server with SIGSTOP, and lets it go on',
  delay: 'holds back every packet between clients and a node for a while',
  cut: 'lets nothing through between clients and a node, and goes on where it stopped',
  reset: 'resets the connections of all clients to a node',
  think: 'lets clients wait between their statements',
} as const;
export type FaultKind = keyof typeof FAULT_KINDS;

export const isFaultKind = (word: string): word is FaultKind => Object.hasOwn(FAULT_KINDS, word);

const NETWORK: ReadonlySet<FaultKind> = new Set(['delay', 'cut', 'reset']);

/** Returns whether it strikes between clients and nodes. */
export const isOfNetwork = (kind: FaultKind): boolean => NETWORK.has(kind);

interface Fault {
  readonly kind: FaultKind;
  /** Number of the affected node, from 0; none where the fault affects clients. */
  readonly node?: number;
  /** Milliseconds that it lasts; 0 for a reset, which is over at once. */
  readonly lastsMs: number;
  /** Delay of each packet in milliseconds, or longest thinking before each statement. */
  readonly delayMs?: number;
}

export interface DrawnFault extends Fault {
  /** Milliseconds between the end of the fault before it, or the beginning of the sessions, and its own beginning. */
  readonly afterMs: number;
}

export interface ScheduledFault extends Fault {
  /** Milliseconds between the beginning of the history's clock and its own beginning. */
  readonly atMs: number;
}

export type PlannedFault = DrawnFault | ScheduledFault;

/** Faults to inject: drawn at run time or fixed by a schedule. */
export type FaultOptions = DrawnFaults | ScheduledFaults;

interface DrawnFaults {
  readonly kinds: readonly FaultKind[];
  /** Milliseconds between two faults, on average. */
  readonly everyMs: number;
}

export interface ScheduledFaults {
  readonly kinds: readonly FaultKind[];
  readonly schedule: readonly ScheduledFault[];
}

/** Returns the faults from a time of the history's clock on. A collection that continues injects none twice. */
export const plannedFaults = (
  options: FaultOptions,
  nodes: number,
  fromMs: number,
  random: Random,
): Iterable<PlannedFault> =>
  'schedule' in options ? options.schedule.filter(({ atMs }) => atMs >= fromMs) : drawnFaults(options, nodes, random);

/** Faults of a seed, one after another, for as long as they are asked for. */
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
