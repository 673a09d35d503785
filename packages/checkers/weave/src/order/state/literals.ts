import type { History } from '@isolab/history';
import type { Database } from './database.ts';
import type { OpenReads } from './open-reads.ts';
import type { Known } from '../../facts/known.ts';
import { isCertain, isShownBefore } from '../../problem/certain.ts';
import type { Choices } from './choices.ts';

/** Names the premises of waits by literals. Variables are created when a conflict first names them. */
export class Literals {
  readonly #history: History;
  readonly #known: Known | null;
  readonly #database: Database;
  readonly #choices: Choices;
  readonly #openReads: OpenReads | null;

  constructor(
    history: History,
    known: Known | null,
    database: Database,
    choices: Choices,
    openReads: OpenReads | null,
  ) {
    this.#history = history;
    this.#known = known;
    this.#database = database;
    this.#choices = choices;
    this.#openReads = openReads;
  }

  /**
   * Returns the literal for the placed `first` before the transaction of `event`, which writes `version`; −1 if
   * certain.
   */
  ofOrder(first: number, event: number, version: number): number {
    const { shift, versions, model, position } = this.#database;
    const second = event >> shift;
    const key = versions.writeKey[version];
    if (this.#known?.has(first, second)) return -1;
    if (isCertain(this.#history, versions, model, first, second)) return -1;
    if (isShownBefore(versions, first, second, key)) return -1;
    const literal = this.#choices.ofOrder(first, second, key);
    if (!this.#choices.isSet(literal >> 1)) this.#choices.enterAt(literal, position[this.#database.decider(first)]);
    return literal;
  }

  ofRead(read: number, version: number): number {
    let variable = this.#choices.findSeen(read, version);
    if (variable < 0) {
      variable = this.#choices.addSeen(read, version);
      this.#openReads!.enter(variable);
    }
    return 2 * variable;
  }

  ofCandidates(read: number): number[] {
    const { choiceStart, choice } = this.#openReads!.several;
    const candidates = Array.from(choice.subarray(choiceStart[read], choiceStart[read + 1]));
    return candidates.map((version) => this.ofRead(read, version));
  }
}
