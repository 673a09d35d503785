/**
 * The time for which a watcher has been looking, in milliseconds. It never goes back, even if the system's clock does,
 * and a pause counts as at most a second: lines that arrived in the source during the pause may explain earlier reads.
 */
export class Patience {
  readonly #clock: () => number;
  #read: number;
  #now = 0;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#read = clock();
  }

  now(): number {
    const read = this.#clock();
    this.#now += Math.min(Math.max(0, read - this.#read), LONGEST_STEP);
    this.#read = read;
    return this.#now;
  }
}

const LONGEST_STEP = 1000;
