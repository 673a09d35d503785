/** What is assumed at the moment, each perhaps more than once: orders of writers, and which write a read saw. */
export class Assumptions {
  readonly #numTxns: number;
  readonly #orders = new Map<number, number>(); // pairs of transactions, and how often each is assumed
  readonly #reads = new Map<number, number>(); // pairs of a read and a writer
  readonly #happened = new Map<number, number>();

  constructor(numTxns: number) {
    this.#numTxns = numTxns;
  }

  assumeOrder(first: number, second: number): void {
    count(this.#orders, first * this.#numTxns + second, 1);
  }

  takeBackOrder(first: number, second: number): void {
    count(this.#orders, first * this.#numTxns + second, -1);
  }

  /** The writer may be the initial transaction, −1. */
  assumeRead(read: number, reader: number, writer: number): void {
    this.#countRead(read, reader, writer, 1);
  }

  takeBackRead(read: number, reader: number, writer: number): void {
    this.#countRead(read, reader, writer, -1);
  }

  isFirst(first: number, second: number): boolean {
    return first >= 0 && second >= 0 && this.#orders.has(first * this.#numTxns + second);
  }

  sees(read: number, writer: number): boolean {
    return this.#reads.has(read * (this.#numTxns + 1) + writer + 1);
  }

  happened(t: number): boolean {
    return this.#happened.has(t);
  }

  #countRead(read: number, reader: number, writer: number, times: 1 | -1): void {
    count(this.#reads, read * (this.#numTxns + 1) + writer + 1, times);
    count(this.#happened, reader, times);
    if (writer >= 0) count(this.#happened, writer, times);
  }
}

function count(counts: Map<number, number>, key: number, times: 1 | -1): void {
  const now = (counts.get(key) ?? 0) + times;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}
