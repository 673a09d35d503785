import { type Constant, type Contents, NIL, type Predicate, type Scalar, UNKNOWN_VALUE } from '@isolab/history';

/** Returns whether a version is present and known. */
export const isThere = (version: number): boolean => version !== NIL && version !== UNKNOWN_VALUE;

/** The rows that currently hold each value of a column. The latest holders come last. */
export class Holders {
  readonly column: string;
  readonly #contents: Contents;
  readonly #held: Int32Array; // by version: number of the value, or 0 if it is not known yet
  readonly #numbers = new Map<Scalar, number>([[null, ABSENT]]);
  readonly #rows: Set<number>[] = []; // by number

  constructor(contents: Contents, column: string, numVersions: number) {
    this.column = column;
    this.#contents = contents;
    this.#held = new Int32Array(numVersions);
  }

  /** Moves a row to the holders of its new version's value. No condition asks for rows without a value. */
  replace(row: number, before: number, after: number): void {
    const [held, holds] = [this.#heldIn(before), this.#heldIn(after)];
    if (held === holds) return;
    if (held !== ABSENT) this.#rows[held]!.delete(row);
    if (holds !== ABSENT) (this.#rows[holds] ??= new Set()).add(row);
  }

  of(value: Scalar): Iterable<number> {
    return this.#rows[this.#numbers.get(value) ?? ABSENT] ?? [];
  }

  #heldIn(version: number): number {
    if (!isThere(version)) return ABSENT;
    return this.#held[version] || (this.#held[version] = this.#numberOf(version));
  }

  #numberOf(version: number): number {
    const value = this.#contents.of(version)[this.column] ?? null;
    let number = this.#numbers.get(value);
    if (number === undefined) this.#numbers.set(value, (number = this.#numbers.size + 1));
    return number;
  }
}

const ABSENT = 1;

export interface Equality {
  readonly column: string;
  readonly value: Scalar;
  /** Shows whether every row that satisfies the condition matches. */
  readonly isAll: boolean;
}

/** Returns an equality of a column and a value that every matching row must satisfy, if there is one. */
export function equalityOf(where: Predicate): Equality | null {
  const parts = where !== true && where[0] === 'and' ? (where.slice(1) as Predicate[]) : [where];
  const equal = parts.find((part): part is readonly ['=', string, Constant] => part !== true && part[0] === '=');
  return equal === undefined ? null : { column: equal[1], value: equal[2], isAll: parts.length === 1 };
}
