import { LEVELS, type LevelName } from '@isolab/contract';
import type { History } from '@isolab/history';
import {
  type ClockOptions,
  type Random,
  type Rules,
  SERIALIZABLE_BY,
  type SimulatedLevel,
  findWorkload,
  resolveParameters,
  simulate,
} from '@isolab/workloads';

/** Way in which a database keeps its levels. */
interface Kind {
  readonly level: SimulatedLevel;
  readonly rules?: Rules;
  /** Strongest levels that it keeps. */
  readonly keeps: readonly LevelName[];
  /** Capability that the kind lacks: to detect that a new row matches an earlier condition, or to support lists. */
  readonly lacks?: 'tables' | 'lists';
}

const kindsOf = <Name extends string>(kinds: Readonly<Record<Name, Kind>>): Readonly<Record<Name, Kind>> => kinds;

/**
 * Not the strong session level: by its definition the commit of a read-only transaction has a place in real time, so
 * the next snapshot of the session is at least that new.
 */
const OLD_SNAPSHOTS: readonly LevelName[] = ['snapshot-isolation', 'generalized-snapshot-isolation'];

/**
 * Correct databases. Those that read a snapshot and refuse non-serializable transactions are serializable in real time:
 * a transaction that began after another one had returned is in no cycle with it, because snapshots respect that order
 * (Cahill's theorem, with the edges of real time beside those of reads). Locks respect real time too. But the values
 * that a transaction reads may be younger than its first answer, so no snapshot explains it.
 */
export const KINDS = kindsOf({
  'validated reads': {
    level: 'strict-serializable',
    keeps: ['strict-serializable', 'strong-snapshot-isolation'],
  },
  'serializable snapshots': {
    level: 'strict-serializable',
    rules: SERIALIZABLE_BY.pivots,
    keeps: ['strict-serializable', 'strong-snapshot-isolation'],
    lacks: 'tables',
  },
  locks: { level: 'strict-serializable', rules: SERIALIZABLE_BY.locks, keeps: ['strict-serializable'] },
  snapshots: { level: 'strong-snapshot-isolation', keeps: ['strong-snapshot-isolation'] },
  'old snapshots': { level: 'snapshot-isolation', keeps: OLD_SNAPSHOTS },
  'validated old snapshots': { level: 'serializable', keeps: ['serializable', ...OLD_SNAPSHOTS] },
  'old prefixes': { level: 'prefix', keeps: ['prefix', 'real-time-causal'] },
  'newest versions': { level: 'read-committed', keeps: ['oracle-read-committed'] },
  'replicas, causal': { level: 'causal', keeps: ['causal'], lacks: 'lists' },
  'replicas, read atomic': { level: 'read-atomic', keeps: ['read-atomic'], lacks: 'lists' },
});

export type KindName = keyof typeof KINDS;

export const LEVEL_NAMES: readonly LevelName[] = LEVELS.map(({ name }) => name);

export interface Drawn {
  readonly history: History;
  /** Strongest levels that the database keeps. */
  readonly keeps: readonly LevelName[];
  /** Whether brute force can check the history. */
  readonly isSmall: boolean;
}

/** Workloads of clients, with few keys so that transactions conflict. */
const WORKLOADS: readonly {
  readonly name: string;
  readonly set: Record<string, string>;
  readonly needs?: Kind['lacks'];
}[] = [
  { name: 'general', set: { keys: '2', operations: '2' } },
  { name: 'general', set: { keys: '3', operations: '3', 'read-only': '0.3' } },
  { name: 'general', set: { keys: '4', operations: '4', 'random-size': 'true' } },
  { name: 'general', set: { keys: '2', operations: '1' } },
  { name: 'general', set: { keys: '3', operations: '3', lists: 'true' }, needs: 'lists' },
  { name: 'list-append', set: { keys: '3' }, needs: 'lists' },
  { name: 'contention', set: { keys: '3' } },
  { name: 'reports', set: { pairs: '1' } },
  { name: 'ranges', set: { keys: '5', operations: '3', width: '3' } },
  { name: 'rows', set: { rows: '3', operations: '3', values: '3' }, needs: 'tables' },
  { name: 'doctors', set: { shifts: '1' }, needs: 'tables' },
  { name: 'bank-audit', set: { owners: '1' }, needs: 'tables' },
];

/** Draws a history of a correct database, whose clients have clocks that differ as the history states. */
export function draw(kind: KindName, random: Random, clocks: ClockOptions): Drawn {
  const { level, keeps, lacks, rules }: Kind = KINDS[kind];
  const { name, set } = random.pick(WORKLOADS.filter(({ needs }) => needs === undefined || needs !== lacks));
  const workload = findWorkload(name)!;
  const isMiddle = random.chance(MIDDLE);
  const { history } = simulate(workload, resolveParameters(workload, set), {
    level,
    ...(rules && { rules }),
    sessions: isMiddle ? random.between(4, 10) : random.between(2, 4),
    transactions: isMiddle ? random.between(10, 30) : random.between(1, 3),
    seed: random.below(2 ** 32),
    counts: 'all',
    retry: random.chance(0.2),
    aborts: random.chance(0.3) ? 0.1 : 0,
    unknowns: random.chance(0.4) ? 0.2 : 0,
    clocks,
  });
  const isSingle = name === 'general' && set['operations'] === '1';
  const single: readonly LevelName[] =
    isSingle && keeps.includes('strict-serializable') ? ['linearizable' as LevelName] : [];
  return { history, keeps: [...keeps, ...single], isSmall: !isMiddle };
}

/** Share of histories with a hundred transactions or more. */
const MIDDLE = 0.03;
