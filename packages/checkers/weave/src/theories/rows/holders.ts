import {
  type Contents,
  type History,
  NIL,
  type Predicate,
  type Scalar,
  UNKNOWN_VALUE,
  comparisonsOf,
  contentsOf,
  countKeys,
  countValues,
} from '@isolab/history';

/** Contents of a column in each version of a row, as numbers. Equal contents have equal numbers. */
class HeldValues {
  readonly #contents: Contents;
  readonly #column: string;
  readonly #of: Int32Array; // by version; 0 until it is first used
  readonly #numbers = new Map<Scalar, number>([[null, 1]]); // an absent row holds null

  constructor(history: History, column: string) {
    this.#contents = contentsOf(history);
    this.#column = column;
    this.#of = new Int32Array(countValues(history));
  }

  of(version: number): number {
    if (!isThere(version)) return 1;
    return this.#of[version] === 0 ? (this.#of[version] = this.#find(version)) : this.#of[version];
  }

  numberOf(held: Scalar): number {
    return this.#numbers.get(held) ?? 0;
  }

  #find(version: number): number {
    const held = this.#contents.of(version)[this.#column] ?? null;
    let number = this.#numbers.get(held);
    if (number === undefined) this.#numbers.set(held, (number = this.#numbers.size + 1));
    return number;
  }
}

/** Returns whether a version is present and known. */
export const isThere = (version: number): boolean => version !== NIL && version !== UNKNOWN_VALUE;

/** The rows that currently hold each value of a column, in lists. The latest holders come last. */
export class Holders {
  readonly #held: HeldValues;
  readonly #first: number[] = []; // by value; −1 or undefined if no row holds it
  readonly #last: number[] = [];
  readonly #next: Int32Array; // by row
  readonly #previous: Int32Array;

  constructor(history: History, column: string) {
    this.#held = heldValues(history, column);
    this.#next = new Int32Array(countKeys(history)).fill(-1);
    this.#previous = new Int32Array(countKeys(history)).fill(-1);
  }

  /** Adds a row that is in no list yet. */
  add(row: number, version: number): void {
    this.#append(row, this.#held.of(version));
  }

  /** Moves a row to the list of its new version's value. */
  replace(row: number, before: number, after: number): void {
    const [held, holds] = [this.#held.of(before), this.#held.of(after)];
    if (held === holds) return;
    this.#remove(row, held);
    this.#append(row, holds);
  }

  of(value: Scalar): number[] {
    const rows: number[] = [];
    for (let row = this.#first[this.#held.numberOf(value)] ?? -1; row >= 0; row = this.#next[row]) rows.push(row);
    return rows;
  }

  #append(row: number, held: number): void {
    const last = this.#last[held] ?? -1;
    this.#previous[row] = last;
    this.#next[row] = -1;
    if (last < 0) this.#first[held] = row;
    else this.#next[last] = row;
    this.#last[held] = row;
  }

  #remove(row: number, held: number): void {
    const [previous, next] = [this.#previous[row], this.#next[row]];
    if (previous < 0) this.#first[held] = next;
    else this.#next[previous] = next;
    if (next < 0) this.#last[held] = previous;
    else this.#previous[next] = previous;
  }
}

const HELD = new WeakMap<History, Map<string, HeldValues>>();

/** Returns the contents of a column in the versions of a history, computed only once. */
function heldValues(history: History, column: string): HeldValues {
  let columns = HELD.get(history);
  if (columns === undefined) HELD.set(history, (columns = new Map()));
  let held = columns.get(column);
  if (held === undefined) columns.set(column, (held = new HeldValues(history, column)));
  return held;
}

/** Returns an equality of a column and a value that every matching row must satisfy, if there is one. */
export function equalityOf(where: Predicate): { readonly column: string; readonly value: Scalar } | null {
  const parts = where !== true && where[0] === 'and' ? (where.slice(1) as Predicate[]) : [where];
  const equal = parts.find((part) => part !== true && part[0] === '=');
  if (equal === undefined) return null;
  const [column, constants] = [...comparisonsOf(equal)][0]!;
  return { column, value: constants[0]! };
}
