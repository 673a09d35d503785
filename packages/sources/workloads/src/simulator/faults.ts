import type { LevelName } from '@isolab/contract';
import type { Rules, SimulatedLevel } from './levels.ts';

export interface Fault {
  /** Name in kebab case. */
  readonly name: string;
  readonly title: string;
  /** Weakest levels that the fault breaks. Stronger levels are broken, too. */
  readonly breaks: readonly LevelName[];
  /** Level at which the database must run, so that the fault breaks these levels and no weaker levels. */
  readonly at: SimulatedLevel;
  /** Replacement of the level's rules, where the fault affects the whole database. */
  readonly rules?: Rules;
}

const define = <Name extends string>(faults: Readonly<Record<Name, Omit<Fault, 'name'>>>) => faults;

/** Faults of the simulated database. A fault affects each transaction with the given probability. */
export const FAULTS = define({
  'dirty-read': {
    title: 'reads see uncommitted writes of others',
    breaks: ['read-committed-pl2', 'cut-isolation'],
    at: 'serializable',
  },
  'aborted-write': {
    title: 'writes of an aborted transaction stay in the database',
    breaks: ['read-committed-pl2'],
    at: 'serializable',
  },
  'intermediate-write': {
    title: 'a write is visible at once, although its transaction overwrites it later',
    breaks: ['read-committed-pl2'],
    at: 'serializable',
  },
  'non-repeatable-read': {
    title: 'reads see the newest versions instead of the snapshot',
    breaks: ['cut-isolation', 'read-atomic'],
    at: 'serializable',
  },
  'fractured-write': {
    title: 'half of the writes of a transaction become visible later than the others',
    breaks: ['read-committed'],
    at: 'prefix',
  },
  'stale-snapshot': {
    title: 'a snapshot lacks earlier transactions of the session',
    breaks: ['read-atomic'],
    at: 'serializable',
  },
  'lost-session': {
    title: 'a session moves to another replica, which lacks its earlier transactions',
    breaks: ['read-atomic'],
    at: 'causal',
  },
  partition: {
    title: 'a commit becomes visible before a transaction that it read from',
    breaks: ['causal'],
    at: 'causal',
    rules: { kind: 'replicas', causalDelivery: false, firstCommitterWins: false },
  },
  'split-snapshot': {
    title: 'replicas show independent commits in different orders (long fork)',
    breaks: ['prefix', 'adya-snapshot-isolation'],
    at: 'snapshot-isolation',
    rules: { kind: 'replicas', causalDelivery: true, firstCommitterWins: true },
  },
  'lost-update': {
    title: 'the second of two concurrent writers commits as well',
    breaks: ['adya-snapshot-isolation'],
    at: 'snapshot-isolation',
  },
  'lost-increment': {
    title: 'increments and appends add to the snapshot, and so lose those of others since then',
    breaks: ['read-committed'],
    at: 'prefix',
  },
  'write-skew': {
    title: 'a transaction commits although its reads are out of date',
    breaks: ['plain-serializable'],
    at: 'serializable',
  },
  'stale-read': {
    title: 'a snapshot is older than the transaction',
    breaks: ['strict-serializable'],
    at: 'strict-serializable',
  },
});

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** Active faults with their probabilities. */
export type Faults = Readonly<Partial<Record<FaultName, number>>>;
