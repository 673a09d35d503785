import type { Redaction } from '../recorded/redaction.ts';
import type { Values } from '../sql/condition.ts';
import type { Lock, LockCall } from '../sql/locks.ts';
import type { Planned } from '../sql/planned.ts';
import type { Parameters } from '../wire/statement.ts';
import type { Transaction } from './transaction.ts';

/** Returns whether only the result shows that a lock was taken. */
export const hasAttempt = ({ plan }: Planned): boolean => plan.locks.some(({ isAttempt }) => isAttempt);

/** Returns whether a value is true, in either format of results. */
const isTrue = (value: string | null | undefined): boolean => value === 't' || value === '\u0001';

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

  /** Takes in the calls of a statement; `result` is the last column of its first row. */
  calls(
    { plan: { locks }, literals }: Planned,
    parameters: Parameters | null,
    result: string | null | undefined,
    transaction: Transaction,
  ): void {
    for (const call of locks)
      if (!call.isAttempt || isTrue(result)) this.#call(call, { parameters, literals }, transaction);
  }

  #call({ does, isOfSession, mode, name }: LockCall, values: Values, transaction: Transaction): void {
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
