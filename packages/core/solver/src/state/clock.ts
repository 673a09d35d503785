/** Counts steps and reports them from time to time, but only in consistent states: the callback may throw. */
const INTERVAL = 1024;

export class Clock {
  readonly #onTick: ((steps: number) => void) | undefined;
  #steps = 0;

  constructor(onTick: ((steps: number) => void) | undefined) {
    this.#onTick = onTick;
  }

  count(steps: number): void {
    this.#steps += steps;
  }

  tick(): void {
    if (this.#steps < INTERVAL) return;
    const told = this.#steps;
    this.#steps = 0;
    this.#onTick?.(told);
  }
}
