import { type Attempt, type SimulatedEngine, type Extend, ABSENT } from './engine.ts';

interface LockAttempt extends Attempt {
  /** Keys with a shared or exclusive lock of the attempt. */
  readonly locked: Set<number>;
  /** Whether the attempt met a lock of another attempt. Such an attempt does not wait, but aborts at the end. */
  isDoomed: boolean;
}

/**
 * A database with one copy of the data and locks that last until the end of the transaction. Reads return the newest
 * version.
 */
export class LockEngine implements SimulatedEngine<LockAttempt> {
  readonly #extend: Extend;
  readonly #values = new Map<number, number>();
  readonly #readers = new Map<number, Set<LockAttempt>>();
  readonly #writers = new Map<number, LockAttempt>();

  constructor(extend: Extend) {
    this.#extend = extend;
  }

  begin(session: number): LockAttempt {
    return { session, writtenKeys: [], written: [], readKeys: [], locked: new Set(), isDoomed: false };
  }

  read(attempt: LockAttempt, key: number): number {
    attempt.readKeys.push(key);
    const writer = this.#writers.get(key);
    if (writer && writer !== attempt) attempt.isDoomed = true;
    let readers = this.#readers.get(key);
    if (!readers) this.#readers.set(key, (readers = new Set()));
    readers.add(attempt);
    attempt.locked.add(key);
    return this.newest(key);
  }

  newest(key: number): number {
    return this.#values.get(key) ?? ABSENT;
  }

  /** All examined rows are locked; an unknown row has no lock. */
  missed(attempt: LockAttempt): void {
    attempt.isDoomed = true;
  }

  wrote(attempt: LockAttempt, key: number): void {
    const writer = this.#writers.get(key);
    const isRead = [...(this.#readers.get(key) ?? [])].some((reader) => reader !== attempt);
    if ((writer && writer !== attempt) || isRead) attempt.isDoomed = true;
    else this.#writers.set(key, attempt);
    attempt.locked.add(key);
  }

  commit(attempt: LockAttempt): boolean {
    const { writtenKeys, written } = attempt;
    if (attempt.isDoomed) return false;
    for (const [i, key] of writtenKeys.entries()) {
      const value = written[i]!;
      this.#values.set(key, typeof value === 'number' ? value : this.#extend(key, this.newest(key), value));
    }
    this.abort(attempt);
    return true;
  }

  abort(attempt: LockAttempt): void {
    for (const key of attempt.locked) {
      this.#readers.get(key)?.delete(attempt);
      if (this.#writers.get(key) === attempt) this.#writers.delete(key);
    }
  }

  tick(): void {}
}
