import type { Predicate } from '@isolab/history';

/** The values of a statement, in the order of their places in it. */
export class Parameters {
  readonly values: unknown[] = [];
  readonly #place: (n: number) => string;

  constructor(place: (n: number) => string) {
    this.#place = place;
  }

  /** Place of a value. Truth values stand in the statement itself: not every client has a way to send them. */
  add(value: unknown): string {
    if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
    return this.#place(this.values.push(value));
  }
}

/** A condition in SQL; `row` stands before the columns, where the statement has two tables. */
export function sqlOf(predicate: Predicate, parameters: Parameters, row = ''): string {
  if (predicate === true) return 'TRUE';
  switch (predicate[0]) {
    case 'and':
    case 'or': {
      const [word, ...parts] = predicate;
      if (parts.length === 0) return word === 'and' ? 'TRUE' : 'FALSE';
      return `(${parts.map((part) => sqlOf(part, parameters, row)).join(word === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'not':
      return `NOT (${sqlOf(predicate[1], parameters, row)})`;
    case 'null':
      return `${row}${predicate[1]} IS NULL`;
    case 'sql':
      return `(${predicate[1]})`;
    case 'between':
      return `${row}${predicate[1]} BETWEEN ${parameters.add(predicate[2])} AND ${parameters.add(predicate[3])}`;
    case 'in':
      if (predicate[2].length === 0) return 'FALSE';
      return `${row}${predicate[1]} IN (${predicate[2].map((value) => parameters.add(value)).join(', ')})`;
    default:
      return `${row}${predicate[1]} ${predicate[0]} ${parameters.add(predicate[2])}`;
  }
}
