import type { Hint, Hints } from './guide.ts';

/**
 * A guide and our own search take turns, each running as long as the other has so far. So neither has to be the better
 * choice.
 */
export class Turns {
  hint: Hint | null = null;
  readonly #hints: Hints | null;
  readonly #isRight: (hint: Hint) => boolean;
  #patience: number;
  #searched = 0;
  /** Number of search steps until the guide's next turn. */
  #nextTurn = 0;

  constructor(hints: Hints | null, operations: number, isRight: (hint: Hint) => boolean) {
    this.#hints = hints;
    this.#isRight = isRight;
    this.#patience = STEPS_PER_OPERATION * operations + FEWEST_STEPS;
  }

  search(steps: number): void {
    this.#searched += steps;
  }

  /** Returns a correct order, if it is the guide's turn and it finds one in time. */
  take(): Hint | null {
    if (this.#hints === null || this.#searched < this.#nextTurn) return null;
    const patience = this.#patience;
    this.#nextTurn = SEARCH_PER_STEP * patience;
    this.#patience *= MORE_PATIENCE;
    for (this.hint of this.#hints.within(patience)) if (this.#isRight(this.hint)) return this.hint;
    return null;
  }
}

/** Steps per operation in the guide's first turn. */
const STEPS_PER_OPERATION = 20;
const FEWEST_STEPS = 10_000;
/** Factor by which each turn of the guide is longer than the last. */
const MORE_PATIENCE = 4;
/** Number of search steps that take as long as one step of the guide. */
const SEARCH_PER_STEP = 20;
