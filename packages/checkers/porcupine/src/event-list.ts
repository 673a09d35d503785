/** Front of the list. The call of entry i is 2i + 1, its return 2i + 2. */
export const FRONT = 0;

/** Calls and returns in order of time, in a doubly linked list. */
export class EventList {
  readonly next: Int32Array;
  readonly #previous: Int32Array;

  /** Links the events of a partition: 2i for the call of entry i, 2i + 1 for its return. */
  constructor(events: Int32Array, numEntries: number) {
    this.next = new Int32Array(2 * numEntries + 1);
    this.#previous = new Int32Array(2 * numEntries + 1);
    let last = FRONT;
    for (const event of events) {
      this.next[last] = event + 1;
      this.#previous[event + 1] = last;
      last = event + 1;
    }
    this.next[last] = FRONT;
    this.#previous[FRONT] = last;
  }

  /** Removes the call of an entry, and its return if it has one. */
  lift(entry: number, hasReturn: boolean): void {
    const call = 2 * entry + 1;
    this.#takeOut(call);
    if (hasReturn) this.#takeOut(call + 1);
  }

  /** Puts back the last removed entry, and returns its call. */
  unlift(entry: number, hasReturn: boolean): number {
    const call = 2 * entry + 1;
    if (hasReturn) this.#putBack(call + 1);
    this.#putBack(call);
    return call;
  }

  #takeOut(event: number): void {
    this.next[this.#previous[event]] = this.next[event];
    this.#previous[this.next[event]] = this.#previous[event];
  }

  #putBack(event: number): void {
    this.next[this.#previous[event]] = event;
    this.#previous[this.next[event]] = event;
  }
}
