import { type Contents, NIL, type Predicate, type Scalar, UNKNOWN_VALUE, comparisonsOf } from '@isolab/history';

/** Returns whether a version is present and known. */
export const isThere = (version: number): boolean => version !== NIL && version !== UNKNOWN_VALUE;

/** The rows that currently hold each value of a column. The latest holders come last. */
export class Holders {
  readonly #contents: Contents;
  readonly #column: string;
  readonly #rows = new Map<Scalar, Set<number>>();
  readonly #held: (Scalar | undefined)[]; // by version

  constructor(contents: Contents, column: string, numVersions: number) {
    this.#held = Array.from({ length: numVersions });
    this.#contents = contents;
    this.#column = column;
  }

  /** Moves a row to the holders of its new version's value. No condition asks for rows without a value. */
  replace(row: number, before: number, after: number): void {
    const [held, holds] = [this.#heldIn(before), this.#heldIn(after)];
    if (held === holds) return;
    if (held !== null) this.#rows.get(held)!.delete(row);
    if (holds === null) return;
    const rows = this.#rows.get(holds);
    if (rows === undefined) this.#rows.set(holds, new Set([row]));
    else rows.add(row);
  }

  of(value: Scalar): Iterable<number> {
    return this.#rows.get(value) ?? [];
  }

  #heldIn(version: number): Scalar {
    if (!isThere(version)) return null;
    return (this.#held[version] ??= this.#contents.of(version)[this.#column] ?? null);
  }
}

/** Returns an equality of a column and a value that every matching row must satisfy, if there is one. */
export function equalityOf(where: Predicate): { readonly column: string; readonly value: Scalar } | null {
  const parts = where !== true && where[0] === 'and' ? (where.slice(1) as Predicate[]) : [where];
  const equal = parts.find((part) => part !== true && part[0] === '=');
  if (equal === undefined) return null;
  const [column, constants] = [...comparisonsOf(equal)][0]!;
  return { column, value: constants[0]! };
}
