/**
 * The smallest histories that show each anomaly, in the notation, and the remedies. A test checks each history: the
 * weakest levels that forbid the anomaly are violated, and the violation has the anomaly's name.
 */
import type { AnomalyName } from '@isolab/contract';

interface Example {
  /** Text in the notation; null if the notation cannot state it. */
  readonly text: string | null;
  /** Advice to a user, in one or two sentences. */
  readonly remedy: string;
}

const NO_LEVEL =
  'Every level from READ COMMITTED on forbids it. A database that shows it at such a level, or a client that reports wrong results, has a bug.';
const DIRTY = 'READ COMMITTED and every stronger level forbid it.';
const SNAPSHOT =
  'Read both in one statement, or at a level with snapshots: REPEATABLE READ of PostgreSQL, SNAPSHOT of SQL Server.';
const LOST =
  'Change the row in one statement (SET n = n + 1), lock it while reading (SELECT … FOR UPDATE), or compare it while writing (WHERE version = …).';
const SKEW =
  'Use SERIALIZABLE, lock the rows that the decision reads (SELECT … FOR UPDATE), or let both transactions write one common row.';
const RANGE =
  'Use SERIALIZABLE, or a constraint of the database (UNIQUE, EXCLUDE, a foreign key): a row that does not exist yet cannot be locked.';
const SESSION =
  'Let a session read where it wrote: from the primary, or from a replica that has caught up with the session.';
const REAL_TIME =
  'Read from the primary or through consensus. A database that promises strict serializability must not answer from a stale replica.';
const CAUSAL = 'Use a database that promises causal consistency with a causal session, or a stronger level.';
const CLAIM = 'The database, its clock or its client states wrong numbers; without them the reads may be explained.';

