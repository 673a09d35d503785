import { type History, NO_TIME, TxnStatus, countSessions, countTransactions } from '@isolab/history';

/**
 * The order of a history's events in a log: every transaction is invoked and later completed, and each session has at
 * most one open transaction at a time.
 *
 * With times, the log follows them. At equal times invocations come first: the log then orders two transactions only
 * where their times do. A transaction of unknown outcome has no end: its completion, which only records that the
 * outcome is unknown, comes before the next invocation of its session, or where event numbers leave room for it, or
 * else at the end.
 *
 * Without times, sessions advance in step: in every round each session in turn completes its transaction and invokes
 * its next transaction. A transaction therefore overlaps all others except those at least one round away. A log cannot
 * do better: of two sessions with two transactions each, one always completes its first before the other invokes its
 * second. A reader must not treat such a log as an order in real time; see {@link EventOrder.time}.
 */
export interface EventOrder {
  readonly txn: Int32Array;
  /** 1 for a completion, 0 for an invocation. */
  readonly completes: Uint8Array;
  /** The time of each event; null where the order says nothing about real time. */
  readonly time: BigInt64Array | null;
}

export function eventOrder(history: History, isKept: (t: number) => boolean = () => true): EventOrder {
  const kept = Array.from({ length: countSessions(history) }, (_, s) => {
    const transactions: number[] = [];
    for (let t = history.sessionStart[s]; t < history.sessionStart[s + 1]; t++) if (isKept(t)) transactions.push(t);
    return transactions;
  });
  return timesAreTellable(history) ? inTime(history, kept) : inStep(kept);
}

/** Returns whether no time is missing and the times put the transactions of each session one after the other. */
export function timesAreTellable({ source, sessionStart, txnBegin, txnEnd, txnStatus }: History): boolean {
  if (source.timeUnit === 'none' || txnBegin === null) return false;
  for (let s = 0; s < sessionStart.length - 1; s++) {
    let now = NO_TIME;
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      const begin = txnBegin[t];
      if (begin === NO_TIME || begin < now) return false;
      now = begin;
      if (txnStatus[t] === TxnStatus.Unknown) continue;
      const end = txnEnd === null ? NO_TIME : txnEnd[t];
      if (end < begin) return false; // also if the end is missing
      now = end;
    }
  }
  return true;
}

/** Counts the times that a log with times leaves out: all, or only the ends of transactions of unknown outcome. */
export function countTimesLeftOut(history: History): number {
  const { txnBegin, txnEnd, txnStatus } = history;
  const all = !timesAreTellable(history);
  let count = 0;
  for (let t = 0; t < countTransactions(history); t++) {
    if (all && txnBegin !== null && txnBegin[t] !== NO_TIME) count++;
    if ((all || txnStatus[t] === TxnStatus.Unknown) && txnEnd !== null && txnEnd[t] !== NO_TIME) count++;
  }
  return count;
}

class OrderWriter {
  readonly txn: Int32Array;
  readonly completes: Uint8Array;
  count = 0;

  constructor(kept: readonly (readonly number[])[]) {
    const events = 2 * kept.reduce((sum, transactions) => sum + transactions.length, 0);
    this.txn = new Int32Array(events);
    this.completes = new Uint8Array(events);
  }

  add(t: number, completes: 0 | 1): void {
    this.txn[this.count] = t;
    this.completes[this.count++] = completes;
  }
}

function inStep(kept: readonly (readonly number[])[]): EventOrder {
  const order = new OrderWriter(kept);
  let active = kept.filter((transactions) => transactions.length > 0);
  for (let round = 0; active.length > 0; round++) {
    for (const transactions of active) {
      if (round > 0) order.add(transactions[round - 1], 1);
      if (round < transactions.length) order.add(transactions[round], 0);
    }
    active = active.filter((transactions) => round < transactions.length);
  }
  return { txn: order.txn, completes: order.completes, time: null };
}

