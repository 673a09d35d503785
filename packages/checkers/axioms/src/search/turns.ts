import type { Hint, Hints } from './guide.ts';

/** A guide and our own search take turns, each as long as the other so far. Hence neither has to be the better one. */
export class Turns {
  /** The latest hint that was examined. */
  hint: Hint | null = null;
  readonly #hints: Hints | null;
  readonly #isRight: (hint: Hint) => boolean;
  #patience: number;
  #searched = 0;
  /** Number of steps of the search that the guide waits for. */
  #nextTurn = 0;

  constructor(hints: Hints | null, operations: number, isRight: (hint: Hint) => boolean) {
    this.#hints = hints;
    this.#isRight = isRight;
    this.#patience = STEPS_PER_OPERATION * operations + FEWEST_STEPS;
  }

  /** Steps of the search that were taken. */
  search(steps: number): void {
    this.#searched += steps;
  }

  /** An order that is right, if it is the guide's turn and it finds one in time. */
  take(): Hint | null {
    if (this.#hints === null || this.#searched < this.#nextTurn) return null;
    const patience = this.#patience;
    this.#nextTurn = SEARCH_PER_STEP * patience;
    this.#patience *= MORE_PATIENCE;
    for (this.hint of this.#hints.within(patience)) if (this.#isRight(this.hint)) return this.hint;
    return null;
  }
}

/** Steps of the guide at first, for each operation, but for few of these. */
const STEPS_PER_OPERATION = 20;
const FEWEST_STEPS = 10_000;
/** Factor by which its next turn is longer. */
const MORE_PATIENCE = 4;
/** Steps of the search that take as long as one of the guide. */
const SEARCH_PER_STEP = 20;
