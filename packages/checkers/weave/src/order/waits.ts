/** Waits of events, each for at most one other event. The waiters of an event form a doubly linked list. */
export class Waits {
  /** The event that each event waits for, or −1. */
  readonly on: Int32Array;
  /** Number of the rule that makes each event wait. */
  readonly rule: Uint8Array;
  readonly data: Int32Array;
  readonly basis: Int32Array;
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array; // the waiting event before it in the list, or −1
  readonly waiting: number[] = [];
  readonly #placeOf: Int32Array;

  constructor(numEvents: number) {
    const column = (): Int32Array => new Int32Array(numEvents).fill(-1);
    this.on = column();
    this.rule = new Uint8Array(numEvents);
    this.data = column();
    this.basis = column();
    this.#first = column();
    this.#next = column();
    this.#previous = column();
    this.#placeOf = column();
  }

  add(event: number, on: number, rule: number, data: number, basis: number): void {
    this.on[event] = on;
    this.rule[event] = rule;
    this.data[event] = data;
    this.basis[event] = basis;
    const next = this.#first[on];
    this.#next[event] = next;
    this.#previous[event] = -1;
    if (next >= 0) this.#previous[next] = event;
    this.#first[on] = event;
    this.#placeOf[event] = this.waiting.push(event) - 1;
  }

  remove(event: number): void {
    const next = this.#next[event];
    const previous = this.#previous[event];
    if (previous >= 0) this.#next[previous] = next;
    else this.#first[this.on[event]] = next;
    if (next >= 0) this.#previous[next] = previous;
    this.on[event] = -1;
    const last = this.waiting.pop()!;
    if (last !== event) {
      this.waiting[this.#placeOf[event]] = last;
      this.#placeOf[last] = this.#placeOf[event];
    }
  }

  firstFor(event: number): number {
    return this.#first[event];
  }
}
