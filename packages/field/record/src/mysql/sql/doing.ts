import type { Level } from '../../sql/planned.ts';
import type { Condition, Constant } from './condition.ts';

/** A table that a statement names. */
export interface Named {
  readonly schema: string | null;
  readonly table: string;
  readonly alias: string;
}

/** A level, or `read uncommitted`, at which reads are not recorded. */
export type InnodbLevel = Level | 'read uncommitted';

export type Doing =
  | { readonly kind: 'begin'; readonly hasSnapshot: boolean }
  | { readonly kind: 'commit' | 'rollback'; readonly chains: boolean }
  | { readonly kind: 'savepoint' | 'rollback to' | 'release'; readonly name: string }
  | { readonly kind: 'level'; readonly scope: 'transaction' | 'session'; readonly level: InnodbLevel }
  | { readonly kind: 'set'; readonly values: readonly (readonly [name: string, value: string | null])[] }
  | {
      readonly kind: 'select';
      readonly tables: readonly Named[];
      readonly where: Condition | null;
      /** Whether LIMIT or SKIP LOCKED may leave matching rows out of a result, and whether they may leave out a single row. */
      readonly isPartial: boolean;
      readonly mayMiss: boolean;
      readonly locks: boolean;
    }
  | {
      readonly kind: 'update';
      readonly table: Named;
      readonly where: Condition | null;
      /** The columns that are set to constants. */
      readonly sets: readonly (readonly [column: string, value: Constant])[];
    }
  /** `mayKeep` states whether the server may count a row that the statement did not change. */
  | { readonly kind: 'write'; readonly mayKeep: boolean }
  | { readonly kind: 'definition'; readonly temporary: string | null }
  /** SELECT or DO of one call: GET_LOCK, RELEASE_LOCK, RELEASE_ALL_LOCKS; `name` is null for all locks. */
  | { readonly kind: 'lock'; readonly takes: boolean; readonly name: Constant | null }
  | { readonly kind: 'use'; readonly schema: string }
  /** A statement with unknown effects, possibly on transactions. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'other' };

/** The effects of a statement, and its part that cannot be followed. */
export type Meaning = readonly [does: Doing, opaque: string | null];

export const plain = (does: Doing): Meaning => [does, null];
