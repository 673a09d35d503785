import { type Constant, type Predicate, compare, comparisonsOf, matches } from './predicate.ts';
import type { Row } from './row.ts';

export interface VersionOfRow {
  readonly value: number;
  readonly columns: Row;
}

interface VersionsOfRow {
  readonly row: number;
  readonly versions: readonly VersionOfRow[];
  /** Whether the row is absent initially or after a write of any outcome. */
  readonly isEverAbsent: boolean;
}

export interface MatchingRow {
  readonly row: number;
  /** Value ids of the matching versions; null if the row matches in all versions in which it is present. */
  readonly some: readonly number[] | null;
}

/** Index of the versions of one table's rows by the values of their columns. */
export class RowIndex {
  readonly #rows: readonly VersionsOfRow[];
  readonly #columns = new Map<string, Column>();

  readonly #placeOf: ReadonlyMap<number, number>;
  readonly #counts = new Map<string, number>(); // by predicate
  readonly #candidatesOf = new Map<Predicate, Int32Array>();
  readonly #soles = new Map<string, MatchingRow | null>();

  constructor(rows: readonly VersionsOfRow[]) {
    this.#rows = rows;
    this.#placeOf = new Map(rows.map(({ row }, place) => [row, place]));
  }

  /** Number of rows of the table. */
  get size(): number {
    return this.#rows.length;
  }

  isEverAbsent(row: number): boolean {
    return this.#rows[this.#placeOf.get(row)!]!.isEverAbsent;
  }

  /** Returns the rows that have a matching version, in order; searches all rows or only `among`. */
  matching(predicate: Predicate, among: ReadonlySet<number> | null = null): MatchingRow[] {
    return [...this.#matching(predicate, among)];
  }

  versionsMatching(predicate: Predicate): number[] {
    return Array.from(this.#candidates(predicate)).flatMap((place) =>
      this.#rows[place]!.versions.filter(({ columns }) => matches(predicate, columns)).map(({ value }) => value),
    );
  }

  /** Counts the rows that have a matching version. */
  count(predicate: Predicate): number {
    const name = JSON.stringify(predicate);
    let count = this.#counts.get(name);
    if (count === undefined) this.#counts.set(name, (count = this.#countUpTo(predicate, Infinity)));
    return count;
  }

  /** Returns whether exactly `count` rows have a matching version. */
  isCount(predicate: Predicate, count: number): boolean {
    return this.#countUpTo(predicate, count + 1) === count;
  }

  #countUpTo(predicate: Predicate, most: number): number {
    const seen = new Set<number>();
    const range = rangeOf(predicate);
    const exact = range && this.#column(range.column).matching(predicate, range);
    let count = 0;
    for (const place of exact ?? this.#unsorted(predicate) ?? this.#rows.keys()) {
      if (count === most) break;
      if (seen.has(place)) continue;
      seen.add(place);
      if (exact || this.#rows[place]!.versions.some(({ columns }) => matches(predicate, columns))) count++;
    }
    return count;
  }

  /** Returns the only row that has a matching version; null if there are none or several. */
  sole(predicate: Predicate): MatchingRow | null {
    const name = JSON.stringify(predicate);
    let sole = this.#soles.get(name);
    if (sole === undefined) {
      const rows = this.#matching(predicate);
      const first = rows.next();
      sole = first.done || !rows.next().done ? null : first.value;
      this.#soles.set(name, sole);
    }
    return sole;
  }

  *#matching(predicate: Predicate, among: ReadonlySet<number> | null = null): Generator<MatchingRow, void> {
    const isFixed = [...comparisonsOf(predicate)].every(([column]) => this.#column(column).isFixed);
    const places = among === null ? this.#candidates(predicate) : this.#placesOf(among);
    for (const place of places) {
      const { row, versions } = this.#rows[place]!;
      if (versions.length === 0) continue;
      // If the relevant columns never change, such as those of the primary key, one version represents all of them.
      if (isFixed) {
        if (matches(predicate, versions[0]!.columns)) yield { row, some: null };
        continue;
      }
      const some = versions.filter(({ columns }) => matches(predicate, columns)).map(({ value }) => value);
      if (some.length > 0) yield { row, some: some.length === versions.length ? null : some };
    }
  }

  inOrder(rows: ReadonlySet<number>): number[] {
    return Array.from(this.#placesOf(rows), (place) => this.#rows[place]!.row);
  }

  #placesOf(rows: ReadonlySet<number>): Int32Array {
    return Int32Array.from(rows, (row) => this.#placeOf.get(row)!).toSorted();
  }

  /** Returns a superset of the rows that may match. */
  candidates(predicate: Predicate): Int32Array {
    let candidates = this.#candidatesOf.get(predicate);
    if (candidates === undefined) {
      candidates = Int32Array.from(this.#candidates(predicate), (place) => this.#rows[place]!.row);
      this.#candidatesOf.set(predicate, candidates);
    }
    return candidates;
  }

  /** Returns the places of a superset of the rows that may match, in ascending order. */
  #candidates(predicate: Predicate): Iterable<number> {
    const places = this.#unsorted(predicate);
    return places === null ? this.#rows.keys() : new Set(places.toSorted());
  }

  /**
   * Returns candidates in any order, possibly repeated, from the condition that leaves the fewest; null for all rows.
   */
  #unsorted(predicate: Predicate): Int32Array | null {
    const parts = predicate !== true && predicate[0] === 'and' ? (predicate.slice(1) as Predicate[]) : [predicate];
    let best: Int32Array | null = null;
    let fewest = Infinity;
    for (const part of parts) {
      const range = rangeOf(part);
      if (range === null) continue;
      const { from, to, places } = this.#column(range.column).between(range);
      if (to - from >= fewest) continue;
      fewest = to - from;
      best = places.subarray(from, to);
    }
    return best;
  }

  #column(name: string): Column {
    let column = this.#columns.get(name);
    if (column === undefined) this.#columns.set(name, (column = new Column(this.#rows, name)));
    return column;
  }
}

