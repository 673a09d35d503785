import type { InternalAnomalyName } from '@isolab/history';
import { KNOWN_LEVELS, implies } from './levels.ts';
import type { LevelName } from '@isolab/levels';

/** An anomaly. Its name is Elle's if Elle has a name for it. */
export interface Anomaly<Name extends string = AnomalyName> {
  readonly name: Name;
  readonly title: string;
  /** Names in Plume (TAP a to n), MTC, Adya and other papers. */
  readonly aliases: readonly string[];
}

export type AnomalyName =
  | (typeof INTERNAL_ANOMALY_NAMES)[InternalAnomalyName]['name']
  | CyclicName
  | PredicateName
  | ClaimName;

type CyclicName = (typeof CYCLIC_ANOMALIES)[number]['name'];

type PredicateName =
  | typeof INCONSISTENT_AGGREGATE
  | 'G1-predicate'
  | 'PMP'
  | (typeof OVER_PREDICATES)[keyof typeof OVER_PREDICATES];

export type ClaimName = (typeof CLAIM_ANOMALIES)[number]['name'];

/** Anomaly that involves more than one read and its writer. */
export interface OrderAnomaly<Name extends string = AnomalyName> extends Anomaly<Name> {
  /** The weakest levels that forbid the anomaly in any form; none if the anomaly defines a level of its own. */
  readonly forbiddenBy: readonly LevelName[];
}

/** The names of the internal anomalies that packages/core/history finds. */
export const INTERNAL_ANOMALY_NAMES = {
  'thin-air-read': {
    name: 'thin-air-read',
    title: 'a read of a value that no transaction wrote',
    aliases: ['garbage-read', 'ThinAirRead', 'TAP-a'],
  },
  'aborted-read': {
    name: 'G1a',
    title: 'a read from an aborted transaction',
    aliases: ['aborted-read', 'AbortedRead', 'TAP-b', 'dirty-read', 'P1'],
  },
  'future-read': {
    name: 'future-read',
    title: 'a read of a value that the same transaction writes later',
    aliases: ['internal', 'FutureRead', 'TAP-c'],
  },
  'not-my-own-write': {
    name: 'not-my-own-write',
    title: 'a read that misses an earlier write of the same transaction',
    aliases: ['internal', 'NotMyOwnWrite', 'TAP-d'],
  },
  'not-my-last-write': {
    name: 'not-my-last-write',
    title: 'a read that returns an earlier write of the same transaction instead of its latest',
    aliases: ['internal', 'NotMyLastWrite', 'TAP-e'],
  },
  'intermediate-read': {
    name: 'G1b',
    title: 'a read of a value that its writer overwrote before it committed',
    aliases: ['intermediate-read', 'IntermediateRead', 'TAP-f'],
  },
  'non-repeatable-read': {
    name: 'non-repeatable-read',
    title: 'two reads of one key that return different values',
    aliases: ['fuzzy-read', 'NonRepeatableRead', 'TAP-j', 'P2', 'internal'],
  },
} as const satisfies Readonly<Record<InternalAnomalyName, Anomaly<string>>>;

/**
 * The anomalies that involve more than one read. Names are Elle's if Elle has a name (short cycles of real time have
 * plainer names: a stale read is a G-single-realtime of two transactions). Aliases are the names of Plume's patterns
 * (TAP), and of the mini-transactions paper, Adya, and Berenson et al. (P0 to P4, A5A, A5B).
 */
