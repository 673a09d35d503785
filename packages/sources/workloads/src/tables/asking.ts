import type { AggregateOf, Predicate, Scalar } from '@isolab/history';
import type { Answer, Request } from '../workload/workload.ts';
import type { ChangedRow, DeletedRow, JoinedRow, Setting, Table, TableRequest, TableRow } from '../workload/table.ts';

/** A part of a program that returns its answer. */
type Asking<Answered> = Generator<Request, Answered, Answer>;

/** Requests on rows, each with the type of its answer: `const rows = yield* select(…)`. */
export const get = (table: Table, id: number) => ask<TableRow | null>({ kind: 'get', table, id });

export const select = (table: Table, where: Predicate) => ask<readonly TableRow[]>({ kind: 'select', table, where });

export const count = (table: Table, where: Predicate) => aggregate(table, where, { kind: 'count' }) as Asking<number>;

/** The answer is null where no row matches. */
export const sum = (table: Table, where: Predicate, column: string) =>
  aggregate(table, where, { kind: 'sum', column }) as Asking<number | null>;

export const aggregate = (table: Table, where: Predicate, of: AggregateOf) =>
  ask<Scalar>({ kind: 'aggregate', table, where, of });

export const join = (table: Table, where: Predicate, by: string, other: Table) =>
  ask<readonly JoinedRow[]>({ kind: 'join', table, where, by, other });

export const insert = (table: Table, row: TableRow, { ifAbsent = false } = {}) =>
  ask<boolean>({ kind: 'insert-row', table, row, ...(ifAbsent && { ifAbsent }) });

export const update = (table: Table, where: Predicate, set: Setting) =>
  ask<readonly ChangedRow[]>({ kind: 'update', table, where, set });

export const remove = (table: Table, where: Predicate) =>
  ask<readonly DeletedRow[]>({ kind: 'delete-rows', table, where });

/** Returns the condition that a row has this id. */
export const withId = (id: number): Predicate => ['=', 'id', id];

/** Returns the id in a condition of {@link withId}; null for conditions that several rows may satisfy. */
export const idAsked = (where: Predicate): number | null =>
  typeof where !== 'boolean' && where[0] === '=' && where[1] === 'id' && typeof where[2] === 'number' ? where[2] : null;

function* ask<Answered>(request: TableRequest): Asking<Answered> {
  return (yield request) as Answered;
}
