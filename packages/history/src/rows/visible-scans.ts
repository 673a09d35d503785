import { grown } from '../columns.ts';
import { type History, countKeys } from '../history.ts';
import { NIL, OpKind, UNKNOWN_VALUE } from '../operation.ts';
import { type PassedOver, excludedBy, indexRows, saysOfEach } from './items.ts';
import { type Predicate, isOpaque } from './predicate.ts';
import type { Overlooked } from './scan-replay.ts';

/** What a transaction sees of others, asked for one scan after another. */
export interface Sight {
  /** The next transaction of the order. */
  enter(t: number): void;
  /** The next scan of it, an operation of the history. */
  beginScan(op: number): void;
  /** The scan reads a row by itself at this place; it passes over what comes next behind that. */
  readRow(): void;
  /** Whether another transaction is visible at this place. */
  isVisible(t: number): boolean;
}

/**
 * Lets scans pass over the rows that they did not return, and gives those that they should have returned. `order` has the
 * transactions that happened. Of a row that a scan passes over it sees the version that the latest of those visible to it
 * left. Where that does not match, it tells nothing new to see it. `asked` are rows that scans read by themselves.
 */
export class VisibleScans {
  readonly overlooked: Overlooked[] = [];
  readonly #history: History;
  readonly #asked: PassedOver;
  readonly #sight: Sight;
  readonly #onPassed: (scan: number, row: number, writer: number) => void;
  readonly #matching = new Map<
    string,
    readonly { readonly row: number; readonly some: ReadonlySet<number> | null }[]
  >();
  // Who wrote each row last in each transaction, in the order: linked from the latest to the first.
  readonly #latest: Int32Array; // by key
  #previous = new Int32Array(INITIAL_CAPACITY);
  #writer = new Int32Array(INITIAL_CAPACITY);
  #value = new Int32Array(INITIAL_CAPACITY);
  #count = 0;

  /** `onPassed` hears of each row that a scan passes over, and whose version it sees; −1 is the initial one. */
  constructor(
    history: History,
    order: ArrayLike<number>,
    asked: PassedOver,
    sight: Sight,
    onPassed: (scan: number, row: number, writer: number) => void = () => {},
  ) {
    this.#history = history;
    this.#asked = asked;
    this.#sight = sight;
    this.#onPassed = onPassed;
    this.#latest = new Int32Array(countKeys(history)).fill(-1);
    for (let i = 0; i < order.length; i++) this.#visit(order[i]!);
  }

  #visit(t: number): void {
    const { txnStart, opKind, opKey, opValue, scans } = this.#history;
    const own = new Map<number, number>();
    this.#sight.enter(t);
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] === OpKind.Scan) this.#judge(op, own);
      else if (opKind[op] === OpKind.Write && scans.keyTable[opKey[op]] >= 0) own.set(opKey[op], opValue[op]);
    }
    for (const [row, value] of own) this.#write(t, row, value);
  }

  #write(t: number, row: number, value: number): void {
    if (this.#count === this.#writer.length) {
      const room = 2 * this.#count;
      this.#previous = grown(this.#previous, new Int32Array(room));
      this.#writer = grown(this.#writer, new Int32Array(room));
      this.#value = grown(this.#value, new Int32Array(room));
    }
    this.#previous[this.#count] = this.#latest[row];
    this.#writer[this.#count] = t;
    this.#value[this.#count] = value;
    this.#latest[row] = this.#count++;
  }

  #judge(op: number, own: ReadonlyMap<number, number>): void {
    const { opValue, scans, keyInitial } = this.#history;
    const scan = opValue[op];
    const where = excludedFrom(this.#history, scan);
    this.#sight.beginScan(op);
    if (where === null) return;
    const asked = new Set(this.#asked.get(scan));
    const returned = new Set<number>();
    for (let i = scans.rowStart[scan]; i < scans.rowStart[scan + 1]; i++)
      if (scans.rowValue[i] === UNKNOWN_VALUE) asked.add(scans.rowKey[i]);
      else returned.add(scans.rowKey[i]);
    for (const { row, some } of this.#matchingOf(scans.table[scan], where)) {
      if (asked.has(row)) this.#sight.readRow();
      if (asked.has(row) || returned.has(row)) continue;
      const isOwn = own.has(row);
      const seen = isOwn ? -1 : this.#seen(row);
      const value = isOwn ? own.get(row)! : seen < 0 ? keyInitial[row] : this.#value[seen];
      if (some === null ? value !== NIL : some.has(value)) this.overlooked.push({ scan, row });
      else if (!isOwn) this.#onPassed(scan, row, seen < 0 ? -1 : this.#writer[seen]);
    }
  }

  /** The latest visible write of a row; −1 if there is none. */
  #seen(row: number): number {
    let seen = this.#latest[row];
    while (seen >= 0 && !this.#sight.isVisible(this.#writer[seen])) seen = this.#previous[seen];
    return seen;
  }

  #matchingOf(table: number, where: Predicate) {
    const name = `${table} ${JSON.stringify(where)}`;
    let rows = this.#matching.get(name);
    if (rows === undefined) {
      const index = indexRows(this.#history)[table]!;
      rows = index.matching(where).map(({ row, some }) => ({ row, some: some && new Set(some) }));
      this.#matching.set(name, rows);
    }
    return rows;
  }
}

/** What no row that a scan passed over may meet; null where it says nothing of single rows. */
function excludedFrom({ scans }: History, scan: number): Predicate | null {
  const { predicate, predicates, aggregate, aggregates } = scans;
  const where = predicates[predicate[scan]]!;
  if (aggregate[scan] < 0) return where;
  const result = aggregates[aggregate[scan]]!;
  return isOpaque(where) || !saysOfEach(result) ? null : excludedBy(where, result);
}

const INITIAL_CAPACITY = 1024;
