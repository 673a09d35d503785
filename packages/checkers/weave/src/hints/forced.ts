import { type History, type IdColumn, TimeBounds, Times, type TransactionId } from '@isolab/history';
import type { Model } from '../problem/model.ts';
import type { Versions } from '../problem/versions.ts';
import { byTime } from './pace.ts';

/**
 * Returns whether there is no choice: each write follows a read of its key, and no two writes overwrite one version.
 */
export const isForced = ({ several, updates }: Versions, { split, exclusive }: Model): boolean =>
  several === null && (exclusive || !split) && !updates.includes(0);

/** Returns an order of the events of such a history that respects sessions and is close to `guess`, or null. */
export const forcedOrder = (
  history: History,
  versions: Versions,
  model: Model,
  guess: Int32Array,
  tick: (steps: number) => void,
): number[] | null => new Walk(history, versions, model).along(guess, tick);

/** Returns such an order that also respects the times between which transactions ran, or null. */
export function forcedOrderInTime(
  history: History,
  versions: Versions,
  model: Model,
  guess: Int32Array,
  tick: (steps: number) => void,
): number[] | null {
  const { txnBegin, txnEnd } = history;
  if (txnBegin === null || txnEnd === null) return forcedOrder(history, versions, model, guess, tick);
  // A transaction takes effect before it returns, so every transaction that must precede it has begun before its end.
  const order = forcedOrder(history, versions, model, byEnd(history, txnEnd), tick);
  return order !== null && keepsTimes(history, order, new Times(txnBegin), new Times(txnEnd)) ? order : null;
}

/** Returns the transactions in the order of their ends; those that may not have ended come last. */
function byEnd(history: History, txnEnd: BigInt64Array): Int32Array {
  const bounds = new TimeBounds(history);
  const order = byTime(txnEnd) as IdColumn<TransactionId>;
  const [ended, others] = [new Int32Array(order.length), new Int32Array(order.length)];
  let last = 0;
  let left = 0;
  for (let i = 0; i < order.length; i++) {
    if (bounds.hasReturned(order[i])) ended[last++] = order[i];
    else others[left++] = order[i];
  }
  ended.set(others.subarray(0, left), last);
  return ended;
}

/** Returns whether no transaction returned before the begin of a transaction that the order has before it. */
function keepsTimes(history: History, order: readonly number[], begins: Times, ends: Times): boolean {
  const bounds = new TimeBounds(history);
  let latest = -1; // transaction with the latest begin so far
  for (const t of order) {
    if (latest >= 0 && bounds.hasReturned(t as TransactionId) && ends.isBefore(t, begins, latest)) return false;
    if (begins.isKnown(t) && (latest < 0 || begins.isBefore(latest, begins, t))) latest = t;
  }
  return true;
}

class Walk {
  readonly #txnSession: Int32Array;
  readonly #versions: Versions;
  readonly #shift: 0 | 1;
  readonly #state: Uint8Array; // by event
  readonly #isOverwritten: Uint8Array; // by version
  readonly #read: Int32Array; // by key: the version that the current transaction read
  readonly #stack: number[] = []; // events to place, and ~event for an event that waits for those above it

  constructor({ txnSession }: History, versions: Versions, { split }: Model) {
    const { numTxns, numKeys, writer } = versions;
    this.#txnSession = txnSession;
    this.#versions = versions;
    this.#shift = split ? 1 : 0;
    this.#state = new Uint8Array(numTxns << this.#shift);
    this.#isOverwritten = new Uint8Array(writer.length + numKeys);
    this.#read = new Int32Array(numKeys);
  }

  along(guess: Int32Array, tick: (steps: number) => void): number[] | null {
    const { happened } = this.#versions;
    const shift = this.#shift;
    const state = this.#state;
    const stack = this.#stack;
    const order: number[] = [];
    for (let rank = 0; rank < guess.length; rank++) {
      if (rank % TICK === 0) tick(TICK);
      if (happened[guess[rank]] === 0) continue;
      stack.push((guess[rank] << shift) | shift);
      while (stack.length > 0) {
        const entry = stack.pop()!;
        if (entry < 0) {
          state[~entry] = PLACED;
          order.push(~entry);
          continue;
        }
        if (state[entry] === PLACED) continue;
        if (state[entry] === WAITS) return null;
        state[entry] = WAITS;
        stack.push(~entry);
        if ((entry & shift) === 0) this.#pushSources(entry >> shift);
        if ((entry & shift) === shift && !this.#pushReaders(entry >> shift)) return null;
      }
    }
    return order;
  }

  /** Before a transaction begins, its predecessor in the session and its sources must commit. */
  #pushSources(t: number): void {
    const { happened, readStart, readVersion, writer } = this.#versions;
    const shift = this.#shift;
    const state = this.#state;
    const stack = this.#stack;
    let previous = t - 1;
    while (previous >= 0 && happened[previous] === 0) previous--;
    if (previous >= 0 && this.#txnSession[previous] === this.#txnSession[t]) {
      const commit = (previous << shift) | shift;
      if (state[commit] !== PLACED) stack.push(commit);
    }
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++) {
      if (readVersion[read] >= writer.length) continue;
      const commit = (writer[readVersion[read]] << shift) | shift;
      if (state[commit] !== PLACED) stack.push(commit);
    }
  }

  /**
   * Pushes the begin of a transaction and the readers of its overwritten versions, which come before its commit.
   * Returns false if another transaction overwrote such a version.
   */
  #pushReaders(t: number): boolean {
    const { writeStart, writeKey, writer, readStart, readVersion, readerStart, reader } = this.#versions;
    const shift = this.#shift;
    const state = this.#state;
    const stack = this.#stack;
    if (shift === 1 && state[2 * t] !== PLACED) stack.push(2 * t);
    const end = writeStart[t + 1];
    if (writeStart[t] === end) return true;
    for (let read = readStart[t], last = readStart[t + 1]; read < last; read++) {
      const version = readVersion[read];
      this.#read[version < writer.length ? writeKey[version] : version - writer.length] = version;
    }
    for (let write = writeStart[t]; write < end; write++) {
      const version = this.#read[writeKey[write]];
      if (this.#isOverwritten[version] === 1) return false;
      this.#isOverwritten[version] = 1;
      for (let slot = readerStart[version], last = readerStart[version + 1]; slot < last; slot++)
        if (reader[slot] !== t && state[reader[slot] << shift] !== PLACED) stack.push(reader[slot] << shift);
    }
    return true;
  }
}

const PLACED = 1;
const WAITS = 2;

/** Number of transactions between two checks of the budget. */
const TICK = 1024;