export const CYCLIC_ANOMALIES = [
  {
    name: 'cyclic-polygraph',
    title: 'a polygraph with a cycle under every choice',
    aliases: [],
    forbiddenBy: ['serializable'],
  },
  {
    name: 'forbidden-walk',
    title: 'a walk along relations that an axiom of the level forbids',
    aliases: [],
    forbiddenBy: [],
  },
  {
    name: 'incompatible-order',
    title: 'two reads of a list that disagree on the order of its elements',
    aliases: ['incompatible-orders'],
    forbiddenBy: ['read-committed-pl2', 'linearizable'],
  },
  {
    name: 'duplicate-elements',
    title: 'a list that holds an element twice',
    aliases: ['duplicate-write'],
    forbiddenBy: ['read-committed-pl2', 'linearizable'],
  },
  {
    name: 'G0',
    title: 'a cycle of write dependencies',
    aliases: ['dirty-write', 'write-cycle', 'P0'],
    forbiddenBy: ['read-committed'],
  },
  {
    name: 'G1c',
    title: 'a cycle of session order and read-from',
    aliases: ['cyclic-information-flow', 'CyclicCO', 'TAP-g'],
    forbiddenBy: ['read-committed'],
  },
  {
    name: 'non-monotonic-read',
    title: 'a transaction reads from another transaction, then reads an older version of a key that the other wrote',
    aliases: ['NonMonoReadCO', 'NonMonoReadCM', 'NonMonoReadAO', 'TAP-h', 'TAP-i', 'NonMonotonicRead'],
    forbiddenBy: ['read-committed-dbcop'],
  },
  {
    name: 'fractured-read',
    title: 'a transaction sees some writes of another transaction but not the rest',
    aliases: ['FracturedReadCO', 'FracturedReadCM', 'FracturedReadAO', 'TAP-k', 'TAP-l', 'FracturedRead'],
    forbiddenBy: ['read-atomic'],
  },
  {
    name: 'session-guarantee-violation',
    title: 'a transaction misses something that its session wrote or read earlier',
    aliases: ['SessionGuaranteeViolation'],
    forbiddenBy: ['causal'],
  },
  {
    name: 'causality-violation',
    title: 'a transaction misses a write that causally precedes it',
    aliases: ['COConflictCM', 'COConflictAO', 'ConflictCM', 'ConflictAO', 'TAP-m', 'TAP-n', 'CausalityViolation'],
    forbiddenBy: ['causal'],
  },
  {
    name: 'G-nonadjacent',
    title: 'two transactions see two others in opposite orders',
    aliases: ['long-fork', 'LongFork', 'G-SIb'],
    forbiddenBy: ['prefix'],
  },
  {
    name: 'lost-update',
    title: 'two transactions overwrite the same version',
    aliases: ['P4', 'LostUpdate', 'divergence'],
    forbiddenBy: ['adya-snapshot-isolation', 'linearizable'],
  },
  {
    name: 'G-single',
    title: 'a cycle with one anti-dependency',
    aliases: ['read-skew', 'A5A', 'ReadSkew'],
    forbiddenBy: ['snapshot-isolation'],
  },
  {
    name: 'G2-item',
    title: 'a cycle of anti-dependencies',
    aliases: ['write-skew', 'A5B', 'WriteSkew'],
    forbiddenBy: ['serializable'],
  },
  {
    name: 'stale-read',
    title: 'a transaction misses another transaction that returned before it was called',
    aliases: ['real-time-violation', 'G-single-realtime'],
    forbiddenBy: ['strict-serializable', 'strong-snapshot-isolation'],
  },
  {
    name: 'early-read',
    title: 'a transaction sees another transaction that had not yet committed in real time',
    aliases: ['G1c-realtime'],
    forbiddenBy: ['strong-snapshot-isolation'],
  },
  // Name with Elle's suffix for the edges other than dependencies.
  {
    name: 'G-single-process',
    title: 'a cycle of session order with one anti-dependency',
    aliases: [],
    forbiddenBy: ['snapshot-isolation'],
  },
  {
    name: 'G-nonadjacent-process',
    title: 'two transactions see two others in opposite orders, counting session order',
    aliases: [],
    forbiddenBy: ['prefix'],
  },
  {
    name: 'G2-item-process',
    title: 'a cycle of session order and anti-dependencies',
    aliases: [],
    forbiddenBy: ['serializable'],
  },
  {
    name: 'G0-realtime',
    title: 'a real-time cycle with session order or write dependencies',
    aliases: [],
    forbiddenBy: ['strict-serializable', 'strong-snapshot-isolation'],
  },
  {
    name: 'G1c-realtime',
    title: 'a real-time cycle with read dependencies',
    aliases: [],
    forbiddenBy: ['strict-serializable', 'strong-snapshot-isolation'],
  },
  {
    name: 'G-single-realtime',
    title: 'a real-time cycle with one anti-dependency',
    aliases: [],
    forbiddenBy: ['strict-serializable', 'strong-snapshot-isolation'],
  },
  {
    name: 'G-nonadjacent-realtime',
    title: 'a real-time cycle with nonadjacent anti-dependencies',
    aliases: [],
    forbiddenBy: ['strict-serializable', 'strong-snapshot-isolation'],
  },
  {
    name: 'G2-item-realtime',
    title: 'a real-time cycle with anti-dependencies',
    aliases: [],
    forbiddenBy: ['strict-serializable'],
  },
] as const satisfies readonly OrderAnomaly<string>[];

/**
 * Name of a contradiction between aggregates and the rest of the history that differs with the rows that are assumed
 * for the aggregates.
 */
export const INCONSISTENT_AGGREGATE = 'inconsistent-aggregate';

