import type { Edge } from '@isolab/contract';
import type { Literals } from '../state/literals.ts';
import type { Known } from '../../facts/known.ts';
import type { Versions } from '../../problem/versions.ts';
import type { Database } from '../state/database.ts';

/** Result of a rule if an event may be placed as far as the rule is concerned. */
export const NOTHING = -1;
/** Result of a rule if the replay is stuck: a read has no version left that it could see; `data` is the read. */
export const EXHAUSTED = -2;
/** Stands for a literal where no choice is involved. */
export const CERTAIN = -1;

/** The event `to` must wait for the event `from`. `data` and `basis` say why, in the terms of the rule. */
export interface Wait {
  readonly from: number;
  readonly to: number;
  readonly rule: Rule;
  readonly data: number;
  readonly basis: number;
}

export type Visit = (from: number, data: number, basis: number) => void;

/** A reason why events wait for others. What an isolation level asks of a replay is a handful of rules. */
export abstract class Rule {
  /** The events that the rule holds up; `decider`: the event that settles the order of writers (Database.decider). */
  abstract readonly holdsUp: 'begin' | 'commit' | 'both' | 'decider';
  protected readonly database: Database;
  /** Its place among the rules of a replay. */
  number = -1;
  /** Reason for the wait of the event that `blocker` was asked about. */
  data = -1;
  /** Basis of the wait, which may be taken back. */
  basis = -1;

  constructor(database: Database) {
    this.database = database;
  }

  /** An event that is not placed and for which this one of transaction `t` must wait, NOTHING, or EXHAUSTED. */
  abstract blocker(event: number, t: number): number;

  /** Visits events for which this one must wait if they are not placed: all of them, or enough. */
  eachBlocker(event: number, t: number, visit: Visit): void {
    const from = this.blocker(event, t);
    if (from >= 0) visit(from, this.data, this.basis);
  }

  /** Returns whether an event that waited still has to, after something was taken back. */
  stillWaits(_basis: number): boolean {
    return true;
  }

  /** Returns whether a wait rests on an order of two writers that might be the other way round. */
  restsOnOrder(_basis: number): boolean {
    return false;
  }

  /** The literal of that order, or CERTAIN. */
  order(_wait: Wait, _literals: Literals): number {
    return CERTAIN;
  }

  /** The literal for the assumed source of a read, or CERTAIN. */
  assumedRead(_wait: Wait, _literals: Literals): number {
    return CERTAIN;
  }

  /** Edges of the wait, for a certificate. `order` is the edge of the literal that it rests on, if any. */
  abstract edges(wait: Wait, from: number, to: number, order: Edge | null, tell: EdgeTeller): readonly Edge[];
}

/** Makes edges of known relations. */
export interface EdgeTeller {
  readonly versions: Versions;
  readFrom(from: number, to: number, version: number): Edge;
  /** Edge of an overwrite: with `read`, `from` sees `basis`, which `to` overwrites when it writes `data`. */
  overwrites(from: number, to: number, read: number, data: number, basis: number, order: Edge | null): Edge;
  /** Proves that one writer of a key certainly comes before another. */
  between(from: number, to: number, key: number): readonly Edge[];
  fact(known: Known, fact: number, to: number): Edge;
  /** The operation by which a transaction reads a version that it certainly saw. */
  readOf(t: number, version: number): number;
  /** The operation by which a transaction reads a version that is one of several. */
  choosingRead(t: number, version: number): number;
}
