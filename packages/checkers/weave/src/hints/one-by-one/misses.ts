import type { Store } from './stores.ts';

/** Number of reads that each waiting transaction would miss if it began now, kept up to date while others commit. */
export class Misses {
  readonly #store: Store;
  readonly #of = new Map<number, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  of(t: number): number {
    let misses = this.#of.get(t);
    if (misses === undefined) this.#of.set(t, (misses = this.#store.misses(t)));
    return misses;
  }

  forget(t: number): void {
    this.#of.delete(t);
  }

  /** Returns the number of additional misses of waiting transactions if a commit replaced these versions. */
  brokenBy(replaced: readonly number[], waiting: readonly number[]): number {
    let broken = 0;
    for (const t of waiting) broken += Math.max(0, this.#more(t, replaced) ?? (this.of(t) === 0 ? 1 : 0));
    return broken;
  }

  /** Updates the numbers after a commit, or after its undoing, by the versions that it replaced. */
  change(replaced: readonly number[], sign: 1 | -1): void {
    for (const [t, misses] of this.#of) {
      const more = this.#more(t, replaced);
      if (more === null) this.#of.delete(t);
      else if (more !== 0) this.#of.set(t, misses + sign * more);
    }
  }

  /** Returns null if the number of the transaction must be computed again. */
  #more(t: number, replaced: readonly number[]): number | null {
    let sum = 0;
    for (let i = 0; i < replaced.length; i += 3) {
      const more = this.#store.missesMore(t, replaced[i]!, replaced[i + 1]!, replaced[i + 2]!);
      if (more === null) return null;
      sum += more;
    }
    return sum;
  }
}
