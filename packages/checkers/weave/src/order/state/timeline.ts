/** Events sorted by real time. An event that must wait for all earlier events waits for the earliest unplaced one. */
export class Timeline {
  readonly #events: Int32Array;
  readonly #times: BigInt64Array;
  readonly #rankOf: Int32Array;
  readonly #position: Int32Array;
  #first = 0; // everything before it is placed

  /** All `events` have times in `timeOf`; `position` belongs to the schedule, and is negative for unplaced events. */
  constructor(events: Int32Array, timeOf: (event: number) => bigint, position: Int32Array) {
    const times = BigInt64Array.from(events, timeOf);
    const order = Int32Array.from(events.keys()).toSorted((a, b) =>
      times[a] < times[b] ? -1 : times[a] > times[b] ? 1 : a - b,
    );
    this.#events = order.map((i) => events[i]);
    this.#times = BigInt64Array.from(order, (i) => times[i]);
    this.#position = position;
    this.#rankOf = new Int32Array(position.length).fill(-1);
    for (let i = 0; i < order.length; i++) this.#rankOf[this.#events[i]] = i;
  }

  /** Returns another unplaced event that is earlier than a time; −1 if there is none. */
  firstBefore(time: bigint, except: number): number {
    const events = this.#events;
    const position = this.#position;
    let first = this.#first;
    while (first < events.length && position[events[first]] >= 0) first++;
    this.#first = first;
    if (events[first] === except) {
      first++;
      while (first < events.length && position[events[first]] >= 0) first++;
    }
    return first < events.length && this.#times[first] < time ? events[first] : -1;
  }

  remove(event: number): void {
    const rank = this.#rankOf[event];
    if (rank >= 0 && rank < this.#first) this.#first = rank;
  }
}
