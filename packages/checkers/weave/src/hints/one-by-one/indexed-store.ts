import {
  type Aggregate,
  type Contents,
  type History,
  NIL,
  OpKind,
  type Predicate,
  type Row,
  UNKNOWN_VALUE,
  aggregateOf,
  contentsOf,
  countKeys,
  countValues,
  indexRows,
  isOpaque,
  matches,
} from '@isolab/history';
import { TUNING } from '../../problem/tuning.ts';
import { type Equality, Holders, equalityOf, isThere } from './holders.ts';
import type { Store } from './stores.ts';

/**
 * The current version of every key, with indexes that answer scans and aggregates. A transaction sees its own writes
 * before these: methods with a transaction look at its operations from `from` to `to`, and first apply its earlier
 * writes.
 */
export class IndexedStore implements Store {
  readonly #history: History;
  readonly #contents: Contents;
  readonly #current: Int32Array; // by key
  /** Rows that currently hold each value, by table and by column that some scan compares with a value. */
  readonly #holders: readonly Holders[][];
  readonly #present: readonly Set<number>[]; // by table
  readonly #returnedBy: Int32Array; // by row: the last evaluated scan that returned it
  // Writes of the reading transaction: its keys, and by key the version and the number of the evaluation.
  readonly #ownKeys: number[] = [];
  readonly #ownVersion: Int32Array;
  readonly #ownIn: Int32Array;
  #evaluation = 0;

