import {
  type Aggregate,
  type AssumedRows,
  type Contents,
  type History,
  OpKind,
  type Predicate,
  type Row,
  type RowIndex,
  UNKNOWN_VALUE,
  aggregateOf,
  contentsOf,
  countKeys,
  excludedFrom,
  indexRows,
  isOpaque,
  matches,
} from '@isolab/history';
import { TUNING } from '../../problem/tuning.ts';
import { Holders, equalityOf, isThere } from './holders.ts';

/**
 * A matching row that a scan did not return, a row that an aggregate cannot have included, or (row −1) an aggregate
 * with another result.
 */
export interface Overlooked {
  readonly scan: number;
  readonly row: number;
}

/** Replays transactions in an order in which the returned rows were current, and looks for missed rows. */
export class ScanReplay {
  readonly #history: History;
  readonly #contents: Contents;
  readonly #indexes: readonly RowIndex[];
  readonly #current: Int32Array; // by key
  /** Rows that currently hold each value, by table and by column that some scan compares with a value. */
  readonly #holders: Map<string, Holders>[];
  readonly #present: Set<number>[]; // by table
  readonly #returnedBy: Int32Array; // by row: the last evaluated scan that returned it
  readonly #own = new Map<number, number>();
  readonly overlooked: Overlooked[] = [];
  readonly #assumed: AssumedRows;

  constructor(history: History, assumed: AssumedRows = new Map()) {
    this.#history = history;
    this.#assumed = assumed;
    this.#contents = contentsOf(history);
    this.#indexes = indexRows(history);
    this.#current = history.keyInitial.slice();
    this.#holders = history.scans.tables.map(() => new Map());
    this.#present = history.scans.tables.map(() => new Set());
    this.#returnedBy = new Int32Array(countKeys(history)).fill(-1);
    this.#indexColumns();
  }

  get rowsPresent(): number {
    return this.#present.reduce((sum, { size }) => sum + size, 0);
  }

  /** Finds the rows that the scans of a transaction, or some of them, overlook if it begins now. */
  begin(t: number, from = 0, to = this.#history.txnStart[t + 1]): void {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    const own = new Map<number, number>();
    for (let op = txnStart[t]; op < to; op++) {
      if (opKind[op] === OpKind.Write) own.set(opKey[op], opValue[op]);
      else if (opKind[op] === OpKind.Scan && op >= from) this.#judge(opValue[op], own);
    }
  }

