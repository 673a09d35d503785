import type { Edge } from '@isolab/contract';
import type { Literals } from '../state/literals.ts';
import type { Known } from '../../facts/known.ts';
import type { Versions } from '../../problem/versions.ts';
import type { Database } from '../state/database.ts';

/** Result of a rule that allows an event to be placed. */
export const NOTHING = -1;
/** Result of a rule if the replay is stuck because a read has no version left to see. `data` is the read. */
export const EXHAUSTED = -2;
/** Replaces a literal where no choice is involved. */
export const CERTAIN = -1;

/**
 * The event `to` must wait for the event `from`. `data` and `basis` give the reason; their meaning depends on the rule.
 */
export interface Wait {
  readonly from: number;
  readonly to: number;
  readonly rule: Rule;
  readonly data: number;
  readonly basis: number;
}

export type Visit = (from: number, data: number, basis: number) => void;

/** A reason why events wait for others. An isolation level is a handful of such rules. */
export abstract class Rule {
  /** Events that the rule delays. `decider` is the event that settles the order of writers (Database.decider). */
  abstract readonly holdsUp: 'begin' | 'commit' | 'both' | 'decider';
  protected readonly database: Database;
  number = -1;
  /** Reason for the wait of the event last passed to `blocker`. */
  data = -1;
  /** Basis of the wait, which may be taken back. */
  basis = -1;

  constructor(database: Database) {
    this.database = database;
  }

  /** Returns an unplaced event that this event of transaction `t` must wait for, NOTHING, or EXHAUSTED. */
  abstract blocker(event: number, t: number): number;

  /** Visits the events that this event must wait for if they are unplaced: all of them, or sufficiently many. */
  eachBlocker(event: number, t: number, visit: Visit): void {
    const from = this.blocker(event, t);
    if (from >= 0) visit(from, this.data, this.basis);
  }

  /** Returns whether a waiting event must still wait after something was taken back. */
  stillWaits(_basis: number): boolean {
    return true;
  }

  /** Returns whether a wait depends on an order of two writers that might be reversed. */
  restsOnOrder(_basis: number): boolean {
    return false;
  }

  /** Returns the literal of that order, or CERTAIN. */
  order(_wait: Wait, _literals: Literals): number {
    return CERTAIN;
  }

  /** Returns the literal for the assumed source of a read, or CERTAIN. */
  assumedRead(_wait: Wait, _literals: Literals): number {
    return CERTAIN;
  }

  /** Returns the edges of the wait. `order` is the edge of the literal that the wait depends on, if any. */
  abstract edges(wait: Wait, from: number, to: number, order: Edge | null, tell: EdgeTeller): readonly Edge[];
}

export interface EdgeTeller {
  readonly versions: Versions;
  readFrom(from: number, to: number, version: number): Edge;
  /**
   * Returns the edge of an overwrite: with `read`, `from` sees `basis`, which `to` overwrites when it writes `data`.
   */
  overwrites(from: number, to: number, read: number, data: number, basis: number, order: Edge | null): Edge;
  /** Returns edges that prove that one writer of a key certainly comes before another. */
  between(from: number, to: number, key: number): readonly Edge[];
  fact(known: Known, fact: number, to: number): Edge;
  /** Returns the operation by which a transaction reads a version that it certainly saw. */
  readOf(t: number, version: number): number;
  /** Returns the operation by which a transaction reads a version that is one of several candidates. */
  choosingRead(t: number, version: number): number;
}