  constructor(history: History) {
    const numKeys = countKeys(history);
    const { scans, keyInitial } = history;
    this.#history = history;
    this.#contents = contentsOf(history);
    this.#current = new Int32Array(numKeys).fill(NIL);
    this.#holders = scans.tables.map(() => []);
    this.#present = scans.tables.map(() => new Set());
    this.#returnedBy = new Int32Array(numKeys).fill(-1);
    this.#ownVersion = new Int32Array(numKeys);
    this.#ownIn = new Int32Array(numKeys);
    scans.table.forEach((table, scan) => {
      const column = equalityOf(scans.predicates[scans.predicate[scan]]!)?.column;
      const holders = this.#holders[table]!;
      if (column !== undefined && !holders.some((other) => other.column === column))
        holders.push(new Holders(this.#contents, column, countValues(history)));
    });
    for (let key = 0; key < numKeys; key++) this.#replace(key, keyInitial[key]);
  }

  get rowsPresent(): number {
    return this.#present.reduce((sum, { size }) => sum + size, 0);
  }

  /** Makes a version of a row or another key current, and returns the replaced version. */
  #replace(key: number, version: number): number {
    const table = this.#history.scans.keyTable[key];
    const before = this.#current[key];
    this.#current[key] = version;
    if (!(table >= 0)) return before;
    for (const holders of this.#holders[table]!) holders.replace(key, before, version);
    if (isThere(version) === isThere(before)) return before;
    if (isThere(version)) this.#present[table]!.add(key);
    else this.#present[table]!.delete(key);
    return before;
  }

  commit(t: number, replaced: number[]): void {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      replaced.push(opKey[op], this.#replace(opKey[op], opValue[op]), opValue[op]);
    }
  }

  takeBack(replaced: readonly number[]): void {
    for (let i = replaced.length - 3; i >= 0; i -= 3) this.#replace(replaced[i]!, replaced[i + 1]!);
  }

  misses(t: number, from = 0, to = this.#history.txnStart[t + 1]): number {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    this.#forgetOwn();
    let misses = 0;
    for (let op = txnStart[t]; op < to; op++) {
      if (opKind[op] === OpKind.Write) this.#write(opKey[op], opValue[op]);
      else if (op < from) continue;
      else if (opKind[op] === OpKind.Scan) misses += this.#missesOf(opValue[op]);
      else if (!this.#holds(opKey[op], opValue[op])) misses++;
    }
    return misses;
  }

  /** Visits the scans of a transaction. During each visit, the store shows the versions that the scan sees. */
  eachScan(t: number, from: number, to: number, visit: (scan: number, op: number) => void): void {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    this.#forgetOwn();
    for (let op = txnStart[t]; op < to; op++) {
      if (opKind[op] === OpKind.Write) this.#write(opKey[op], opValue[op]);
      else if (op >= from && opKind[op] === OpKind.Scan) visit(opValue[op], op);
    }
  }

  /** Returns the rows that match a scan, but that it did not return. */
  notReturned(scan: number): number[] {
    const { rowStart, rowKey } = this.#history.scans;
    for (let i = rowStart[scan]; i < rowStart[scan + 1]; i++) this.#returnedBy[rowKey[i]] = scan;
    return this.matching(scan).filter((row) => this.#returnedBy[row] !== scan);
  }

  /** Returns whether an aggregate of these rows has its result. */
  hasResult(scan: number, rows: readonly number[]): boolean {
    if (isOpaque(this.#conditionOf(scan))) return true;
    const result = this.#resultOf(scan);
    const columns = rows.map((row) => this.rowOf(row)!);
    return aggregateOf(result, columns) === result.result;
  }

  matching(scan: number): number[] {
    const { keyTable, table } = this.#history.scans;
    const where = this.#conditionOf(scan);
    const equal = equalityOf(where);
    const found: number[] = [];
    for (const row of this.#mayMatch(table[scan], where, equal)) {
      if (this.#ownIn[row] === this.#evaluation) continue;
      if (equal?.isAll || this.#isMatch(this.#current[row], where)) found.push(row);
    }
    for (const row of this.#ownKeys)
      if (keyTable[row] === table[scan] && this.#isMatch(this.#ownVersion[row], where)) found.push(row);
    return found;
  }

  /** Returns the columns of a row as the reading transaction sees it; null if it is absent. */
  rowOf(key: number): Row | null {
    return this.columnsOf(this.#versionOf(key));
  }

  columnsOf(version: number): Row | null {
    return isThere(version) ? this.#contents.of(version) : null;
  }

  #forgetOwn(): void {
    this.#evaluation++;
    this.#ownKeys.length = 0;
  }

  #write(key: number, version: number): void {
    if (this.#ownIn[key] !== this.#evaluation) this.#ownKeys.push(key);
    this.#ownIn[key] = this.#evaluation;
    this.#ownVersion[key] = version;
  }

  /** Returns the version of a key that the reading transaction sees. */
  #versionOf(key: number): number {
    return this.#ownIn[key] === this.#evaluation ? this.#ownVersion[key] : this.#current[key];
  }

  #holds(key: number, version: number): boolean {
    return version === UNKNOWN_VALUE || this.#versionOf(key) === version;
  }

  /** Returns the number of rows that differ from a scan's result; 1 for an aggregate with another result. */
  #missesOf(scan: number): number {
    const { aggregate, rowStart, rowKey, rowValue } = this.#history.scans;
    if (aggregate[scan] >= 0) return this.hasResult(scan, this.matching(scan)) ? 0 : 1;
    const where = this.#conditionOf(scan);
    let misses = this.notReturned(scan).length;
    for (let i = rowStart[scan]; i < rowStart[scan + 1]; i++) {
      const isSeen =
        rowValue[i] === UNKNOWN_VALUE
          ? isOpaque(where) || this.#isMatch(this.#versionOf(rowKey[i]), where)
          : this.#holds(rowKey[i], rowValue[i]);
      if (!isSeen) misses++;
    }
    return misses;
  }

  #conditionOf(scan: number): Predicate {
    const { predicate, predicates } = this.#history.scans;
    return predicates[predicate[scan]]!;
  }

  #resultOf(scan: number): Aggregate {
    const { aggregate, aggregates } = this.#history.scans;
    return aggregates[aggregate[scan]]!;
  }

  #isMatch(version: number, where: Predicate): boolean {
    const columns = this.columnsOf(version);
    return columns !== null && matches(where, columns);
  }

  /** Yields rows among which all matching rows are: by a value, by their columns, or all present rows. */
  #mayMatch(table: number, where: Predicate, equal: Equality | null): Iterable<number> {
    if (equal !== null) return this.#holders[table]!.find(({ column }) => column === equal.column)!.of(equal.value);
    const present = this.#present[table]!;
    if (present.size <= TUNING.fewRows) return present;
    const candidates = indexRows(this.#history)[table]!.candidates(where);
    return present.size < candidates.length ? present : candidates;
  }
}
