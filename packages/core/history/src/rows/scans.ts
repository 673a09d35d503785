import type { Atom } from '../columns/atoms.ts';
import type { Predicate } from './predicate.ts';
import type { Row, Scalar } from './row.ts';
import type { IdColumn, KeyId } from '../columns/ids.ts';

/**
 * Reads of tables by predicate. A row of a table is a key, `TABLE/KEY`; its values are versions: texts of its columns,
 * or nil if the row is absent. A scan sees one version of every row of its table, and reports the matching versions.
 */
export interface Scans {
  readonly tables: readonly string[];
  /** Tables that stand for counters that are only incremented and read, with a row for each incrementing transaction. */
  readonly counters?: readonly number[];
  /** Table of each key that is a row, otherwise −1. */
  readonly keyTable: Int32Array;
  readonly predicates: readonly Predicate[];
  /** For each scan: its table, its predicate, and its aggregate, or −1 if it returned rows. */
  readonly table: Int32Array;
  readonly predicate: Int32Array;
  readonly aggregate: Int32Array;
  /** Results of scans with aggregates, such as counts and sums. */
  readonly aggregates: readonly Aggregate[];
  /** First returned row of each scan, with one extra slot. */
  readonly rowStart: Int32Array;
  readonly rowKey: IdColumn<KeyId>;
  /** The version; UNKNOWN_VALUE if it is only known that the row matched. */
  readonly rowValue: Int32Array;
}

/** Aggregate that a scan returned instead of the matching rows; rows without the column do not count. */
export type Aggregate =
  | { readonly kind: 'count'; readonly result: number }
  | { readonly kind: 'sum' | 'min' | 'max'; readonly column: string; readonly result: Scalar };

/** An aggregate without its result. */
export type AggregateOf =
  | { readonly kind: 'count' }
  | { readonly kind: 'sum' | 'min' | 'max'; readonly column: string };

export const AGGREGATES = ['count', 'sum', 'min', 'max'] as const;

/** Returns the name of a row's key: `doctors/1`, `doctors/"alice"`. */
export const rowName = (table: string, key: bigint | string): string =>
  `${table}/${typeof key === 'bigint' ? key : JSON.stringify(key)}`;

export const tableOfRow = (name: string): string => name.slice(0, name.indexOf('/'));

/** Returns the key in a name from {@link rowName}. */
export function keyOfRow(name: string): bigint | string {
  const text = name.slice(name.indexOf('/') + 1);
  return /^-?\d+$/.test(text) ? BigInt(text) : (JSON.parse(text) as string);
}

/** Collects the scans of a history during its construction. */
export class ScanList {
  readonly #tables = new Map<string, number>();
  readonly #predicates = new Map<string, number>();
  readonly #types = new Map<string, string>(); // by table and column
  readonly #columns = {
    table: [] as number[],
    predicate: [] as number[],
    aggregate: [] as number[],
    rowStart: [0],
    rowKey: [] as number[],
    rowValue: [] as number[],
  };
  readonly #aggregates: Aggregate[] = [];
  /** Tables of {@link Scans.counters}. */
  readonly counters: number[] = [];

  get isEmpty(): boolean {
    return this.#tables.size === 0;
  }

  has(name: string): boolean {
    return this.#tables.has(name);
  }

  table(name: string): number {
    let table = this.#tables.get(name);
    if (table === undefined) this.#tables.set(name, (table = this.#tables.size));
    return table;
  }

  /** Adds a scan and returns its number; the rows that it returned follow with {@link row}. */
  add(table: number, predicate: Predicate, aggregate: Aggregate | null): number {
    const text = JSON.stringify(predicate);
    let number = this.#predicates.get(text);
    if (number === undefined) this.#predicates.set(text, (number = this.#predicates.size));
    this.#columns.predicate.push(number);
    this.#columns.aggregate.push(aggregate === null ? -1 : this.#aggregates.push(aggregate) - 1);
    this.#columns.rowStart.push(this.#columns.rowKey.length);
    return this.#columns.table.push(table) - 1;
  }

  row(key: number, value: number): void {
    this.#columns.rowKey.push(key);
    this.#columns.rowValue.push(value);
    this.#columns.rowStart[this.#columns.rowStart.length - 1] = this.#columns.rowKey.length;
  }

  /** Notes the type of a column's value. A column has one type per history; returns its other type if it has two. */
  conflictingType(table: number, column: string, value: Exclude<Scalar, null>): string | null {
    const name = `${table}/${column}`;
    const known = this.#types.get(name);
    if (known === undefined) this.#types.set(name, typeof value);
    return known === undefined || known === typeof value ? null : known;
  }

  finish(keyNames: Iterable<Atom>): Scans {
    const { table, predicate, aggregate, rowStart, rowKey, rowValue } = this.#columns;
    return {
      tables: [...this.#tables.keys()],
      ...(this.counters.length > 0 && { counters: this.counters }),
      keyTable: this.isEmpty ? NO_INTS : Int32Array.from(keyNames, (name) => this.#tableOf(name)),
      predicates: Array.from(this.#predicates.keys(), (text) => JSON.parse(text) as Predicate),
      table: Int32Array.from(table),
      predicate: Int32Array.from(predicate),
      aggregate: Int32Array.from(aggregate),
      aggregates: this.#aggregates,
      rowStart: Int32Array.from(rowStart),
      rowKey: Int32Array.from(rowKey) as IdColumn<KeyId>,
      rowValue: Int32Array.from(rowValue),
    };
  }

  #tableOf(name: Atom): number {
    if (typeof name !== 'string' || !/^[^/]+\/(-?\d+|".*")$/s.test(name)) return -1;
    return this.#tables.get(tableOfRow(name)) ?? -1;
  }
}

const NO_INTS = new Int32Array(0);

export const NO_SCANS: Scans = new ScanList().finish([]);

/** Returns the result of an aggregate over these rows. */
export function aggregateOf(of: AggregateOf, rows: readonly Row[]): Scalar {
  if (of.kind === 'count') return rows.length;
  const { kind, column } = of;
  const values = rows.map((row) => row[column] ?? null).filter((value) => value !== null);
  if (values.length === 0) return null;
  if (kind === 'sum') return values.reduce<number>((sum, value) => sum + Number(value), 0);
  return values.reduce((best, value) => ((kind === 'min' ? value < best : value > best) ? value : best));
}
