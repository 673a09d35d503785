import type { Key, Program, Table } from '@isolab/workloads';
import type { Connection, DataKind } from '../database/database.ts';
import type { AttemptOutcome } from './journal.ts';

/** The transactions of a session. */
export interface Queue {
  /** The next one; null when there is none. */
  next(): (() => Program) | null;
  /** Returns whether the time for transactions is not over. */
  mayBegin(): boolean;
  /** Receives the outcome of the transaction, and whether it will be attempted again. */
  ended(outcome: AttemptOutcome, again: boolean): void;
  /** The connection of the session, or one that sends its statements when it is their turn. */
  connected?(connection: Connection): Connection;
  /** Waits until the next transaction may begin: its time begins then. */
  turn?(): Promise<void>;
}

/** Returns the queue that fills the database: one transaction after another, each repeated until it commits. */
export function loadQueue(transactions: Iterable<() => Program>, loaded: () => void = () => {}): Queue {
  const queue = transactions[Symbol.iterator]();
  let current = queue.next();
  return {
    next: () => (current.done ? null : current.value),
    mayBegin: () => true,
    ended(outcome) {
      if (outcome !== 'committed') return;
      current = queue.next();
      loaded();
    },
  };
}

/**
 * Reads all keys, some in each transaction, each repeated until it commits. The final values reveal much of the order.
 */
export function finalReads(keys: Iterable<Key>, data: DataKind): Queue {
  const all = [...keys];
  const kind = data === 'lists' ? 'read-list' : 'read';
  const blocks = Array.from({ length: Math.ceil(all.length / KEYS_A_READ) }, (_, i) =>
    all.slice(i * KEYS_A_READ, (i + 1) * KEYS_A_READ),
  );
  return loadQueue(
    blocks.map((block) => {
      return function* (): Program {
        for (const key of block) yield { kind, key };
      };
    }),
  );
}

/** Reads each table whole. */
export const finalScans = (tables: readonly Table[]): Queue =>
  loadQueue(
    tables.map(
      (table) =>
        function* (): Program {
          yield { kind: 'select', table, where: true };
        },
    ),
  );

const KEYS_A_READ = 10;

/**
 * Returns the queues of sessions that commit `wanted` transactions together, and begin none after a time. A fast
 * session does more than its share, so that the others need not wait for the slowest one.
 */
export function sharedQueues(
  wanted: number,
  seconds: number | undefined,
  told: (outcome: AttemptOutcome) => void,
): (next: () => () => Program) => Queue {
  let left = wanted;
  const end = performance.now() + 1000 * (seconds ?? Infinity);
  const ended = (outcome: AttemptOutcome, again: boolean): void => {
    if (outcome !== 'committed' && !again) left++; // only committed transactions count
    told(outcome);
  };
  const mayBegin = (): boolean => performance.now() < end;
  return (next) => ({ next: () => (left > 0 && mayBegin() ? (left--, next()) : null), mayBegin, ended });
}
