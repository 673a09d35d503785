/** Order of runs: measurements run in parallel, a collection runs alone. */
export class Turns {
  #alone: Promise<unknown> = Promise.resolve();
  readonly #together = new Set<Promise<unknown>>();

  async together<T>(work: () => Promise<T>): Promise<T> {
    let waited: Promise<unknown>;
    do await (waited = this.#alone);
    while (waited !== this.#alone);
    const working = work();
    this.#together.add(working);
    try {
      return await working;
    } finally {
      this.#together.delete(working);
    }
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    const working = Promise.allSettled([this.#alone, ...this.#together]).then(work);
    this.#alone = working.catch(() => {});
    return working;
  }
}
