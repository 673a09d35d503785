import type { Predicate } from '@isolab/history';

/** Parameters of a statement in the order of their placeholders. */
export class Parameters {
  readonly values: unknown[] = [];
  readonly #place: (n: number) => string;

  constructor(place: (n: number) => string) {
    this.#place = place;
  }

  /** Adds a value and returns its placeholder. Booleans become literals, because some clients cannot send them. */
  add(value: unknown): string {
    if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
    return this.#place(this.values.push(value));
  }
}

/** Returns a predicate as SQL; `row` qualifies the columns in statements on two tables. */
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
