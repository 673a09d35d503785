import { atomOf } from '../columns/atoms.ts';
import { type History, countKeys } from '../history/history.ts';
import { NIL, UNKNOWN_VALUE } from '../columns/operation.ts';
import { type Predicate, isOpaque, showPredicate } from '../rows/predicate.ts';
import type { RowIndex } from '../rows/row-index.ts';
import type { Aggregate } from '../rows/scans.ts';
import { askedRows } from './asked-rows.ts';
import { deniedRows } from './denied-rows.ts';
import { excludedBy, saysOfEach } from './excluded.ts';
import { MOST_ROWS, soleSum } from './sole-sum.ts';
import { heldIn, indexRows } from './versions-of-rows.ts';

/**
 * A register that says whether a row matches a predicate: every write of the row writes true or false to it, and a scan
 * that did not return the row reads false. Thus, a skipped row is an ordinary read of one of its non-matching versions,
 * and the version is a choice. Predicates that match the same versions of a row share an item.
 */
export interface Item {
  /** Key of the item, after all keys of the history. */
  readonly key: number;
  readonly row: number;
  /** Value ids of the matching versions; null for all versions in which the row is present. */
  readonly some: ReadonlySet<number> | null;
}

export const isMatch = ({ some }: Item, value: number): boolean => (some === null ? value !== NIL : some.has(value));

/** A read that a scan represents: of a row, or of whether a row matches. */
export interface ReadOfItem {
  readonly item: Item;
  /** Null if unknown. */
  readonly matched: boolean | null;
}

/** Rows that each scan did not return, or that its aggregate did not include. */
export type PassedOver = ReadonlyMap<number, readonly number[]>;

export class Items {
  readonly #history: History;
  #indexes: readonly RowIndex[] | null = null; // by table; built on first use
  readonly #byRow = new Map<number, Map<string, Item>>();
  readonly #matchesOf = new Map<string, readonly Item[]>(); // by table and predicate
  readonly names: string[] = [];
  readonly all: Item[] = [];
  /** Condition of the first scan that uses each item. */
  readonly conditions: string[] = [];
  readonly #undecided = new Set<number>();
  // Caches of results: by predicate and row, and by scan.
  readonly #known = new Map<Predicate, Map<number, Item | null>>();
  readonly #excluded: Predicate[] = [];
  readonly #reads: { asked: readonly number[]; count: number; reads: ReadOfItem[] }[] = [];

  constructor(history: History) {
    this.#history = history;
  }

  /** Scans whose aggregates cannot be described completely by items. */
  get undecided(): readonly number[] {
    return [...this.#undecided];
  }

  #index(table: number): RowIndex {
    this.#indexes ??= indexRows(this.#history);
    return this.#indexes[table]!;
  }

  /** Returns the items that the writes of a row write. */
  ofRow(row: number): Iterable<Item> {
    return this.#byRow.get(row)?.values() ?? [];
  }