/** Names of item anomalies when they depend on which rows match a predicate. */
const OVER_PREDICATES = {
  'lost-update': 'lost-update-predicate',
  'G-single': 'G-single-predicate',
  'G-single-process': 'G-single-predicate-process',
  'G-single-realtime': 'G-single-predicate-realtime',
  'G-nonadjacent': 'G-nonadjacent-predicate',
  'G-nonadjacent-process': 'G-nonadjacent-predicate-process',
  'G-nonadjacent-realtime': 'G-nonadjacent-predicate-realtime',
  'G2-item': 'G2',
  'G2-item-process': 'G2-process',
  'G2-item-realtime': 'G2-realtime',
} as const satisfies { readonly [Name in CyclicName]?: string };

export const NAMES_OVER_PREDICATES = new Map(Object.entries(OVER_PREDICATES)) as ReadonlyMap<
  AnomalyName,
  PredicateName
>;

/**
 * Anomalies over rows that a scan did not return, or that only matched. Names are those of Adya and Hermitage, if they
 * have one; "phantom" covers all of these anomalies.
 */
const PREDICATE_ANOMALIES: readonly OrderAnomaly[] = [
  {
    name: INCONSISTENT_AGGREGATE,
    title: 'a count, sum, minimum or maximum that no rows visible to its transaction explain',
    aliases: [],
    forbiddenBy: [],
  },
  {
    name: 'G1-predicate',
    title: 'a scan that sees one write of a transaction and misses another',
    aliases: ['G1-predA', 'phantom', 'P3'],
    forbiddenBy: ['read-atomic'],
  },
  {
    name: 'PMP',
    title: 'two scans of one transaction that disagree on whether they see another transaction',
    aliases: ['non-repeatable-predicate-read', 'predicate-many-preceders', 'phantom', 'P3'],
    forbiddenBy: ['read-atomic'],
  },
  {
    name: 'lost-update-predicate',
    title: 'two transactions scan, both change a row of the scan, and neither sees the other',
    aliases: ['phantom', 'P3'],
    forbiddenBy: ['adya-snapshot-isolation', 'linearizable'],
  },
  ...CYCLIC_ANOMALIES.flatMap(({ name: item, title, forbiddenBy }) => {
    const name = NAMES_OVER_PREDICATES.get(item);
    if (name === undefined || name === 'lost-update-predicate') return [];
    const aliases = [...(name === 'G2' ? ['predicate-write-skew'] : []), 'phantom', 'P3'];
    return [{ name, title: `${title}, shown by the rows that match a predicate`, aliases, forbiddenBy }];
  }),
];

/** Anomalies that contradict a database's claims rather than a level. */
export const CLAIM_ANOMALIES = [
  {
    name: 'contradicted-timestamp',
    title: 'a start or commit timestamp stated by the database that the reads contradict',
    aliases: ['EXT'],
  },
] as const satisfies readonly Anomaly<string>[];

export const ALL_ANOMALIES: readonly Anomaly[] = [
  ...Object.values(INTERNAL_ANOMALY_NAMES),
  ...CYCLIC_ANOMALIES,
  ...PREDICATE_ANOMALIES,
];

/** Finds the anomaly with this name or alias, or null. */
export const findAnomaly = (word: string): Anomaly | null =>
  NAMED.find(({ name }) => name === word) ?? NAMED.find(({ aliases }) => aliases.includes(word)) ?? null;

const NAMED: readonly Anomaly[] = [...ALL_ANOMALIES, ...CLAIM_ANOMALIES];

/** Returns the weakest levels that forbid an anomaly of this name; none if it is internal or not in these tables. */
export const weakestForbidding = (name: string): readonly LevelName[] =>
  [...CYCLIC_ANOMALIES, ...PREDICATE_ANOMALIES].find((each) => each.name === name)?.forbiddenBy ?? [];

/** Returns the levels known to isolab that forbid an internal anomaly. */
export const levelsForbidding = (anomaly: InternalAnomalyName): readonly LevelName[] => FORBIDDING[anomaly];

const forbidding = (forbids: (name: LevelName) => boolean): readonly LevelName[] =>
  KNOWN_LEVELS.map(({ name }) => name).filter(forbids);

const isAnything = (name: LevelName): boolean => name === 'cut-isolation';
const isDirty = (name: LevelName): boolean => name.endsWith('read-uncommitted');
const readsWhole = forbidding((name) => !isAnything(name));
const readsClean = forbidding((name) => !isAnything(name) && !isDirty(name));

const FORBIDDING: Readonly<Record<InternalAnomalyName, readonly LevelName[]>> = {
  'thin-air-read': readsWhole,
  'not-my-own-write': readsWhole,
  'not-my-last-write': readsWhole,
  'aborted-read': readsClean,
  'intermediate-read': readsClean,
  'future-read': readsClean,
  // Linearizability is separate from the other levels.
  'non-repeatable-read': forbidding((name) => implies(name, 'cut-isolation') || name === 'linearizable'),
};
