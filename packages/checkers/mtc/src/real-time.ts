import { type History, TxnStatus, Times, sortByTime } from '@isolab/history';

/**
 * Real time for serialOrder: t precedes s if t returned before s was called. Transactions of unknown outcome never
 * returned.
 */
export interface RealTime {
  /** Adds the number of awaited transactions to each count of missing edges. */
  addTo(missing: Int32Array): void;
  /**
   * Records that t was placed. Writes transactions without further waits to `order` from `placed` on, and returns the
   * end.
   */
  place(t: number, missing: Int32Array, order: Int32Array, placed: number): number;
}

/** The known returns and calls, in the order of their times. */
export interface TimeLine {
  readonly byReturn: Int32Array;
  readonly byCall: Int32Array;
  /** Number of returns before each entry of `byCall`: a prefix of `byReturn`. */
  readonly waitsFor: Int32Array;
}

export function timeLineOf({ txnStatus, txnBegin, txnEnd }: History, txns: Int32Array): TimeLine | null {
  if (txnBegin === null || txnEnd === null) return null;
  const begins = new Times(txnBegin);
  const ends = new Times(txnEnd);
  const returned = new Int32Array(txns.length);
  const called = new Int32Array(txns.length);
  let numReturned = 0;
  let numCalled = 0;
  for (let i = 0; i < txns.length; i++) {
    const t = txns[i];
    if (txnStatus[t] === TxnStatus.Committed && ends.isKnown(t)) returned[numReturned++] = t;
    if (begins.isKnown(t)) called[numCalled++] = t;
  }
  const byReturn = sortByTime(returned.subarray(0, numReturned), ends);
  const byCall = sortByTime(called.subarray(0, numCalled), begins);
  const waitsFor = new Int32Array(byCall.length);
  let before = 0;
  for (let i = 0; i < byCall.length; i++) {
    while (before < byReturn.length && ends.isBefore(byReturn[before], begins, byCall[i])) before++;
    waitsFor[i] = before;
  }
  return { byReturn, byCall, waitsFor };
}

/** A time line: a chain of returns. Every transaction waits for a prefix of it, so O(n) nodes replace O(n²) edges. */
export class OnTimeLine implements RealTime {
  readonly #line: TimeLine;
  readonly #isPlaced: Uint8Array;
  #returned = 0; // number of first returns that are placed
  #called = 0; // number of first calls without further waits

  constructor(line: TimeLine, numTxns: number) {
    this.#line = line;
    this.#isPlaced = new Uint8Array(numTxns);
  }

  addTo(missing: Int32Array): void {
    const { byCall, waitsFor } = this.#line;
    while (this.#called < byCall.length && waitsFor[this.#called] === 0) this.#called++;
    for (let i = this.#called; i < byCall.length; i++) missing[byCall[i]]++;
  }

  place(t: number, missing: Int32Array, order: Int32Array, placed: number): number {
    const isPlaced = this.#isPlaced;
    isPlaced[t] = 1;
    const { byReturn, byCall, waitsFor } = this.#line;
    let returned = this.#returned;
    if (returned === byReturn.length || byReturn[returned] !== t) return placed;
    while (returned < byReturn.length && isPlaced[byReturn[returned]] === 1) returned++;
    let called = this.#called;
    for (; called < byCall.length && waitsFor[called] <= returned; called++) {
      const s = byCall[called];
      if (--missing[s] === 0) order[placed++] = s;
    }
    this.#returned = returned;
    this.#called = called;
    return placed;
  }
}

/** All pairs, as published (lines 3 to 5 of BuildDependency); they are enumerated again rather than stored. */
export class AllPairs implements RealTime {
  readonly #line: TimeLine;
  readonly #tick: (steps: number) => void;
  readonly #begins: Times;
  readonly #ends: Times;
  readonly #history: History;

  constructor(history: History, line: TimeLine, tick: (steps: number) => void) {
    this.#history = history;
    this.#line = line;
    this.#tick = tick;
    this.#begins = new Times(history.txnBegin!);
    this.#ends = new Times(history.txnEnd!);
  }

  addTo(missing: Int32Array): void {
    for (const t of this.#line.byReturn) this.#forEachLater(t, (s) => missing[s]++);
  }

  place(t: number, missing: Int32Array, order: Int32Array, placed: number): number {
    let end = placed;
    if (this.#history.txnStatus[t] === TxnStatus.Committed && this.#ends.isKnown(t))
      this.#forEachLater(t, (s) => {
        if (--missing[s] === 0) order[end++] = s;
      });
    return end;
  }

  #forEachLater(t: number, visit: (s: number) => void): void {
    const { byCall } = this.#line;
    this.#tick(byCall.length);
    for (let i = 0; i < byCall.length; i++) if (this.#ends.isBefore(t, this.#begins, byCall[i])) visit(byCall[i]);
  }
}
