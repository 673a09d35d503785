/** First write of each ongoing transaction, by key, in linked lists with removal in constant time. */
export class Ongoing {
  readonly first: Int32Array;
  readonly next: Int32Array;
  readonly #previous: Int32Array;
  readonly #isIn: Uint8Array;
  readonly #latest: Int32Array;

  constructor(keys: number, operations: number) {
    this.first = new Int32Array(keys).fill(-1);
    this.next = new Int32Array(operations).fill(-1);
    this.#previous = new Int32Array(operations).fill(-1);
    this.#isIn = new Uint8Array(operations);
    this.#latest = new Int32Array(keys).fill(-1);
  }

  /** Adds a write, unless its transaction is already present. */
  add(key: number, op: number, t: number): void {
    if (this.#latest[key] === t) return;
    this.#latest[key] = t;
    const head = this.first[key];
    this.next[op] = head;
    this.#previous[op] = -1;
    if (head >= 0) this.#previous[head] = op;
    this.first[key] = op;
    this.#isIn[op] = 1;
  }

  /** Removes a write; returns false if it is not present. */
  remove(key: number, op: number): boolean {
    if (this.#isIn[op] === 0) return false;
    this.#isIn[op] = 0;
    const next = this.next[op];
    const previous = this.#previous[op];
    if (next >= 0) this.#previous[next] = previous;
    if (previous >= 0) this.next[previous] = next;
    else this.first[key] = next;
    return true;
  }
}
