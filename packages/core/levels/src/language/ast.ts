import type { LevelName } from './names.ts';

/** A level as its file states it, before names are resolved. */
export interface LevelFile {
  readonly name: string;
  readonly title: string;
  /** Requirement of the level, in a sentence. */
  readonly summary: string;
  readonly aliases: readonly string[];
  /** File of the level's definition. */
  readonly paper: string | null;
  /** The strongest levels that this one implies, as stated; tests prove it. */
  readonly implies: readonly Named[];
  /** Levels whose axioms hold, too, with the same orders. */
  readonly includes: readonly Named[];
  /** A level that the history satisfies when it is restricted to each key. */
  readonly eachKeySatisfies: Named | null;
  /** Reads that are no violation in themselves. */
  readonly allows: readonly AllowedRead[];
  readonly definitions: readonly Definition[];
  readonly axioms: readonly Axiom[];
}

/** A level with nothing left to look up: its own axioms and those of all levels that it includes, without `let`. */
export interface LevelDefinition {
  readonly name: LevelName;
  readonly title: string;
  readonly summary: string;
  readonly aliases: readonly string[];
  /** Contents of the file, with the files that it includes. */
  readonly implies: readonly LevelName[];
  readonly eachKeySatisfies: LevelDefinition | null;
  readonly allows: readonly AllowedRead[];
  readonly axioms: readonly Axiom[];
  /** Order that the level is about: `before` if an axiom speaks of it, else `co`, else the versions of each key. */
  readonly order: 'events' | 'commits' | 'versions';
}

/** A kind of read that a level does not treat as a violation in itself; such a read has no writer. */
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

/** `let name = expression`. */
export interface Definition {
  readonly name: string;
  readonly expression: Expression;
  readonly position: Position;
}

export interface Position {
  /** The file, or the name of the built-in level. */
  readonly file: string;
  /** Number from 1. */
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
  /** `co contains E`, `before contains E`. */
  | {
      readonly kind: 'contains';
      readonly eachKey: false;
      readonly order: 'co' | 'before';
      readonly expression: Expression;
      readonly position: Position;
    }
  /** `if t2 E t3 then t2 before t1`, and with `r` in place of `t3` for single reads. */
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
   * The identity of the initial transaction; of transactions that write, the initial one among them; of reads that only
   * say whether a row matches; of begins and of commits.
   */
  | '[initial]'
  | '[writer]'
  | '[predicate]'
  | '[begin]'
  | '[commit]';

export type Expression =
  | { readonly kind: 'base'; readonly name: BaseRelation; readonly position: Position }
  /** A name of a `let`; gone after resolution. */
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
