import type { Key, Program, Table } from '@isolab/workloads';
import type { Connection, DataKind } from '../database/database.ts';
import type { AttemptOutcome } from './journal.ts';

export interface Queue {
  /** Returns the next transaction, or null at the end. */
  next(): (() => Program) | null;
  /** Returns whether there is still time to begin a transaction. */
  mayBegin(): boolean;
  /** Receives the outcome of the transaction and whether it will be retried. */
  ended(outcome: AttemptOutcome, again: boolean): void;
  /** Wraps the connection of the session, for example to delay statements until their turn. */
  connected?(connection: Connection): Connection;
  /** Waits until the next transaction may begin. The time of the transaction starts then. */
  turn?(): Promise<void>;
}

/** Returns the queue that fills the database. Each transaction is retried until it commits. */
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
 * Returns transactions that read all keys, several keys each, retried until they commit. Final values reveal much of
 * the order of writes.
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

/** Returns transactions that read one whole table each. */
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
 * Returns queues for sessions that commit `wanted` transactions together and begin no transaction after a time limit. A
 * fast session runs more than its share, so that the others need not wait for the slowest session.
 */
export function sharedQueues(
  wanted: number,
  seconds: number | undefined,
  told: (outcome: AttemptOutcome) => void,
): (next: () => () => Program) => Queue {
  let left = wanted;
  const end = performance.now() + 1000 * (seconds ?? Infinity);
  const ended = (outcome: AttemptOutcome, again: boolean): void => {
    if (outcome !== 'committed' && !again) left++;
    told(outcome);
  };
  const mayBegin = (): boolean => performance.now() < end;
  return (next) => ({ next: () => (left > 0 && mayBegin() ? (left--, next()) : null), mayBegin, ended });
}
