import { parseNotation } from '@isolab/formats';
import type { History } from '@isolab/history';
import type { LevelDefinition } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { exhaustiveHistories } from './exhaustive.ts';
import { WITNESSES } from './generated/witnesses.ts';
import { randomHistory, randomNumbers } from './random.ts';
import { reduceWhile, sizeOf } from './size.ts';
import { withTimes } from './timed.ts';

export interface Comparison {
  /**
   * The smallest history found that satisfies only the first level, and the smallest that satisfies only the second.
   */
  readonly onlyFirst: History | null;
  readonly onlySecond: History | null;
  /** Number of examined histories, if none was found. */
  readonly searched: { readonly listed: number; readonly all: number; readonly random: number };
}

/** Describes the examined histories in a sentence. */
export const searchInWords = ({ listed, all, random }: Comparison['searched']): string =>
  `This is not a proof. Searched: ${listed} histories that distinguish levels, ${all} small histories (all of up to ${EXHAUSTIVE.transactions} transactions of ${EXHAUSTIVE.operations} operations on ${EXHAUSTIVE.keys} keys), and ${random} random histories (up to ${RANDOM.transactions} transactions of ${RANDOM.operations} operations on ${RANDOM.keys} keys).`;

export interface CompareOptions {
  /** Number of random histories to try if the small histories show no difference. */
  readonly random?: number;
}

/**
 * Up to these bounds, all histories of committed transactions with unique values are tried, with all times if these are
 * few.
 */
export const EXHAUSTIVE = { sessions: 2, transactions: 2, keys: 2, operations: 2 };
export const RANDOM = { transactions: 4, sessions: 3, operations: 3, keys: 2 };

/**
 * Searches for histories that refute an implication between two levels. It tries the histories that distinguish
 * built-in levels, then all small histories, then random histories, which are reduced. Finding no history is not a
 * proof.
 */
export function compareLevels(
  first: LevelDefinition,
  second: LevelDefinition,
  { random = 3000 }: CompareOptions = {},
): Comparison {
  const pair = new Pair(first, second);
  const listed = WITNESSES.map(({ text }) => parseNotation(text));
  for (const history of listed) pair.look(history);
  let all = 0;
  for (const history of smallHistories()) {
    if (pair.isDone) break;
    all++;
    pair.look(history);
  }
  const numbers = randomNumbers(1);
  let drawn = 0;
  for (; drawn < random && !pair.isDone; drawn++) pair.look(randomHistory(numbers, RANDOM));
  const [onlyFirst, onlySecond] = pair.found;
  return { onlyFirst, onlySecond, searched: { listed: listed.length, all, random: drawn } };
}

/** Generates all small histories within the bounds, without times and with all times that make a difference. */
export function* smallHistories(): Generator<History> {
  for (const history of exhaustiveHistories(EXHAUSTIVE)) {
    yield history;
    if (history.opKind.length <= 3) yield* withTimes(history);
  }
}

class Pair {
  readonly #levels: readonly [LevelDefinition, LevelDefinition];
  readonly #found: [History | null, History | null] = [null, null];

  constructor(first: LevelDefinition, second: LevelDefinition) {
    this.#levels = [first, second];
  }

  get found(): readonly [History | null, History | null] {
    return this.#found;
  }

  get isDone(): boolean {
    return this.#found.every((history) => history !== null);
  }

  look(history: History): void {
    const [first, second] = this.#levels.map((level) => decideDefinition(history, level).satisfied);
    if (first === second) return;
    const which = first ? 0 : 1;
    const known = this.#found[which];
    if (known !== null && sizeOf(known) <= sizeOf(history)) return;
    const smaller = reduceWhile(history, (each) => this.#tells(each, which));
    if (known === null || sizeOf(smaller) < sizeOf(known)) this.#found[which] = smaller;
  }

  #tells(history: History, which: 0 | 1): boolean {
    const [satisfied, violated] = which === 0 ? this.#levels : [this.#levels[1], this.#levels[0]];
    return decideDefinition(history, satisfied).satisfied && !decideDefinition(history, violated).satisfied;
  }
}
