import { transactionsIn, type Versioned } from './lines.ts';
import type { Operation, LogStep } from './placing.ts';

/**
 * Returns the writer of the version that a transaction replaced; null if there is no such version, undefined if it is
 * unknown.
 */
type ReplacedBy = (place: string) => number | null | undefined;

/**
 * Rows whose key one transaction deleted and another one inserted again. To PostgreSQL these are two rows: an INSERT
 * may use the key of a deleted row even if its snapshot still has that row. Each of them is therefore written as a
 * separate row, `7#1204`, with the number of the transaction that inserted it. A version that replaced an unknown
 * version is a row of its own.
 */
export class Tuples {
  readonly #places: ReadonlySet<string>;
  readonly #tables: ReadonlySet<string>;
  /** For each version, the transaction that inserted its row, if another one wrote the version. */
  readonly #inserters = new Map<string, number>();

  /** `places` are rows, such as `"accounts",1`; in `tables`, every row may be affected. */
  constructor(places: ReadonlySet<string>, tables: ReadonlySet<string>) {
    this.#places = places;
    this.#tables = tables;
  }

  get isEmpty(): boolean {
    return this.#places.size + this.#tables.size === 0;
  }

  hasAnyOf(table: string): boolean {
    const prefix = `${JSON.stringify(table)},`;
    return this.#tables.has(table) || [...this.#places].some((place) => place.startsWith(prefix));
  }

  has(table: string, key: unknown): boolean {
    return this.#tables.has(table) || this.#places.has(placeOf(table, key));
  }

  keyOf(table: string, key: unknown, row: object): unknown {
    return this.has(table, key) ? this.#nameOf(table, key, (row as Versioned).xmin) : key;
  }

  /** Renames the rows that a transaction read and wrote. */
  rename(steps: readonly LogStep[], replacedBy: ReplacedBy): void {
    if (this.isEmpty) return;
    const own = new Map<string, number | null>();
    const renamed = (operations: readonly Operation[]): Operation[] =>
      operations.flatMap((operation, i) => this.#renamed(operation, operations[i - 1], own, replacedBy));
    for (const step of steps) {
      if (step.scan && step.scan[1] === null && this.has(step.scan[0], step.scan[2])) step.scan = null;
      step.operations = renamed(step.operations);
      step.more = renamed(step.more);
    }
  }

  #renamed(
    operation: Operation,
    before: Operation | undefined,
    own: Map<string, number | null>,
    replacedBy: ReplacedBy,
  ): Operation[] {
    const [kind, table, key, row] = operation as readonly [string, string, unknown, Versioned | null];
    if (!this.has(table, key)) return [operation];
    if (kind === 'get') return row === null ? [] : [['get', table, this.#nameOf(table, key, row.xmin), row]];
    const place = placeOf(table, key);
    const last = own.has(place) ? own.get(place) : (readBy(before, place) ?? replacedBy(place));
    own.set(place, row?.xmin ?? null);
    if (row === null) return typeof last === 'number' ? [['put', table, this.#nameOf(table, key, last), null]] : [];
    if (typeof last === 'number' && last !== row.xmin)
      this.#inserters.set(`${place} ${row.xmin}`, this.#inserters.get(`${place} ${last}`) ?? last);
    return [['put', table, this.#nameOf(table, key, row.xmin), row]];
  }

  #nameOf(table: string, key: unknown, xmin: number): string {
    return `${String(key)}#${this.#inserters.get(`${placeOf(table, key)} ${xmin}`) ?? xmin}`;
  }
}

const placeOf = (table: unknown, key: unknown): string => JSON.stringify([table, key]).slice(1, -1);

/** Returns the writer of the version of a row that an operation read. */
function readBy(operation: Operation | undefined, place: string): number | undefined {
  if (operation?.[0] !== 'get' || placeOf(operation[1], operation[2]) !== place) return undefined;
  return (operation[3] as Versioned | null)?.xmin;
}

/** Finds rows of tables outside the log that were deleted and, as far as is known, inserted again. */
export async function takenAgain(path: string, isInLog: (table: string) => boolean): Promise<Set<string>> {
  const deleters = new Map<string, number>();
  for await (const [line, { ops }] of transactionsIn(path))
    for (const [kind, table, key, row] of ops)
      if (kind === 'put' && row === null && !isInLog(table as string)) deleters.set(placeOf(table, key), line);
  const places = new Set<string>();
  if (deleters.size > 0)
    for await (const [line, { ops }] of transactionsIn(path))
      for (const [i, [kind, table, key, row]] of ops.entries()) {
        if (kind !== 'put' || row === null) continue;
        const place = placeOf(table, key);
        const deleter = deleters.get(place);
        if (deleter !== undefined && deleter !== line && readBy(ops[i - 1], place) === undefined) places.add(place);
      }
  return places;
}