/** Merges the sessions, whose events are already in order of time, using a heap of their next events. */
function inTime({ source, txnBegin, txnEnd, txnStatus }: History, kept: readonly (readonly number[])[]): EventOrder {
  const order = new OrderWriter(kept);
  const time = new BigInt64Array(order.txn.length);
  const position = new Int32Array(kept.length); // next or open transaction of each session
  const next = new EventHeap(kept.length);
  // Transactions of unknown outcome that wait for their completion, keyed by the time at which their session continues.
  const waiting = new EventHeap(kept.length);
  const waitingTxn = new Int32Array(kept.length);
  const fillsGaps = source.timeUnit === 'events';
  let now = NO_TIME;

  const add = (t: number, completes: 0 | 1, at: bigint): void => {
    time[order.count] = now = at;
    order.add(t, completes);
  };
  const completeWaiting = (at: bigint): void => {
    add(waitingTxn[waiting.top], 1, at);
    waiting.pop();
  };
  const fillGap = (at: bigint): void => {
    for (let free = now + 1n; free < at && waiting.size > 0; free++) completeWaiting(free);
  };
  for (let s = 0; s < kept.length; s++) if (kept[s].length > 0) next.push(s, txnBegin![kept[s][0]], 0);

  while (next.size > 0) {
    const session = next.top;
    const at = next.topTime;
    if (fillsGaps) fillGap(at);
    while (waiting.size > 0 && waiting.topTime <= at) completeWaiting(at);

    const completes = next.topCompletes;
    const t = kept[session][position[session]];
    add(t, completes, at);
    if (completes === 0 && txnStatus[t] !== TxnStatus.Unknown) {
      next.replaceTop(txnEnd![t], 1);
      continue;
    }
    const following = kept[session][++position[session]];
    if (completes === 0) {
      waitingTxn[session] = t;
      waiting.push(session, following === undefined ? NEVER : txnBegin![following], 1);
    }
    if (following === undefined) next.pop();
    else next.replaceTop(txnBegin![following], 0);
  }
  while (waiting.size > 0) completeWaiting(fillsGaps ? now + 1n : now);
  return { txn: order.txn, completes: order.completes, time };
}

/** A heap of sessions keyed by the time of their next event, with invocations before completions. */
class EventHeap {
  size = 0;
  readonly #session: Int32Array;
  readonly #time: BigInt64Array;
  readonly #completes: Uint8Array;

  constructor(capacity: number) {
    this.#session = new Int32Array(capacity);
    this.#time = new BigInt64Array(capacity);
    this.#completes = new Uint8Array(capacity);
  }

  get top(): number {
    return this.#session[0];
  }

  get topTime(): bigint {
    return this.#time[0];
  }

  get topCompletes(): 0 | 1 {
    return this.#completes[0] as 0 | 1;
  }

  push(session: number, time: bigint, completes: 0 | 1): void {
    let at = this.size++;
    this.#set(at, session, time, completes);
    for (let parent = (at - 1) >> 1; at > 0 && this.#precedes(at, parent); parent = (at - 1) >> 1) {
      this.#swap(at, parent);
      at = parent;
    }
  }

  replaceTop(time: bigint, completes: 0 | 1): void {
    this.#set(0, this.#session[0], time, completes);
    this.#sink();
  }

  pop(): void {
    this.#swap(0, --this.size);
    this.#sink();
  }

  #sink(): void {
    for (let at = 0; ;) {
      let least = at;
      for (let child = 2 * at + 1; child <= 2 * at + 2 && child < this.size; child++) {
        if (this.#precedes(child, least)) least = child;
      }
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #precedes(a: number, b: number): boolean {
    const [x, y] = [this.#time[a], this.#time[b]];
    if (x !== y) return x < y;
    if (this.#completes[a] !== this.#completes[b]) return this.#completes[a] < this.#completes[b];
    return this.#session[a] < this.#session[b];
  }

  #set(at: number, session: number, time: bigint, completes: 0 | 1): void {
    this.#session[at] = session;
    this.#time[at] = time;
    this.#completes[at] = completes;
  }

  #swap(a: number, b: number): void {
    const [session, time, completes] = [this.#session[a], this.#time[a], this.#completes[a] as 0 | 1];
    this.#set(a, this.#session[b], this.#time[b], this.#completes[b] as 0 | 1);
    this.#set(b, session, time, completes);
  }
}

const NEVER = 2n ** 63n - 1n;
