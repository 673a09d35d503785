import type { Predicate, Row, Scalar } from '@isolab/history';

/** A table as a workload wants it: besides these columns, each row has a primary key `id` and a version `v`. */
export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, 'integer' | 'boolean'>>;
  /** A column with an index of its own. */
  readonly index: string;
}

/** A row with all its columns, `id` and `v` among them. */
export type TableRow = Row & { readonly id: number; readonly v: number };

/** Request of a client on rows. Every write gives its rows a `v` that no other write has. */
export type TableRequest =
  /** A point read by the primary key. */
  | { readonly kind: 'get'; readonly table: Table; readonly id: number }
  | { readonly kind: 'select'; readonly table: Table; readonly where: Predicate }
  /** SELECT count(*), sum(c), min(c) or max(c) … WHERE. */
  | { readonly kind: 'aggregate'; readonly table: Table; readonly where: Predicate; readonly of: AggregateOf }
  /** The rows that match, each with the row of the other table whose id stands in the column `by`. */
  | {
      readonly kind: 'join';
      readonly table: Table;
      readonly where: Predicate;
      readonly by: string;
      readonly other: Table;
    }
  /** INSERT: the transaction is aborted where there is a row with that id, unless it is to be inserted only if there is none. */
  | { readonly kind: 'insert-row'; readonly table: Table; readonly row: TableRow; readonly ifAbsent?: true }
  | { readonly kind: 'update'; readonly table: Table; readonly where: Predicate; readonly set: Setting }
  | { readonly kind: 'delete-rows'; readonly table: Table; readonly where: Predicate };

export type AggregateOf =
  | { readonly kind: 'count' }
  | { readonly kind: 'sum' | 'min' | 'max'; readonly column: string };

/** Columns that an update sets, and the version of the rows that it makes. */
export type Setting = Readonly<Record<string, Exclude<Scalar, null>>> & { readonly v: number };

export interface ChangedRow {
  /** Row before the update, where it is known. */
  readonly old: TableRow | null;
  readonly row: TableRow;
}

/** A row that a delete removed, with its version if known. */
export interface DeletedRow {
  readonly id: number;
  readonly old: TableRow | null;
}

export interface JoinedRow {
  readonly row: TableRow;
  /** Null where there is none. */
  readonly other: TableRow | null;
}

/** Answer to such a request: by kind, as {@link asking} says. */
export type TableAnswer =
  | TableRow
  | null
  | Scalar
  | readonly TableRow[]
  | readonly JoinedRow[]
  | readonly ChangedRow[]
  | readonly DeletedRow[];

const TABLE_KINDS = {
  get: true,
  select: true,
  aggregate: true,
  join: true,
  'insert-row': true,
  update: true,
  'delete-rows': true,
} as const satisfies Record<TableRequest['kind'], true>;

export const isTableRequest = <R extends { readonly kind: string }>(request: R): request is Extract<R, TableRequest> =>
  Object.hasOwn(TABLE_KINDS, request.kind);

/** Counts up ids of new rows and versions. An earlier run gave none of them. */
export class Numbers {
  #last: number;

  constructor(after: number, earlierRuns: number) {
    this.#last = after + earlierRuns * NUMBERS_A_RUN;
  }

  next(): number {
    return ++this.#last;
  }
}

const NUMBERS_A_RUN = 1_000_000_000;
