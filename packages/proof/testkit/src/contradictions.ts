/**
 * Operations that contradict the rest of a history, one of each kind, in a transaction that committed, aborted, or has
 * an unknown outcome. A contradiction is evidence only if its transaction happened.
 */

/** An operation whose result is impossible, or that is incompatible with other operations. */
export interface Contradiction {
  /** Initial values in the notation; nil if absent. */
  readonly initial?: string;
  /** Sessions of other transactions, each of which is legal on its own. */
  readonly others?: readonly string[];
  /** The operations of the contradictory transaction. */
  readonly operations: string;
}

/** Contradictions by kind of operation and by problem. */
export const CONTRADICTIONS: Readonly<Record<string, Contradiction>> = {
  'read out of thin air': { operations: 'r(x,9)' },
  'read of an aborted write': { others: ['!w(x,9)'], operations: 'r(x,9)' },
  'read of an intermediate write': { others: ['w(x,8) w(x,9)'], operations: 'r(x,8)' },
  'read of a later write of its own transaction': { operations: 'r(x,7) w(x,7)' },
  'read that misses an own write': { operations: 'w(x,7) r(x,nil)' },
  'read that does not repeat': { others: ['w(x,1)'], operations: 'r(x,nil) r(x,1)' },
  'write that loses an update': { others: ['r(x,nil) w(x,1)'], operations: 'r(x,nil) w(x,2)' },
  'read of a list out of thin air': { operations: 'r(l,[9])' },
  'read of a list in another order': { others: ['a(l,1)', 'a(l,2)', 'r(l,[1 2])'], operations: 'r(l,[2 1])' },
  'append that loses an update': { others: ['r(l,[]) a(l,1)'], operations: 'r(l,[]) a(l,2)' },
  'compare-and-set of a value out of thin air': { operations: 'cas(x,9,5)' },
  'insert over a tombstone out of thin air': { operations: 'ins(x,9,1)' },
  'delete of a value out of thin air': { operations: 'del(x,9,8)' },
  'range read of a value out of thin air': { operations: 'range(a,c,b=9)' },
  'range read that misses an own write': { operations: 'w(b,1) range(a,c,)' },
  'get of a row out of thin air': { initial: 't/1={a: 1}', operations: 'get(t/1, {a: 9})' },
  'put that loses an update': {
    initial: 't/1={a: 1}',
    others: ['get(t/1, {a: 1}) put(t/1, {a: 2})'],
    operations: 'get(t/1, {a: 1}) put(t/1, {a: 3})',
  },
  'delete of a row that loses an update': {
    initial: 't/1={a: 1}',
    others: ['get(t/1, {a: 1}) put(t/1, {a: 2})'],
    operations: 'get(t/1, {a: 1}) put(t/1, nil)',
  },
  'scan of a row out of thin air': { initial: 't/1={a: 1}', operations: 'scan(t, true, {1: {a: 9}})' },
  'scan of a row in an impossible version': { initial: 't/1={a: 1}', operations: 'scan(t, a = 2, {1: ?})' },
  'scan that passes over a row': { initial: 't/1={a: 1}', operations: 'scan(t, a = 1, {})' },
  'scans of two states': {
    initial: 't/1={a: 1}',
    others: ['put(t/1, {a: 2})'],
    operations: 'scan(t, a = 1, {}) scan(t, a = 1, {1: {a: 1}})',
  },
  'opaque scan that passes over a row': {
    initial: 't/1={a: 1}',
    operations: "scan(t, a = 1 or sql('lower(b) = ''x'''), {})",
  },
  'count of too many rows': { initial: 't/1={a: 1}', operations: 'count(t, true, 2)' },
  'count of too few rows': { initial: 't/1={a: 1}', operations: 'count(t, true, 0)' },
  'sum that is too large': { initial: 't/1={a: 1}', operations: 'sum(t, true, a, 5)' },
  'sum of no rows': { initial: 't/1={a: 1}', operations: 'sum(t, true, a, null)' },
  'minimum that no row holds': { initial: 't/1={a: 1}', operations: 'min(t, true, a, 2)' },
  'minimum of no rows': { initial: 't/1={a: 1}', operations: 'min(t, true, a, null)' },
  'minimum that is not the least value': {
    initial: 't/1={a: 1} t/2={a: 2}',
    operations: 'min(t, true, a, 2)',
  },
  'maximum that no row holds': { initial: 't/1={a: 1}', operations: 'max(t, true, a, 2)' },
  'maximum of an empty table': { initial: 't/1=nil', operations: 'max(t, true, a, 2)' },
  'maximum of no rows': { initial: 't/1={a: 1}', operations: 'max(t, true, a, null)' },
  'maximum that is not the greatest value': {
    initial: 't/1={a: 1} t/2={a: 2}',
    operations: 'max(t, true, a, 1)',
  },
  'aggregates of two states': {
    initial: 't/1={a: 1} t/2={a: 1}',
    others: ['put(t/1, {a: 2})'],
    operations: 'count(t, a = 1, 2) sum(t, true, a, 3)',
  },
};

/**
 * Outcome of the transaction. Two unknown outcomes are special: in `read`, a committed transaction saw the
 * transaction's write. In `inferred`, two other transactions of unknown outcome saw the write, and a committed
 * transaction saw one of these two.
 */
export type Fate = 'committed' | 'unknown' | 'read' | 'inferred' | 'aborted';
export const FATES: readonly Fate[] = ['committed', 'unknown', 'read', 'inferred', 'aborted'];
/** Fates of a transaction that happened, whose operations are therefore evidence. */
export const EVIDENT_FATES: readonly Fate[] = ['committed', 'read', 'inferred'];

/**
 * Sessions that satisfy some levels and violate stronger levels. A checker may settle weak levels by an order for a
 * stronger level. With these sessions, and an aggregate that single rows do not describe completely, it has to decide
 * the weak levels separately.
 */
export const BESIDE: Readonly<Record<string, string>> = {
  'a stale read of a session': 'w(p,1) | r(p,nil)',
  'a read that is not monotonic': 'w(p,1)\nr(p,1) r(p,nil)',
  'a long fork': 'w(p,1)\nw(q,1)\nr(p,1) r(q,nil)\nr(p,nil) r(q,1)',
  'a read of an aborted write': '!w(p,1)\nr(p,1)',
};

/** Returns the history, in the notation, in which the transaction has the given fate. */
export function contradictionAs({ initial = '', others = [], operations }: Contradiction, fate: Fate, beside?: string) {
  const mark = { committed: '', unknown: '?', read: '?', inferred: '?', aborted: '!' }[fate];
  return [
    `initial nil ${initial}${beside === undefined ? '' : ' u/1={a: 1}'}`.trimEnd(),
    ...others,
    `${mark}${operations} w(mark,1)`,
    ...(fate === 'read' ? ['r(mark,1)'] : []),
    ...(fate === 'inferred' ? ['?r(mark,1) w(m,1)', '?r(mark,1) w(m,1)', 'r(m,1)'] : []),
    'r(other,nil) w(other,1) @1-2 | r(other,1) @3-4',
    ...(beside === undefined ? [] : [beside, 'put(u/2, {a: 1})', 'count(u, true, 1)']),
  ].join('\n');
}
