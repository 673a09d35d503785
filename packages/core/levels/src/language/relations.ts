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

/** The relations that every level may use, without those of stated levels. docs/levels.md defines them. */
export const BASE_RELATIONS: Readonly<Record<Exclude<BaseRelation, OfLevel>, RelationType>> = {
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

type OfLevel = `[level ${string}]` | `[reader ${string}]`;

const OF_LEVEL = /^\[(level|reader) ([^\]]+)\]$/;

/** Returns the level that a relation selects, and whether it selects reads; null for all other relations. */
export function levelSelectedBy(name: string): { readonly level: string; readonly isOfReads: boolean } | null {
  const [, kind, level] = OF_LEVEL.exec(name) ?? [];
  return level === undefined ? null : { level, isOfReads: kind === 'reader' };
}

export const isBaseRelation = (name: string): name is BaseRelation =>
  Object.hasOwn(BASE_RELATIONS, name) || OF_LEVEL.test(name);

export function typeOfRelation(name: BaseRelation): RelationType {
  const selected = levelSelectedBy(name);
  if (selected !== null) return selected.isOfReads ? READS : TRANSACTIONS;
  return BASE_RELATIONS[name as keyof typeof BASE_RELATIONS];
}
