import { type OperationId, countTransactions, keysInOrder } from '@isolab/history';
import { type LevelDefinition, derivedOrder } from '@isolab/levels';
import { integerOf, refuse } from '../verdict/flaw.ts';
import { keysWritten } from '../facts/last-writes.ts';
import type { RawFacts } from '../facts/raw-facts.ts';
import { count } from './refutation.ts';
import { placeIn, type Rows } from '../facts/sorted.ts';

/** The ordered elements: events, transactions, or the writers of each key. */
export type OrderKind = LevelDefinition['order'];

/**
 * Premises of a proof: facts, level and current assumptions. An assumption is an order of two elements, or the writer
 * that a read saw.
 */
export class Premises {
  readonly facts: RawFacts;
  readonly level: LevelDefinition;
  readonly order: OrderKind;
  readonly keys: Rows;
  readonly #inOrder: Int32Array; // by key: the key whose version order it shares
  readonly #assumed = new Map<string, number>();
  readonly #seen = new Map<number, number[]>(); // by read: the writers that it is assumed to have seen
  readonly #happened = new Map<number, number>(); // number of assumptions that imply that each transaction happened
  #steps = 0;
  #limit = MOST_STEPS;

  constructor(facts: RawFacts, level: LevelDefinition) {
    this.facts = facts;
    this.level = level;
    this.order = level.order === 'versions' && derivedOrder(level) >= 0 ? 'commits' : level.order;
    this.#inOrder = keysInOrder(facts.history);
    this.keys = keysWritten(facts.history, facts.mayHaveHappened);
  }

  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.#limit) refuse('it takes too many steps to verify');
  }

  allow(steps: number): void {
    this.#limit += steps;
  }

  assume(first: number, second: number, key: number | null, times: 1 | -1): void {
    count(this.#assumed, `${first} ${second} ${key ?? ''}`, times);
  }

  /**
   * Assumes that a read saw the version of another transaction, or the initial version (−1). Its transaction then
   * happened.
   */
  assumeRead(read: OperationId, writer: number, times: 1 | -1): void {
    const seen = this.#seen.get(read) ?? [];
    this.#seen.set(read, times > 0 ? [...seen, writer] : seen.toSpliced(seen.lastIndexOf(writer), 1));
    count(this.#happened, this.facts.txnOf[read], times);
    if (writer >= 0) count(this.#happened, writer, times);
  }

  assumedWriters(read: OperationId): readonly number[] {
    return this.#seen.get(read) ?? [];
  }

  /** Returns whether a transaction certainly happened, or happened by assumption. */
  happened(t: number): boolean {
    return this.facts.happened[t] === 1 || this.#happened.has(t);
  }

  assumedTransactions(): readonly number[] {
    return [...this.#happened.keys()];
  }

  isAssumed(first: number, second: number, key: number | null): boolean {
    return this.#assumed.has(`${first} ${second} ${this.order === 'versions' ? key : ''}`);
  }

  /** Returns whether one transaction is assumed to commit before another. The initial transaction comes first. */
  commitsBefore(x: number, y: number): boolean {
    if (x === y || y < 0) return false;
    if (x < 0) return true;
    return this.order === 'events' ? this.isAssumed(2 * x + 1, 2 * y + 1, null) : this.isAssumed(x, y, null);
  }

  /** Returns whether one transaction's version of a key is assumed to precede another's. */
  isEarlierVersion(x: number, y: number, key: number): boolean {
    if (x === y || y < 0 || !this.writes(y, key)) return false;
    if (x < 0) return true;
    if (!this.writes(x, key)) return false;
    return this.order === 'versions' ? this.isAssumed(x, y, this.#inOrder[key]) : this.commitsBefore(x, y);
  }

  eventBefore(x: number, y: number): boolean {
    if (y < 0) return x === -2 && y === -1;
    if (x < 0) return true;
    return (x % 2 === 0 && y === x + 1) || this.isAssumed(x, y, null);
  }

  writes(t: number, key: number): boolean {
    return placeIn(this.keys, t, key) >= 0;
  }

  /** Reads a point of the order; if writers are ordered, a point of the order of the key. */
  point(data: unknown, key: number | null, what: string): number {
    const n = countTransactions(this.facts.history);
    const point = integerOf(data, 0, this.order === 'events' ? 2 * n : n, what);
    const t = this.order === 'events' ? point >> 1 : point;
    if (this.facts.mayHaveHappened[t] === 0) refuse(`${what} belongs to transaction ${t}, which did not happen`);
    if (this.order === 'versions' && (key === null || !this.writes(t, key)))
      refuse(`${what} is transaction ${t}, which does not write key ${key}`);
    return point;
  }
}

const MOST_STEPS = 20_000_000;
