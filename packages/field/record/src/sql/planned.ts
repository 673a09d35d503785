import type { Added, Statement } from '../wire/statement.ts';
import type { Table } from './catalog.ts';
import type { Condition, Point } from './condition.ts';

/** A statement as it is sent, and the rows in its answers. */
export interface Planned extends Statement, Plan {
  /** The values that stand in its text. */
  readonly literals: readonly string[];
}

/** Plan shared by all statements that differ in their literals alone. */
export interface Plan extends Omit<Statement, 'text' | 'added'> {
  readonly insertion: Added | null;
  /** The statement without its constants, as it is counted and shown. */
  readonly shape: string;
  readonly does: Doing;
  /** Whether that is so for its constants alone: with others it must be thought over again. */
  readonly needsConstants: boolean;
  /** Whether its last hidden column is the number of its transaction, once it has one. */
  readonly tellsXid: boolean;
  /** Whether that can be asked after it in the same query string: it can run in a transaction with other statements. */
  readonly canAskBehind: boolean;
  /** Part of it that cannot be followed; null where all of it can. */
  readonly opaque: string | null;
  /** Whether a statement that cannot be followed may write. */
  readonly mayWriteUnseen: boolean;
  /** Whether it may then write rows whose writers other statements show. */
  readonly mayWriteFollowed: boolean;
}

export type Doing =
  | { readonly kind: 'begin'; readonly level: Level | null }
  | { readonly kind: 'commit' | 'rollback'; readonly chains: boolean }
  /** The commit is decided later, and by any connection. */
  | { readonly kind: 'prepare' }
  | { readonly kind: 'savepoint' | 'rollback to' | 'release'; readonly name: string }
  /** SET of the level of this transaction, or of all later ones. */
  | { readonly kind: 'level'; readonly scope: 'transaction' | 'session'; readonly level: Level | 'initial' | null }
  | {
      readonly kind: 'select';
      readonly sources: readonly Source[];
      readonly scan: Scan | null;
      readonly locks: boolean;
    }
  | Writing
  /** CREATE, ALTER, DROP: known facts about the tables may be out of date. */
  | { readonly kind: 'definition'; /** The name of a temporary table. */ readonly temporary: string | null }
  /** SET search_path or SET ROLE: names may mean other tables from now on, or tables that may not be read. */
  | { readonly kind: 'names'; readonly of: 'path' | 'user'; readonly isInitial: boolean }
  | { readonly kind: 'names'; readonly of: 'any' }
  /** RESET ALL, or DISCARD ALL. */
  | { readonly kind: 'reset'; readonly discards: boolean }
  /** Statement that may do anything, and even commit. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'other' };

export interface Writing {
  readonly kind: 'insert' | 'update' | 'delete';
  readonly source: Source;
  /** Begin of the hidden columns of the old version; none before PostgreSQL 18. */
  readonly old: number | null;
  readonly scan: Scan | null;
}

export type Level = 'read committed' | 'repeatable read' | 'serializable';

/** A table whose rows come with a result, and where its hidden columns begin. */
export interface Source {
  readonly table: Table;
  readonly at: number;
}

/** Information of a statement on one table about rows that it did not return. */
export interface Scan {
  readonly where: Condition;
  /** The primary key, if no other column was asked for. */
  readonly point: Point | null;
}