  /**
   * Returns the rows that each aggregate would cover if it began now; null if a result or a read value would differ.
   */
  rowsOfAggregates(t: number, from: number, to: number): AssumedRows | null {
    const { txnStart, opKind, opKey, opValue, scans } = this.#history;
    const own = new Map<number, number>();
    const found = new Map<number, readonly (readonly [row: number, value: number])[]>();
    for (let op = txnStart[t]; op < to; op++) {
      const key = opKey[op];
      const x = opValue[op];
      if (opKind[op] === OpKind.Write) own.set(key, x);
      if (op < from) continue;
      if (opKind[op] === OpKind.Read && scans.keyTable[key] >= 0 && !this.#holds(key, x, own)) return null;
      if (opKind[op] !== OpKind.Scan) continue;
      if (scans.aggregate[x] < 0) {
        if (this.#missesOf(x, own) > 0) return null;
        continue;
      }
      const rows = this.#matching(scans.table[x], scans.predicate[x], own);
      if (!this.#comesTo(x, rows, own)) return null;
      if (!isOpaque(scans.predicates[scans.predicate[x]]!)) found.set(x, this.#seenBy(x, rows, own));
    }
    return found;
  }

  /** Returns the number of reads, rows and aggregates that a transaction saw and would not see if it began now. */
  misses(t: number, from = 0, to = this.#history.txnStart[t + 1]): number {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    const own = this.#own;
    own.clear();
    let misses = 0;
    for (let op = txnStart[t]; op < to; op++) {
      const x = opValue[op];
      if (opKind[op] === OpKind.Write) own.set(opKey[op], x);
      else if (op < from) continue;
      else if (opKind[op] === OpKind.Scan) misses += this.#missesOf(x, own);
      else if (!this.#holds(opKey[op], x, own)) misses++;
    }
    return misses;
  }

  /** Returns the change of `misses` if a key changed its version; null if an aggregate must be computed again. */
  missesMore(
    t: number,
    key: number,
    before: number,
    after: number,
    from = 0,
    to = this.#history.txnStart[t + 1],
  ): number | null {
    const { txnStart, opKind, opKey, opValue, scans } = this.#history;
    const table = scans.keyTable[key] ?? -1;
    let more = 0;
    for (let op = txnStart[t]; op < to; op++) {
      const x = opValue[op];
      if (opKind[op] === OpKind.Scan) {
        if (op < from || table < 0 || scans.table[x] !== table) continue;
        if (scans.aggregate[x] < 0) {
          more += (this.#isMissed(x, key, after) ? 1 : 0) - (this.#isMissed(x, key, before) ? 1 : 0);
        } else {
          const where = scans.predicates[scans.predicate[x]]!;
          if (this.#isMatch(before, where) || this.#isMatch(after, where)) return null;
        }
      } else if (opKey[op] === key) {
        if (opKind[op] === OpKind.Write) break; // from here on it sees its own writes
        if (op >= from && x !== UNKNOWN_VALUE) more += (x !== after ? 1 : 0) - (x !== before ? 1 : 0);
      }
    }
    return more;
  }

  /** Returns whether a scan would treat a row differently in this version. */
  #isMissed(scan: number, row: number, version: number): boolean {
    const { predicate, predicates, rowStart, rowKey, rowValue } = this.#history.scans;
    const where = predicates[predicate[scan]]!;
    for (let i = rowStart[scan]; i < rowStart[scan + 1]; i++) {
      if (rowKey[i] !== row) continue;
      if (rowValue[i] === UNKNOWN_VALUE) return !isOpaque(where) && !this.#isMatch(version, where);
      return version !== rowValue[i];
    }
    return this.#isMatch(version, where);
  }

  #holds(row: number, value: number, own: ReadonlyMap<number, number>): boolean {
    return value === UNKNOWN_VALUE || (own.get(row) ?? this.#current[row]) === value;
  }

  /** Returns the number of rows that differ from a scan's result; 1 for an aggregate with another result. */
  #missesOf(scan: number, own: ReadonlyMap<number, number>): number {
    const { table, predicate, predicates, aggregate, rowStart, rowKey, rowValue } = this.#history.scans;
    let misses = 0;
    if (aggregate[scan] < 0) {
      const where = predicates[predicate[scan]]!;
      for (let i = rowStart[scan]; i < rowStart[scan + 1]; i++) {
        const isSeen =
          rowValue[i] === UNKNOWN_VALUE
            ? isOpaque(where) || this.#isMatch(own.get(rowKey[i]) ?? this.#current[rowKey[i]], where)
            : this.#holds(rowKey[i], rowValue[i], own);
        if (!isSeen) misses++;
        this.#returnedBy[rowKey[i]] = scan;
      }
    }
    const matching = this.#matching(table[scan], predicate[scan], own);
    if (aggregate[scan] >= 0) return this.#comesTo(scan, matching, own) ? 0 : 1;
    for (const row of matching) if (this.#returnedBy[row] !== scan) misses++;
    return misses;
  }

  /** Returns the rows of an aggregate; for a minimum or maximum, a row that holds it. */
  #seenBy(scan: number, rows: readonly number[], own: ReadonlyMap<number, number>): [row: number, value: number][] {
    const { aggregate, aggregates } = this.#history.scans;
    const result = aggregates[aggregate[scan]]!;
    const versionOf = (row: number): number => own.get(row) ?? this.#current[row];
    const heldBy = (row: number) =>
      result.kind === 'count' ? 1 : (this.#rowOf(versionOf(row))![result.column] ?? null);
    const isExtreme = result.kind === 'min' || result.kind === 'max';
    const seen = rows.filter((row) => (isExtreme ? heldBy(row) === result.result : heldBy(row) !== null));
    return (isExtreme ? seen.slice(0, 1) : seen).map((row) => [row, versionOf(row)]);
  }

  /** Makes the writes of a transaction current. Appends key, previous version and current version to `replaced`. */
  commit(t: number, replaced: number[]): void {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      replaced.push(opKey[op], this.replace(opKey[op], opValue[op]), opValue[op]);
    }
  }

  takeBack(replaced: readonly number[]): void {
    for (let i = replaced.length - 3; i >= 0; i -= 3) this.#write(replaced[i]!, replaced[i + 1]!);
  }

  /** Returns the amount by which a count or sum of a transaction would be too small if it began now. */
  shortBy(t: number, op: number): number {
    const { txnStart, opKind, opKey, opValue, scans } = this.#history;
    const own = new Map<number, number>();
    for (let i = txnStart[t]; i < op; i++) if (opKind[i] === OpKind.Write) own.set(opKey[i], opValue[i]);
    const scan = opValue[op];
    const aggregate = scans.aggregates[scans.aggregate[scan]]!;
    const rows = this.#matching(scans.table[scan], scans.predicate[scan], own);
    const added = rows.map((row) => addsTo(aggregate, this.#rowOf(own.get(row) ?? this.#current[row])!));
    return added.reduce((short, adds) => short - adds, Number(aggregate.result));
  }

  /** Returns the change of a count or sum if a row had another version; NaN for other aggregates. */
  wouldAdd(scan: number, row: number, version: number): number {
    const { keyTable, table, predicate, predicates, aggregate, aggregates } = this.#history.scans;
    if (keyTable[row] !== table[scan] || version === this.#current[row]) return 0;
    const where = predicates[predicate[scan]]!;
    const added = (value: number): number =>
      this.#isMatch(value, where) ? addsTo(aggregates[aggregate[scan]]!, this.#rowOf(value)!) : 0;
    return added(version) - added(this.#current[row]);
  }

  /** Makes a version of a row or another key current, and returns the replaced version. */
  replace(key: number, value: number): number {
    const before = this.#current[key];
    this.#write(key, value);
    return before;
  }

  /**
   * Returns whether a scan, or an aggregate as far as it concerns single rows, would overlook a row in that version.
   */
  overlooks(scan: number, row: number, value: number): boolean {
    const { keyTable, table, rowStart, rowKey } = this.#history.scans;
    const version = this.#rowOf(value);
    if (version === null || keyTable[row] !== table[scan]) return false;
    const assumed = this.#assumed.get(scan);
    const excluded = excludedFrom(this.#history, scan, assumed !== undefined);
    if (excluded === null || assumed?.some(([seen]) => seen === row)) return false;
    for (let i = rowStart[scan]; i < rowStart[scan + 1]; i++) if (rowKey[i] === row) return false;
    return matches(excluded, version);
  }

  #write(row: number, value: number): void {
    const table = this.#history.scans.keyTable[row];
    const before = this.#current[row];
    this.#current[row] = value;
    if (!(table >= 0)) return;
    for (const holders of this.#holders[table]!.values()) holders.replace(row, before, value);
    if (isThere(value) === isThere(before)) return;
    if (isThere(value)) this.#present[table]!.add(row);
    else this.#present[table]!.delete(row);
  }

  #judge(scan: number, own: ReadonlyMap<number, number>): void {
    const { table, predicate, aggregate, rowStart, rowKey } = this.#history.scans;
    const matching = this.#matching(table[scan], predicate[scan], own);
    if (aggregate[scan] >= 0) {
      if (!this.#comesTo(scan, matching, own)) this.#overlooksOf(scan, matching, own);
      return;
    }
    for (let row = rowStart[scan]; row < rowStart[scan + 1]; row++) this.#returnedBy[rowKey[row]] = scan;
    for (const row of matching) if (this.#returnedBy[row] !== scan) this.overlooked.push({ scan, row });
  }

  #overlooksOf(scan: number, matching: readonly number[], own: ReadonlyMap<number, number>): void {
    const assumed = this.#assumed.get(scan);
    const before = this.overlooked.length;
    const excluded = excludedFrom(this.#history, scan, assumed !== undefined);
    if (excluded !== null) {
      const seen = new Set(assumed?.map(([row]) => row));
      for (const row of matching)
        if (!seen.has(row) && matches(excluded, this.#rowOf(own.get(row) ?? this.#current[row])!))
          this.overlooked.push({ scan, row });
    }
    if (this.overlooked.length === before) this.overlooked.push({ scan, row: -1 });
  }

  #comesTo(scan: number, matching: readonly number[], own: ReadonlyMap<number, number>): boolean {
    const { predicate, predicates, aggregate, aggregates } = this.#history.scans;
    if (isOpaque(predicates[predicate[scan]]!)) return true;
    const result = aggregates[aggregate[scan]]!;
    const rows = matching.map((row) => this.#rowOf(own.get(row) ?? this.#current[row])!);
    return aggregateOf(result.kind, result.kind === 'count' ? null : result.column, rows) === result.result;
  }

  #matching(table: number, predicate: number, own: ReadonlyMap<number, number>): number[] {
    const where = this.#history.scans.predicates[predicate]!;
    const found: number[] = [];
    for (const row of this.#mayMatch(table, predicate))
      if (!own.has(row) && this.#isMatch(this.#current[row], where)) found.push(row);
    for (const [row, value] of own)
      if (this.#history.scans.keyTable[row] === table && this.#isMatch(value, where)) found.push(row);
    return found;
  }

  #isMatch(version: number, where: Predicate): boolean {
    const row = this.#rowOf(version);
    return row !== null && matches(where, row);
  }

  /** Yields rows among which all matching rows are: by a value, by their columns, or all present rows. */
  #mayMatch(table: number, predicate: number): Iterable<number> {
    const where = this.#history.scans.predicates[predicate]!;
    const equal = equalityOf(where);
    if (equal !== null) return this.#holders[table]!.get(equal.column)!.of(equal.value);
    const present = this.#present[table]!;
    if (present.size <= TUNING.fewRows) return present;
    const candidates = this.#indexes[table]!.candidates(where);
    return present.size < candidates.length ? present : candidates;
  }

  #indexColumns(): void {
    const { scans, keyInitial } = this.#history;
    scans.table.forEach((table, scan) => {
      const equal = equalityOf(scans.predicates[scans.predicate[scan]]!);
      if (equal !== null && !this.#holders[table]!.has(equal.column))
        this.#holders[table]!.set(equal.column, new Holders(this.#history, equal.column));
    });
    for (let key = 0; key < countKeys(this.#history); key++) {
      const table = scans.keyTable[key];
      if (!(table >= 0)) continue;
      if (isThere(keyInitial[key])) this.#present[table]!.add(key);
      for (const holders of this.#holders[table]!.values()) holders.add(key, keyInitial[key]);
    }
  }

  #rowOf(value: number): Row | null {
    return isThere(value) ? this.#contents.of(value) : null;
  }
}

/** Returns the amount that a row adds to a count or sum; NaN for a minimum or maximum. */
function addsTo(aggregate: Aggregate, row: Row): number {
  if (aggregate.kind === 'count') return 1;
  return aggregate.kind === 'sum' ? Number(row[aggregate.column] ?? 0) : Number.NaN;
}
