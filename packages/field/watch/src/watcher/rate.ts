/** Number of arrivals per second in the latest interval. */
export class Rate {
  #at: number;
  #count: number;
  #perSecond = 0;

  constructor(at: number, count = 0) {
    this.#at = at;
    this.#count = count;
  }

  perSecond(at: number, count: number): number {
    const ms = at - this.#at;
    if (ms < 500) return this.#perSecond;
    this.#perSecond = (Math.max(0, count - this.#count) * 1000) / ms; // the count may have decreased
    [this.#at, this.#count] = [at, count];
    return this.#perSecond;
  }
}
