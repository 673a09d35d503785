import type { Added, Statement } from '../wire/statement.ts';
import type { Catalog, Table } from './catalog.ts';
import type { Condition, Point } from './condition.ts';
import type { Reason } from './followed.ts';
import type { LockCall } from './locks.ts';

/** A statement as it is sent, and the meaning of the rows in its answers. */
export interface Planned extends Statement {
  readonly plan: Plan;
  /** The meaning of names with which the statement was planned; null if it has no names. */
  readonly names: PlannedNames | null;
  readonly literals: readonly string[];
}

export interface PlannedNames {
  readonly meaning: string;
  /** The schemas in which unqualified names were looked up. */
  readonly path: string;
  readonly catalog: Catalog;
}

/** A plan that all statements share if they differ only in their literals. */
export interface Plan extends Omit<Statement, 'text' | 'added'> {
  readonly insertion: Added | null;
  /** The statement without its constants, as it is counted and displayed. */
  readonly shape: string;
  readonly does: Doing;
  /** Whether the plan depends on the constants: with other constants, the statement must be planned again. */
  readonly needsConstants: boolean;
  /** Whether the last hidden column, or each written row, shows the number of the transaction, once it has a number. */
  readonly tellsXid: 'in a column' | 'in its rows' | null;
  /**
   * Whether the number can be queried after the statement in the same query string: the statement can share a
   * transaction with others.
   */
  readonly canAskBehind: boolean;
  /** The part that cannot be followed; null if there is no such part. */
  readonly opaque: Reason | null;
  /** The facts that may differ after the statement: settings and names, or also the definitions of tables. */
  readonly unsettles: 'settings' | 'definitions' | null;
  /** Locks other than those of rows. */
  readonly locks: readonly LockCall[];
  /** Whether a statement that cannot be followed may write. */
  readonly mayWriteUnseen: boolean;
  /** Whether it may then write rows whose writers other statements show. */
  readonly mayWriteFollowed: boolean;
}

export type Doing =
  | { readonly kind: 'begin'; readonly level: Level | null }
  | { readonly kind: 'commit' | 'rollback'; readonly chains: boolean }
  /** PREPARE TRANSACTION: any connection may commit the transaction later. */
  | { readonly kind: 'prepare'; readonly name: string }
  /** COMMIT PREPARED and ROLLBACK PREPARED. */
  | { readonly kind: 'prepared'; readonly name: string; readonly outcome: 'committed' | 'aborted' }
  /** SET TRANSACTION SNAPSHOT: the snapshot may be older than the session's last transaction. */
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'savepoint' | 'rollback to' | 'release'; readonly name: string }
  /** SET of the level of this transaction. */
  | { readonly kind: 'level'; readonly level: Level | null }
  | {
      readonly kind: 'select';
      readonly sources: readonly Source[];
      readonly scan: Scan | null;
      readonly locks: boolean;
    }
  | Writing
  /** CREATE, ALTER, DROP: known facts about `table` may be outdated, or about all tables if it is null. */
  | { readonly kind: 'definition'; readonly temporary: string | null; readonly table: string | null }
  /** A statement with unknown effects, possibly a commit. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'other' };

export interface Writing {
  readonly kind: 'insert' | 'update' | 'delete';
  readonly source: Source;
  /** Start of the hidden columns of the old version; null before PostgreSQL 18. */
  readonly old: number | null;
  readonly scan: Scan | null;
}

export type Level = 'read committed' | 'repeatable read' | 'serializable';

/** A table whose rows are in a result, and the start of its hidden columns. */
export interface Source {
  readonly table: Table;
  readonly at: number;
}

/** The information that a statement on one table gives about rows that it did not return. */
export interface Scan {
  readonly where: Condition;
  /** The primary key, if the statement queries by the key alone. */
  readonly point: Point | null;
}

export const WITHOUT_ROWS = /^(begin|commit|rollback|prepare|savepoint|release)/;

const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete']);
export const mayWrite = ({ plan: { does, mayWriteUnseen } }: Planned): boolean =>
  mayWriteUnseen || WRITES.has(does.kind);
