import type { BaseRelation, Sort } from './ast.ts';

/** The source and target sorts of a relation; null for any sort. */
export interface RelationType {
  readonly from: Sort | null;
  readonly to: Sort | null;
}

const type = (from: Sort | null, to: Sort | null): RelationType => ({ from, to });
const TRANSACTIONS = type('transaction', 'transaction');
const READS = type('read', 'read');
const EVENTS = type('event', 'event');

/** The relations that every level may use. docs/levels.md defines them. */
export const BASE_RELATIONS: Readonly<Record<BaseRelation, RelationType>> = {
  so: TRANSACTIONS,
  rt: TRANSACTIONS,
  wr: TRANSACTIONS,
  ww: TRANSACTIONS,
  rw: TRANSACTIONS,
  co: TRANSACTIONS,
  conflict: TRANSACTIONS,
  seen: type('transaction', 'read'),
  missed: type('read', 'transaction'),
  reads: type('transaction', 'read'),
  po: READS,
  'same-key': READS,
  'same-value': READS, // a subset of same-key, because different keys never share values
  begin: type('transaction', 'event'),
  commit: type('transaction', 'event'),
  before: EVENTS,
  time: EVENTS,
  id: type(null, null),
  '[initial]': TRANSACTIONS,
  '[writer]': TRANSACTIONS,
  '[predicate]': READS,
  '[begin]': EVENTS,
  '[commit]': EVENTS,
};

export const isBaseRelation = (name: string): name is BaseRelation => Object.hasOwn(BASE_RELATIONS, name);
