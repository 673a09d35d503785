/** Restarts when recent clauses have a greater LBD than usual (Glucose 2012; averages as in Biere & Fröhlich 2015). */
const FAST = 1 / 32;
const SLOW = 1 / 4096;
const MARGIN = 1.15;
const MIN_INTERVAL = 10; // conflicts

export class Restarts {
  #conflicts = 0; // since the last restart
  #fast = 0;
  #slow = 0;
  #learned = 0;

  learned(lbd: number): void {
    this.#conflicts++;
    this.#learned++;
    // At the beginning, all clauses have equal weight.
    this.#fast += (lbd - this.#fast) * Math.max(FAST, 1 / this.#learned);
    this.#slow += (lbd - this.#slow) * Math.max(SLOW, 1 / this.#learned);
  }

  isDue(): boolean {
    return this.#conflicts >= MIN_INTERVAL && this.#fast > MARGIN * this.#slow;
  }

  restarted(): void {
    this.#conflicts = 0;
  }
}
