import { type RunContext, Stop } from '@isolab/contract';
import { contextLike } from '../problem/contexts.ts';

/** Context of repeated searches for contradictions. Searches after the first get a limited multiple of its time. */
export class FurtherRounds {
  readonly context: RunContext;
  readonly #outer: RunContext;
  #rounds = 0;
  #steps = 0;
  #limit = Infinity;

  constructor(outer: RunContext) {
    this.#outer = outer;
    this.context = contextLike(outer, {
      certify: true, // certificates show their premises
      findAll: true,
      progress: (done, total) => this.#rounds === 0 && outer.progress(done, total),
      tick: (steps) => {
        this.#steps += steps;
        if (this.#steps > this.#limit)
          throw new Stop('steps', 'the search behind the first contradiction takes too long');
        outer.tick(steps);
      },
    });
  }

  next(): void {
    if (this.#rounds === 0) this.#limit = this.#steps + Math.max(TIMES_LONGER * this.#steps, LEAST_STEPS);
    this.#outer.progress(++this.#rounds, MOST_CONTRADICTIONS);
  }
}

/** Number of contradictions that is sufficient for a reader. */
export const MOST_CONTRADICTIONS = 100;
const TIMES_LONGER = 20;
const LEAST_STEPS = 20_000_000; // about 20 seconds
