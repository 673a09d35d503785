import type { Program } from '@isolab/workloads';
import type { Outcome } from './journal.ts';

/** The transactions of a session. */
export interface Queue {
  /** The next one; null when there is none. */
  next(): (() => Program) | null;
  /** What came of it, and whether it will be attempted again. */
  ended(outcome: Outcome, again: boolean): void;
}

/** What fills the database: one transaction after another, each until it is committed. */
export function loadQueue(transactions: Iterable<() => Program>, loaded: () => void): Queue {
  const queue = transactions[Symbol.iterator]();
  let current = queue.next();
  return {
    next: () => (current.done ? null : current.value),
    ended(outcome) {
      if (outcome !== 'committed') return;
      current = queue.next();
      loaded();
    },
  };
}