  /** Returns an item for every row that has a matching version. */
  #matchesFor(table: number, predicate: Predicate): readonly Item[] {
    const name = `${table} ${JSON.stringify(predicate)}`;
    let items = this.#matchesOf.get(name);
    if (items === undefined) {
      items = this.#index(table)
        .matching(predicate)
        .map(({ row, some }) => this.item(row, some, predicate));
      this.#matchesOf.set(name, items);
    }
    return items;
  }

  /** Returns the item for a row and its versions that satisfy a predicate; null for all versions. */
  item(row: number, some: readonly number[] | null, predicate: Predicate): Item {
    let items = this.#byRow.get(row);
    if (items === undefined) this.#byRow.set(row, (items = new Map()));
    const name = some === null ? 'all' : some.join();
    let item = items.get(name);
    if (item === undefined) {
      const key = countKeys(this.#history) + this.names.length;
      const condition = showPredicate(predicate);
      this.names.push(`${atomOf(this.#history.keys, row) as string} where ${condition}`);
      this.conditions.push(condition);
      items.set(name, (item = { key, row, some: some && new Set(some) }));
      this.all.push(item);
    }
    return item;
  }

  /**
   * Returns a scan's statements about rows that it did not return, by name: about all of them or only the requested
   * rows. An unmodelled condition implies that no row certainly matches it.
   */
  readsOf(scan: number, asked: PassedOver | null): readonly ReadOfItem[] {
    if (asked === null) return this.#readsOf(scan, null);
    const rows = asked.get(scan) ?? NO_ROWS;
    const known = this.#reads[scan];
    if (known !== undefined && known.asked === rows && known.count === rows.length) return known.reads;
    const reads = this.#readsOf(scan, rows);
    this.#reads[scan] = { asked: rows, count: rows.length, reads };
    return reads;
  }

  #readsOf(scan: number, rows: readonly number[] | null): ReadOfItem[] {
    const { table, predicate, aggregate, predicates, aggregates, rowStart, rowKey, rowValue } = this.#history.scans;
    const where = predicates[predicate[scan]]!;
    const isCertain = !isOpaque(where);
    if (aggregate[scan] >= 0) {
      this.#undecided.delete(scan);
      if (!isCertain) return [];
      const result = aggregates[aggregate[scan]]!;
      const exact = this.#matchedBy(scan, where, result);
      if (!saysOfEach(result)) return exact;
      const excluded = (this.#excluded[scan] ??= excludedBy(where, result));
      return [...this.#passedOver(table[scan], excluded, rows, new Set()), ...exact];
    }
    const known = new Set<number>();
    const unknown = new Set<number>();
    for (let row = rowStart[scan]; row < rowStart[scan + 1]; row++)
      (rowValue[row] === UNKNOWN_VALUE ? unknown : known).add(rowKey[row]);
    const items =
      rows === null
        ? this.#matchesFor(table[scan], where)
        : this.#matchesAmong(table[scan], where, new Set([...rows, ...unknown]));
    if (!isCertain) for (const row of unknown) known.add(row);
    const all = isCertain && unknown.size > 0 ? this.#withAll(unknown, items, table[scan], where) : items;
    return all.filter(({ row }) => !known.has(row)).map((item) => ({ item, matched: unknown.has(item.row) }));
  }

  /** Adds items for some more rows; a row without a matching version gets an item that no write sets to true. */
  #withAll(rows: ReadonlySet<number>, items: readonly Item[], table: number, predicate: Predicate): readonly Item[] {
    const byRow = new Map(items.map((item) => [item.row, item]));
    const known = byRow.size;
    for (const row of rows) if (!byRow.has(row)) byRow.set(row, this.item(row, [], predicate));
    if (byRow.size === known) return items;
    return this.#index(table)
      .inOrder(new Set(byRow.keys()))
      .map((row) => byRow.get(row)!);
  }

  /** Counts pairs of a scan and a skipped row that matches at some time; stops above `most`. */
  countPassedOver(most: number): number {
    const { table, predicate, predicates, rowStart } = this.#history.scans;
    let count = 0;
    for (let scan = 0; scan < table.length && count <= most; scan++)
      count += this.#index(table[scan]).count(predicates[predicate[scan]]!) - (rowStart[scan + 1] - rowStart[scan]);
    return count;
  }

  /** Returns the rows that do not match, among all rows or the requested rows, except for some. */
  #passedOver(
    table: number,
    predicate: Predicate,
    asked: readonly number[] | null,
    known: ReadonlySet<number>,
  ): ReadOfItem[] {
    const items =
      asked === null ? this.#matchesFor(table, predicate) : this.#matchesAmong(table, predicate, new Set(asked));
    return items.filter(({ row }) => !known.has(row)).map((item) => ({ item, matched: false }));
  }

  #matchesAmong(table: number, predicate: Predicate, rows: ReadonlySet<number>): Item[] {
    const items: Item[] = [];
    if (rows.size === 0) return items;
    let known = this.#known.get(predicate);
    if (known === undefined) this.#known.set(predicate, (known = new Map()));
    const index = this.#index(table);
    const unknown = new Set(Array.from(rows).filter((row) => !known.has(row)));
    for (const row of unknown) known.set(row, null);
    if (unknown.size > 0)
      for (const { row, some } of index.matching(predicate, unknown)) known.set(row, this.item(row, some, predicate));
    for (const row of index.inOrder(rows)) {
      const item = known.get(row)!;
      if (item !== null) items.push(item);
    }
    return items;
  }

  /**
   * Returns an aggregate's statements about single matching rows: that all of them matched, or only the row with the
   * minimum, or the rows of the only possible sum.
   */
  #matchedBy(scan: number, where: Predicate, aggregate: Aggregate): ReadOfItem[] {
    const table = this.#history.scans.table[scan];
    const all = (predicate: Predicate): ReadOfItem[] =>
      this.#matchesFor(table, predicate).map((item) => ({ item, matched: true }));
    const { kind, result } = aggregate;
    if (result === null || (kind === 'count' && result === 0)) return [];
    if (kind === 'count' && this.#index(table).isCount(where, result)) return all(where);
    if (kind === 'min' || kind === 'max') {
      const exactly: Predicate = ['and', heldIn(where, aggregate.column), ['=', aggregate.column, result]];
      if (this.#index(table).sole(exactly) !== null) return all(exactly);
    }
    if (kind === 'sum' && this.#index(table).size <= MOST_ROWS) {
      const asked = askedRows(this.#history, scan);
      const sole = soleSum(asked, Number(result), this.#index(table), deniedRows(this.#history));
      if (sole) return sole.map(({ row, some, where: of, adds }) => this.#readOf(row, some, of, adds !== null));
    }
    this.#undecided.add(scan);
    return [];
  }

  #readOf(row: number, some: readonly number[] | null, where: Predicate, matched: boolean): ReadOfItem {
    return { item: this.item(row, some, where), matched };
  }
}

const NO_ROWS: readonly number[] = [];
