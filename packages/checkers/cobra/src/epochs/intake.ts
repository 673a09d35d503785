import type { IndexedHistory } from '@isolab/contract';
import { OpKind, Outcome, transactionOfOperations } from '@isolab/history';
import { type Fences, NEVER } from './fences.ts';

/** Hands out the transactions of a history epoch by epoch, never a transaction before its certain predecessors. */
export class Intake {
  readonly #input: IndexedHistory;
  readonly #fences: Fences;
  readonly #txnOf: Int32Array; // by operation
  readonly #cursor: Int32Array; // by session: its first transaction that has not been handed out

  constructor(input: IndexedHistory, fences: Fences) {
    this.#input = input;
    this.#fences = fences;
    this.#txnOf = transactionOfOperations(input.history);
    this.#cursor = input.history.sessionStart.slice(0, -1);
  }

  /** The transactions up to a fence that happened, their sources, and all earlier transactions of these sessions. */
  until(fence: number): number[] {
    const { history, index } = this.#input;
    const { sessionStart, txnSession, txnStart, opKind } = history;
    const taken: number[] = [];
    const pending: number[] = [];
    const take = (session: number, end: number): void => {
      for (let t = this.#cursor[session]; t < end; t++) {
        if (index.outcome[t] !== Outcome.Happened) continue;
        taken.push(t);
        pending.push(t);
      }
      this.#cursor[session] = Math.max(this.#cursor[session], end);
    };
    for (let s = 0; s < this.#cursor.length; s++) {
      let end = this.#cursor[s];
      while (end < sessionStart[s + 1] && this.#fences.next[end] <= fence) end++;
      take(s, end);
    }
    for (let t = pending.pop(); t !== undefined; t = pending.pop()) {
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        const from = opKind[op] === OpKind.Read ? index.readFrom[op] : -1;
        if (from >= 0) take(txnSession[this.#txnOf[from]], this.#txnOf[from] + 1);
      }
    }
    return taken.toSorted((a, b) => a - b);
  }

  get isDone(): boolean {
    const { sessionStart } = this.#input.history;
    return this.#cursor.every((t, s) => t === sessionStart[s + 1]);
  }

  /** The position of a fence that precedes all later transactions. */
  settledFence(): number {
    const { sessionStart } = this.#input.history;
    let fence = NEVER;
    this.#cursor.forEach((t, s) => {
      if (t < sessionStart[s + 1]) fence = Math.min(fence, this.#fences.last[t]);
    });
    return fence;
  }
}