interface ValueRange {
  readonly column: string;
  readonly low: Constant | null;
  readonly high: Constant | null;
}

/** Returns the range of a column in which a condition can hold; it may be slightly too wide. */
function rangeOf(predicate: Predicate): ValueRange | null {
  if (predicate === true) return null;
  switch (predicate[0]) {
    case '=':
      return { column: predicate[1], low: predicate[2], high: predicate[2] };
    case '<':
    case '<=':
      return { column: predicate[1], low: null, high: predicate[2] };
    case '>':
    case '>=':
      return { column: predicate[1], low: predicate[2], high: null };
    case 'between':
      return { column: predicate[1], low: predicate[2], high: predicate[3] };
    case 'in': {
      const values = predicate[2].toSorted(compare);
      return values.length === 0 ? null : { column: predicate[1], low: values[0]!, high: values.at(-1)! };
    }
    default:
      return null;
  }
}

/** Values of a column in the versions of all rows, in ascending order. */
class Column {
  /** Whether all versions of each row have the same value. */
  readonly isFixed: boolean;
  readonly #values: readonly Constant[];
  readonly #places: Int32Array; // rows, sorted by value

  constructor(rows: readonly VersionsOfRow[], name: string) {
    const entries: { value: Constant; place: number }[] = [];
    let isFixed = true;
    rows.forEach(({ versions }, place) => {
      const held = new Set(versions.map(({ columns }) => columns[name] ?? null));
      if (held.size > 1) isFixed = false;
      for (const value of held) if (value !== null) entries.push({ value, place });
    });
    entries.sort((a, b) => compare(a.value, b.value));
    this.isFixed = isFixed;
    this.#values = entries.map(({ value }) => value);
    this.#places = Int32Array.from(entries, ({ place }) => place);
  }

  between({ low, high }: ValueRange): { from: number; to: number; places: Int32Array } {
    const from = low === null ? 0 : this.#countBelow((value) => compare(value, low) < 0);
    const to = high === null ? this.#values.length : this.#countBelow((value) => compare(value, high) <= 0);
    return { from, to: Math.max(from, to), places: this.#places };
  }

  /** Returns the places of rows with a matching value, possibly repeated, for a condition on this column alone. */
  matching(predicate: Predicate, range: ValueRange): number[] {
    const { from, to } = this.between(range);
    const found: number[] = [];
    let isMatch = false;
    for (let i = from; i < to; i++) {
      const value = this.#values[i]!;
      if (i === from || value !== this.#values[i - 1]) isMatch = matches(predicate, { [range.column]: value });
      if (isMatch) found.push(this.#places[i]);
    }
    return found;
  }

  #countBelow(isBelow: (value: Constant) => boolean): number {
    let low = 0;
    let high = this.#values.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBelow(this.#values[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
