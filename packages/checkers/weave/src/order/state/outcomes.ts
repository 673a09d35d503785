import { type History, NO_TIME, TimeBounds, type TransactionId } from '@isolab/history';
import type { Model } from '../../problem/model.ts';

/**
 * Optional transactions that a read is assumed to have seen. Another optional transaction becomes impossible once an
 * event is placed that would have to wait for it.
 */
export class Outcomes {
  readonly isOptional: Uint8Array;
  /** Literal by which each transaction happened, or −1. */
  readonly active: Int32Array;
  /** Place on the trail from which on each transaction cannot happen; −1 while it may. */
  readonly lostAt: Int32Array;
  /** Optional transactions between each transaction and its last certain predecessor in the session. */
  readonly earlier = new Map<number, number[]>();
  /** Optional transactions between each transaction and the next certain transaction of its session. */
  readonly later = new Map<number, number[]>();
  /** Transactions with a latest begin time, sorted by it, at levels where commits wait for begins. */
  readonly #begun: readonly TransactionId[];
  readonly #bounds: TimeBounds;
  readonly #history: History;
  readonly #lost = new Map<number, number[]>(); // by place on the trail

  constructor(history: History, happened: Uint8Array, optional: Uint8Array, { split, time, sessions }: Model) {
    this.#history = history;
    this.isOptional = optional;
    this.active = new Int32Array(optional.length).fill(-1);
    this.lostAt = new Int32Array(optional.length).fill(-1);
    const bounds = new TimeBounds(history);
    this.#bounds = bounds;
    const all = Array.from(optional.keys() as Iterable<TransactionId>).filter((t) => optional[t] === 1);
    const isBegun = (t: TransactionId): boolean => bounds.latestBegin(t) !== NO_TIME;
    this.#begun =
      split && time !== 'none'
        ? all.filter(isBegun).toSorted((a, b) => (bounds.latestBegin(a) < bounds.latestBegin(b) ? -1 : 1))
        : [];
    if (sessions) this.#linkSessions(happened);
  }

  #linkSessions(happened: Uint8Array): void {
    const { sessionStart } = this.#history;
    for (let s = 0; s + 1 < sessionStart.length; s++) {
      let last = -1;
      let since: number[] = [];
      for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
        if (happened[t] !== 1 && this.isOptional[t] !== 1) continue;
        if (since.length > 0) this.earlier.set(t, [...since]);
        if (happened[t] === 1) {
          last = t;
          since = [];
        } else {
          since.push(t);
          if (last >= 0) this.later.set(last, since);
        }
      }
    }
  }

  /** Returns whether a transaction currently counts as happened. */
  isIn(t: number): boolean {
    return this.isOptional[t] === 0 || this.active[t] >= 0;
  }

  /**
   * Returns an unplaced optional transaction of the session that happens and must come before this transaction, or −1.
   */
  earlierThan(t: number, isPlaced: (t: number) => boolean): number {
    for (const other of this.earlier.get(t) ?? NONE) if (this.active[other] >= 0 && !isPlaced(other)) return other;
    return -1;
  }

  /** Returns a transaction whose begin must come before this transaction's commit in real time, or −1. */
  begunBefore(t: TransactionId, isPlaced: (t: number) => boolean): number {
    if (this.#begun.length === 0) return -1;
    const commit = this.#bounds.earliestCommit(t);
    for (const other of this.#begun) {
      if (commit === NO_TIME || this.#bounds.latestBegin(other) >= commit) return -1;
      if (other !== t && this.active[other] >= 0 && !isPlaced(other)) return other;
    }
    return -1;
  }

  /** Returns the transactions that can no longer happen because an event of a transaction is placed. */
  passedBy(t: number, begins: boolean, commits: boolean): number[] {
    const passed: number[] = [];
    const pass = (other: number): void => {
      if (other !== t && this.active[other] < 0 && this.lostAt[other] < 0) passed.push(other);
    };
    if (begins) for (const other of this.earlier.get(t) ?? NONE) pass(other);
    if (!commits || this.#begun.length === 0) return passed;
    const commit = this.#bounds.earliestCommit(t as TransactionId);
    for (const other of this.#begun) {
      if (commit === NO_TIME || this.#bounds.latestBegin(other) >= commit) break;
      pass(other);
    }
    return passed;
  }

  lose(t: number, at: number): void {
    this.lostAt[t] = at;
    const here = this.#lost.get(at);
    if (here) here.push(t);
    else this.#lost.set(at, [t]);
  }

  takeBack(at: number): void {
    const here = this.#lost.get(at);
    if (here === undefined) return;
    for (const t of here) this.lostAt[t] = -1;
    this.#lost.delete(at);
  }
}

const NONE: readonly number[] = [];
