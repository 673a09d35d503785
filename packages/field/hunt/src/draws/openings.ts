import { type Draw, SQL } from './space.ts';

const short = (workload: string, sessions: number): Draw => ({
  workload,
  layout: null,
  set: { keys: '6', distribution: 'uniform', 'writes-per-key': '4', 'min-operations': '2', 'max-operations': '4' },
  sessions,
  transactions: 2000,
});

/**
 * Keys that live for four writes: PostgreSQL 12.3 misses a conflict on a row that was inserted and updated
 * concurrently.
 */
const SHORT_LISTS = short('list-append', 16);
const SHORT_REGISTERS = short('rw-register', 8);

/**
 * Blind writes among readers: they reveal the write skew of Galera and the lost updates of surrealkv, which stay hidden
 * if every read is updated.
 */
const BLIND: Draw = {
  workload: 'blindw',
  set: { keys: '10', operations: '4', reads: '0.5', load: 'true' },
  layout: null,
  sessions: 8,
  transactions: 1000,
};

const schedules = (sessions: number, keys: string, lists: string): Draw => ({
  workload: 'schedules',
  set: { template: 'any', keys, lists },
  layout: null,
  sessions,
  transactions: 1000,
});

/** Updates of a few keys: they reveal the lost updates of H2 and surrealkv. */
const UPDATES: Draw = {
  workload: 'mini-transactions',
  set: { keys: '8', forms: 'updates' },
  layout: null,
  sessions: 8,
  transactions: 1000,
};

/** Lists show the complete past of a key: they reveal fractured reads and lost appends. */
const LISTS: Draw = {
  workload: 'list-append',
  set: {
    keys: '10',
    distribution: 'exponential',
    'writes-per-key': '32',
    'min-operations': '1',
    'max-operations': '4',
  },
  layout: null,
  sessions: 8,
  transactions: 2000,
};

const RANGES: Draw = {
  workload: 'ranges',
  set: { keys: '15', operations: '4', mix: 'B', width: '3' },
  layout: null,
  sessions: 8,
  transactions: 1000,
};

/**
 * Readers among pairs of writers: they reveal PostgreSQL's read-only anomalies, which need several concurrent commits.
 */
const REPORTS: Draw = { workload: 'reports', set: { pairs: '6' }, layout: null, sessions: 16, transactions: 4000 };

/** Locking reads through an index with the value: in MariaDB they read newer rows than the snapshot. */
const LOCKED: Draw = {
  ...SHORT_REGISTERS,
  layout: 'index=covering,read-by=index',
  set: { ...SHORT_REGISTERS.set, 'locking-reads': '0.3', 'early-snapshots': '0.5' },
};

/** Transactions of published reports and papers in SQL. */
const REPORTED: Draw = { workload: SQL, set: {}, layout: null, sessions: 3, transactions: 500 };

/** An integer key takes other paths than a text: in SQLite's family, it is the number of the row. */
const integer = (draw: Draw): Draw => ({ ...draw, layout: 'key=integer' });

/**
 * Workloads that are tried first, because they found violations in released databases. Workloads with new keys have
 * found most.
 */
export const OPENINGS: readonly Draw[] = [
  integer(SHORT_LISTS),
  SHORT_REGISTERS,
  BLIND,
  REPORTED,
  SHORT_LISTS,
  LOCKED,
  integer(schedules(16, '0', 'false')),
  integer(SHORT_REGISTERS),
  UPDATES,
  SHORT_LISTS,
  REPORTED,
  integer(LISTS),
  SHORT_REGISTERS,
  schedules(8, '6', 'true'),
  RANGES,
  REPORTS,
];
