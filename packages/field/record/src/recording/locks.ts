import type { Redaction } from '../recorded/redaction.ts';
import type { Values } from '../sql/condition.ts';
import type { Lock, LockCall } from '../sql/locks.ts';
import type { Transaction } from './transaction.ts';

/** The advisory locks that a connection keeps from transaction to transaction. */
export class SessionLocks {
  /** A lock that was taken twice must be returned twice. */
  #kept: Lock[] = [];
  readonly #redaction: Redaction;

  constructor(redaction: Redaction) {
    this.#redaction = redaction;
  }

  begin(transaction: Transaction): void {
    for (const lock of this.#kept) transaction.locks(lock);
  }

  call({ does, isOfSession, mode, name }: LockCall, values: Values, transaction: Transaction): void {
    if (does === 'return all') {
      this.#kept = [];
      transaction.unlocks(null);
      return;
    }
    const plain = name(values);
    const lock = [this.#redaction.value?.(plain) ?? plain, mode] as const;
    if (does === 'return') {
      const at = this.#kept.findIndex((each) => each[0] === lock[0] && each[1] === mode);
      if (at >= 0) this.#kept.splice(at, 1);
      transaction.unlocks(lock);
      return;
    }
    transaction.locks(lock);
    if (isOfSession) this.#kept.push(lock);
  }
}
