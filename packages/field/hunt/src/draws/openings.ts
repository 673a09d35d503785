import { type Draw, SQL } from './space.ts';

/** Rollbacks show writes that are seen although their transaction undid them. */
const ROLLBACKS = { rollbacks: '0.1' };
/** Slow reads show versions that a database removes while a snapshot needs them. */
const SLOW_READS = { ...ROLLBACKS, 'slow-reads': '0.05' };
/** Statements that a database may refuse, which are then left out. */
const STATEMENTS = { ...ROLLBACKS, savepoints: '0.1', 'empty-changes': '0.1' };

type Settings = Draw['set'];

/** Returns a draw with small histories for short turns. */
const opening = (workload: string, sessions: number, set: Settings, layout: string | null = null): Draw => ({
  workload,
  set,
  layout,
  sessions,
  transactions: 2000,
});

/**
 * Keys that live for four writes: PostgreSQL 12.3 misses a conflict on a row that was inserted and updated
 * concurrently.
 */
const SHORT = {
  keys: '6',
  distribution: 'uniform',
  'writes-per-key': '4',
  'min-operations': '2',
  'max-operations': '4',
};

const lists = (layout: string | null, added: Settings): Draw =>
  opening('list-append', 16, { ...SHORT, ...added }, layout);
const registers = (layout: string | null, added: Settings): Draw =>
  opening('rw-register', 8, { ...SHORT, ...added }, layout);

/**
 * Blind writes among readers: they reveal the write skew of Galera and the lost updates of surrealkv, which stay hidden
 * if every read is updated.
 */
const BLIND = opening(
  'blindw',
  8,
  { keys: '10', operations: '4', reads: '0.5', load: 'true', ...SLOW_READS },
  'key=composite',
);

const schedules = (sessions: number, keys: string, isOfLists: string, layout: string | null = null): Draw =>
  opening('schedules', sessions, { template: 'any', keys, lists: isOfLists }, layout);

/** Updates of a few keys: they reveal the lost updates of H2 and surrealkv. */
const UPDATES = opening(
  'mini-transactions',
  8,
  { keys: '8', forms: 'updates', ...ROLLBACKS },
  'tables=3,read-by=mixed',
);

/** Long transactions among few clients: they reveal reads and writes that a database forgets. */
const LONG = { keys: '40', ...ROLLBACKS };
const LONG_LISTS = {
  ...LONG,
  distribution: 'uniform',
  'writes-per-key': '8',
  'min-operations': '8',
  'max-operations': '12',
};

/** Lists show the complete past of a key: they reveal fractured reads and lost appends. */
const LISTS = {
  keys: '10',
  distribution: 'exponential',
  'writes-per-key': '32',
  'min-operations': '1',
  'max-operations': '4',
};

/** Increments without reads, which a database computes itself. */
const COUNTERS = { keys: '4', 'increments-per-key': '32', 'max-operations': '4', ...STATEMENTS };

const ranges = (set: Settings): Draw => opening('ranges', 8, { ...set, ...STATEMENTS });

/** Searches, changes and deletes by predicate, also of no row. */
const rows = (mix: string): Draw =>
  opening('rows', 8, { rows: '8', operations: '4', mix, reuse: '0.3', ...STATEMENTS });

/**
 * Readers among pairs of writers: they reveal PostgreSQL's read-only anomalies, which need several concurrent commits.
 */
const REPORTS = opening('reports', 16, { pairs: '6' });

/** Locking reads through an index with the value: in MariaDB they read newer rows than the snapshot. */
const LOCKED = registers('index=covering,read-by=index', { 'locking-reads': '0.3', 'early-snapshots': '0.5' });

/** Kills need histories that end by time: of a quick database, 2,000 transactions end before the first kill. */
const killed = (draw: Draw): Draw => ({ ...draw, transactions: 50_000, kills: true });

/** Transactions of published reports and papers in SQL. */
const REPORTED = opening(SQL, 3, {});

/** An integer key takes other paths than a text: in SQLite's family, it is the number of the row. */
const INTEGER = 'key=integer';
/** Keys that a plain INSERT creates, which two transactions may both succeed with. */
const INSERTED = 'key=integer,write=update';

/**
 * Workloads that are tried first, because they found violations in released databases, or each ask for something else.
 * Workloads with new keys have found most.
 */
export const OPENINGS: readonly Draw[] = [
  lists(INTEGER, SLOW_READS),
  rows('even'),
  registers(null, SLOW_READS),
  lists(null, SLOW_READS),
  ranges({ keys: '8', operations: '3', mix: 'RQH', width: '3', 'slow-reads': '0.05' }),
  REPORTED,
  killed(lists(INTEGER, {})),
  opening('counters', 16, COUNTERS, INTEGER),
  opening('list-append', 4, LONG_LISTS),
  BLIND,
  ranges({ keys: '6', operations: '4', mix: 'IDH', width: '3' }),
  schedules(16, '0', 'false', INTEGER),
  LOCKED,
  rows('set'),
  rows('phantoms'),
  registers(INTEGER, STATEMENTS),
  UPDATES,
  killed(rows('even')),
  REPORTED,
  lists(INSERTED, STATEMENTS),
  opening('list-append', 8, { ...LISTS, ...ROLLBACKS }, INTEGER),
  rows('points'),
  ranges({ keys: '40', operations: '4', mix: 'B', width: '0' }),
  schedules(8, '6', 'true'),
  opening('general', 4, { ...LONG, operations: '12', reads: '0.5' }, 'index=value'),
  REPORTS,
  opening('doctors', 8, { shifts: '2' }),
  opening('batch', 8, {}),
];
