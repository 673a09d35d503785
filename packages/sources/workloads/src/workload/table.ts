import type { AggregateOf, Predicate, Row, Scalar } from '@isolab/history';

/** A table of a workload. Besides these columns, each row has a primary key `id` and a version `v`. */
export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, 'integer' | 'boolean'>>;
  /** A column with its own index. */
  readonly index: string;
}

/** A row with all columns, including `id` and `v`. */
export type TableRow = Row & { readonly id: number; readonly v: number };

/** Request of a client on rows. Every write gives its rows a unique `v`. */
export type TableRequest =
  /** Point read by primary key. */
  | { readonly kind: 'get'; readonly table: Table; readonly id: number }
  | { readonly kind: 'select'; readonly table: Table; readonly where: Predicate }
  /** SELECT count(*), sum(c), min(c) or max(c) … WHERE. */
  | { readonly kind: 'aggregate'; readonly table: Table; readonly where: Predicate; readonly of: AggregateOf }
  /** Matching rows, each with the row of the other table whose id is in the column `by`. */
  | {
      readonly kind: 'join';
      readonly table: Table;
      readonly where: Predicate;
      readonly by: string;
      readonly other: Table;
    }
  /** INSERT: if the id exists, the transaction aborts or, for a conditional insert, the insert has no effect. */
  | { readonly kind: 'insert-row'; readonly table: Table; readonly row: TableRow; readonly ifAbsent?: true }
  | { readonly kind: 'update'; readonly table: Table; readonly where: Predicate; readonly set: Setting }
  | { readonly kind: 'delete-rows'; readonly table: Table; readonly where: Predicate };

/** Columns that an update sets, and the new version of the rows. */
export type Setting = Readonly<Record<string, Exclude<Scalar, null>>> & { readonly v: number };

export interface ChangedRow {
  /** Row before the update; null where unknown. */
  readonly old: TableRow | null;
  readonly row: TableRow;
}

/** A deleted row, with its version if known. */
export interface DeletedRow {
  readonly id: number;
  readonly old: TableRow | null;
}

export interface JoinedRow {
  readonly row: TableRow;
  /** Null where there is no such row. */
  readonly other: TableRow | null;
}

/** Answer to a request on rows, by kind as in {@link asking}. */
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

/** Generates ids of new rows and versions that no earlier run used. */
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