export const EXAMPLES: Readonly<Partial<Record<AnomalyName, Example>>> = {
  'thin-air-read': { text: 'w(x,1)\nr(x,2)', remedy: NO_LEVEL },
  G1a: { text: '!w(x,1)\nr(x,1)', remedy: DIRTY },
  'future-read': { text: 'r(x,1) w(x,1)', remedy: NO_LEVEL },
  'not-my-own-write': { text: 'w(x,1)\nr(x,1) w(x,2) r(x,1)', remedy: NO_LEVEL },
  'not-my-last-write': { text: 'w(x,1) w(x,2) r(x,1)', remedy: NO_LEVEL },
  G1b: { text: 'w(x,1) w(x,2)\nr(x,1)', remedy: DIRTY },
  'non-repeatable-read': { text: 'w(x,1)\nr(x,0) r(x,1)', remedy: SNAPSHOT },
  'cyclic-polygraph': { text: null, remedy: SKEW },
  'forbidden-walk': {
    text: null,
    remedy: 'The file of the level (.lvl) states what it forbids; isolab levels show prints it.',
  },
  'incompatible-order': { text: 'a(x,1)\na(x,2)\nr(x,[1 2])\nr(x,[2 1])', remedy: NO_LEVEL },
  'duplicate-elements': {
    text: 'a(x,1)\nr(x,[1 1])',
    remedy: 'Write at most once: a client that retries an append needs a key that makes the second one fail.',
  },
  G0: { text: 'a(x,1) a(y,2)\na(x,2) a(y,1)\nr(x,[1 2])\nr(y,[1 2])', remedy: DIRTY },
  G1c: { text: 'r(x,1) w(y,1)\nr(y,1) w(x,1)', remedy: DIRTY },
  'non-monotonic-read': { text: 'w(x,1) | w(x,2) w(y,2)\nr(y,2) r(x,1)', remedy: SNAPSHOT },
  'fractured-read': { text: 'w(x,1) w(y,1)\nr(y,0) r(x,1)', remedy: SNAPSHOT },
  'session-guarantee-violation': { text: 'w(x,1) | w(x,2)\nr(x,2) | r(x,1)', remedy: SESSION },
  'causality-violation': { text: 'w(x,1)\nr(x,1) w(y,1)\nr(y,1) r(x,0)', remedy: CAUSAL },
  'G-nonadjacent': { text: 'w(x,1)\nw(y,1)\nr(x,1) r(y,0)\nr(x,0) r(y,1)', remedy: SNAPSHOT },
  'lost-update': { text: 'r(x,0) w(x,1)\nr(x,0) w(x,2)', remedy: LOST },
  'G-single': { text: 'a(x,1) a(y,1)\na(x,2) a(z,1)\nr(x,[1 2])\nr(z,[1]) r(y,[])', remedy: SNAPSHOT },
  'G2-item': { text: 'r(x,0) r(y,0) w(x,1)\nr(x,0) r(y,0) w(y,1)', remedy: SKEW },
  'stale-read': { text: 'w(x,1) @1-2\nr(x,0) @3-4', remedy: REAL_TIME },
  'early-read': { text: 'w(x,1) @3-4\nr(x,1) @1-2', remedy: REAL_TIME },
  'G-single-process': { text: 'a(y,1) | a(x,1)\na(x,2) a(z,1)\nr(x,[1 2])\nr(z,[1]) r(y,[])', remedy: SNAPSHOT },
  'G-nonadjacent-process': { text: 'w(x,1) | r(y,0)\nw(y,1) | r(x,0)', remedy: SNAPSHOT },
  'G2-item-process': { text: 'w(x,1) | r(y,0)\nr(x,0) w(y,1)', remedy: SKEW },
  'G0-realtime': { text: 'a(x,1) @1-2\na(x,2) @3-4\nr(x,[2 1]) @5-6', remedy: REAL_TIME },
  'G1c-realtime': { text: 'r(x,1) @1-2\nr(y,1) w(x,1) @1-6\nw(y,1) @3-4', remedy: REAL_TIME },
  'G-single-realtime': { text: 'w(x,1) @1-2\nw(y,1) @3-4\nr(y,1) r(x,0) @1-9', remedy: REAL_TIME },
  'G-nonadjacent-realtime': {
    text: 'w(x,1) @1-2\nw(z,1) @3-4\nr(z,1) r(y,0) @1-9\nw(y,1) @1-9\nr(y,1) r(x,0) @1-9',
    remedy: REAL_TIME,
  },
  'G2-item-realtime': { text: 'w(x,1) @1-2\nr(y,0) @3-4\nr(x,0) w(y,1) @1-9', remedy: REAL_TIME },
  'inconsistent-aggregate': { text: 'put(t/1, {v: 1})\ncount(t, v = 1, 2)', remedy: SNAPSHOT },
  'G1-predicate': { text: 'put(t/1, {v: 1}) put(t/2, {v: 1})\nscan(t, v = 1, {1: {v: 1}})', remedy: SNAPSHOT },
  PMP: { text: 'put(t/1, {v: 1})\nscan(t, v = 1, {}) scan(t, v = 1, {1: {v: 1}})', remedy: SNAPSHOT },
  'lost-update-predicate': {
    text: 'scan(t, v = 1, {}) put(t/1, {v: 1})\nscan(t, v = 1, {}) put(t/1, {v: 1})',
    remedy: RANGE,
  },
  'G-single-predicate': {
    text: 'put(t/1, {v: 1}) a(x,1)\na(x,2) w(z,1)\nr(x,[1 2])\nr(z,1) scan(t, v = 1, {})',
    remedy: SNAPSHOT,
  },
  'G-single-predicate-process': {
    text: 'put(t/1, {v: 1}) | a(x,1)\na(x,2) w(z,1)\nr(x,[1 2])\nr(z,1) scan(t, v = 1, {})',
    remedy: SNAPSHOT,
  },
  'G-single-predicate-realtime': {
    text: 'put(t/1, {v: 1}) @1-2\nw(z,1) @3-4\nr(z,1) scan(t, v = 1, {}) @1-9',
    remedy: REAL_TIME,
  },
  'G-nonadjacent-predicate': {
    text: 'put(t/1, {v: 1})\nput(t/2, {v: 1})\nscan(t, v = 1, {1: {v: 1}})\nscan(t, v = 1, {2: {v: 1}})',
    remedy: SNAPSHOT,
  },
  'G-nonadjacent-predicate-process': {
    text: 'put(t/1, {v: 1}) | scan(t, v = 2, {})\nput(t/2, {v: 2}) | scan(t, v = 1, {})',
    remedy: SNAPSHOT,
  },
  'G-nonadjacent-predicate-realtime': {
    text: 'put(t/1, {v: 1}) @1-2\nw(z,1) @3-4\nr(z,1) r(y,0) @1-9\nw(y,1) @1-9\nr(y,1) scan(t, v = 1, {}) @1-9',
    remedy: REAL_TIME,
  },
  G2: { text: 'scan(t, v = 1, {}) put(t/1, {v: 1})\nscan(t, v = 1, {}) put(t/2, {v: 1})', remedy: RANGE },
  'G2-process': { text: 'put(t/1, {v: 1}) | r(y,0)\nscan(t, v = 1, {}) w(y,1)', remedy: RANGE },
  'G2-realtime': { text: 'put(t/1, {v: 1}) @1-2\nr(y,0) @3-4\nscan(t, v = 1, {}) w(y,1) @1-9', remedy: REAL_TIME },
  'contradicted-timestamp': { text: null, remedy: CLAIM },
};
