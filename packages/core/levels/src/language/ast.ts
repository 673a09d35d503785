import type { LevelName } from './names.ts';

/** A level as stated in its file, before names are resolved. */
export interface LevelFile {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly aliases: readonly string[];
  readonly paper: string | null;
  /** The strongest levels that this level implies, as stated; tests prove the implications. */
  readonly implies: readonly Named[];
  /** Levels whose axioms must hold too, with the same orders. */
  readonly includes: readonly Named[];
  /** A level that the history must satisfy when restricted to each key. */
  readonly eachKeySatisfies: Named | null;
  /** Reads that are not violations by themselves. */
  readonly allows: readonly AllowedRead[];
  readonly definitions: readonly Definition[];
  readonly axioms: readonly Axiom[];
}

/** A level without unresolved names: its own axioms and those of all levels that it includes, without `let`. */
export interface LevelDefinition {
  readonly name: LevelName;
  readonly title: string;
  readonly summary: string;
  readonly aliases: readonly string[];
  /** Levels that the file says it implies, including the levels that it includes. */
  readonly implies: readonly LevelName[];
  readonly eachKeySatisfies: LevelDefinition | null;
  readonly allows: readonly AllowedRead[];
  readonly axioms: readonly Axiom[];
  /**
   * Order that the level constrains: `before` if an axiom mentions it, otherwise `co`, otherwise the versions of each
   * key.
   */
  readonly order: 'events' | 'commits' | 'versions';
}

/** A kind of read that a level does not treat as a violation by itself. Such a read has no writer. */
export type AllowedRead = (typeof ALLOWED_READS)[number];

export const ALLOWED_READS = [
  'aborted-reads',
  'intermediate-reads',
  'future-reads',
  'thin-air-reads',
  'blind-reads',
] as const;

export interface Named {
  readonly name: string;
  readonly position: Position;
}

export interface Definition {
  readonly name: string;
  readonly expression: Expression;
  readonly position: Position;
}

export interface Position {
  /** The file, or the name of the built-in level. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
}

export type Axiom =
  | {
      readonly kind: 'acyclic' | 'irreflexive' | 'empty';
      readonly eachKey: boolean;
      readonly expression: Expression;
      readonly position: Position;
    }
  /** `co contains E` or `before contains E`. */
  | {
      readonly kind: 'contains';
      readonly eachKey: false;
      readonly order: 'co' | 'before';
      readonly expression: Expression;
      readonly position: Position;
    }
  /** `if t2 E t3 then t2 before t1`, or with `r` in place of `t3` for single reads. */
  | {
      readonly kind: 'overwritten';
      readonly eachKey: boolean;
      readonly of: 'transaction' | 'read';
      readonly expression: Expression;
      readonly position: Position;
    };

export type Sort = 'transaction' | 'read' | 'event';

export type BaseRelation =
  | 'so'
  | 'rt'
  | 'wr'
  | 'ww'
  | 'rw'
  | 'co'
  | 'conflict'
  | 'seen'
  | 'missed'
  | 'reads'
  | 'po'
  | 'same-key'
  | 'same-value'
  | 'begin'
  | 'commit'
  | 'before'
  | 'time'
  | 'id'
  /**
   * The identity, restricted to the initial transaction; to transactions that write, including the initial transaction;
   * to reads that only show whether a row matches; to begins; or to commits.
   */
  | '[initial]'
  | '[writer]'
  | '[predicate]'
  | '[begin]'
  | '[commit]'
  /** The identity, restricted to transactions that state a level, or to the reads of such transactions. */
  | `[level ${string}]`
  | `[reader ${string}]`;

export type Expression =
  | { readonly kind: 'base'; readonly name: BaseRelation; readonly position: Position }
  /** A name defined by `let`; replaced during resolution. */
  | { readonly kind: 'name'; readonly name: string; readonly position: Position }
  | {
      readonly kind: 'union' | 'intersection' | 'difference' | 'composition';
      readonly left: Expression;
      readonly right: Expression;
      readonly position: Position;
    }
  | {
      /** `^-1`, `+`, `*` and `?`. */
      readonly kind: 'inverse' | 'closure' | 'reflexive-closure' | 'optional';
      readonly of: Expression;
      readonly position: Position;
    };
