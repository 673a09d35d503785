/**
 * Reads of scans. A scan returns a version of a row only if the version matches its condition. Of any other version, it
 * shows that the row does not match, which an item represents (docs/levels.md).
 */
import {
  type Aggregate,
  type History,
  NIL,
  OpKind,
  type RegisterHistory,
  type Scalar,
  aggregateOf,
  contentsOf,
  countKeys,
  countValues,
  indexRows,
  isOpaque,
  matches,
} from '@isolab/history';
import type { WithoutAggregates } from './aggregates.ts';
import { INITIAL, type Model, NO_SOURCE, lastWrite } from './model.ts';

/** A key, and the version of it that a read shows. */
export interface Shown {
  readonly key: number;
  /** Write, or INITIAL. */
  readonly source: number;
}

/** Sources of the changed reads of an execution, and the reads after which its writes are unknown. */
interface Changed {
  readonly sources: ReadonlyMap<number, number>;
  readonly divergence: ReadonlyMap<number, number>;
}

/** An execution. */
interface Seen extends Changed {
  readonly takesPart: Uint8Array;
  readonly end: Int32Array;
}

export class ScannedReads {
  readonly #whole: History;
  readonly #model: Model;
  readonly #opOf: ArrayLike<number>;
  readonly #rows: number;
  readonly #true: number;
  readonly #aggregates: ReadonlyMap<number, Aggregate>; // by scan
  /** Keys of items by their rows and matching versions. */
  readonly #items: ReadonlyMap<string, number>;
  readonly #rowOf: readonly number[];
  readonly #itemOf = new Map<string, number | undefined>(); // by scan and row

  constructor({ history, aggregates }: WithoutAggregates, model: Model, { opOf, items }: RegisterHistory) {
    const whole = history;
    this.#whole = whole;
    this.#aggregates = aggregates;
    this.#model = model;
    this.#opOf = opOf;
    this.#rows = countKeys(whole);
    this.#true = countValues(whole) + 1;
    this.#items = new Map(items.map(({ key, row, some }) => [nameOf(row, some && [...some]), key]));
    this.#rowOf = items.map(({ row }) => row);
  }

  get hasItems(): boolean {
    return this.#rowOf.length > 0;
  }

  /** Returns the scan of an operation of the model whose rows are known; −1 for other operations. */
  scanOf(op: number): number {
    const { opKind, opValue, scans } = this.#whole;
    const at = this.operationOf(op);
    if (opKind[at] !== OpKind.Scan) return -1;
    const scan = opValue[at];
    return scans.aggregate[scan] >= 0 || isOpaque(scans.predicates[scans.predicate[scan]]!) ? -1 : scan;
  }

  /** Returns the aggregate that an operation of the model is a part of, with the recorded result. */
  aggregateOf(op: number): Aggregate | undefined {
    return this.#aggregates.size === 0 ? undefined : this.#aggregates.get(this.scanOf(op));
  }

  /** Returns the result of an aggregate in an execution; undefined if it includes a version with unknown contents. */
  resultOf(op: number, { sources, divergence }: Changed): Scalar | undefined {
    const { txn, key, source, value, history } = this.#model;
    const { predicate, predicates } = this.#whole.scans;
    const where = predicates[predicate[this.scanOf(op)]]!;
    const rows = [];
    for (let read = this.startOf(op); read < this.endOf(op); read++) {
      const own = lastWrite(this.#model, txn[read], key[read], read);
      const seen = own >= 0 ? own : (sources.get(read) ?? source[read]);
      if (seen === NO_SOURCE || this.isUnknown(seen, divergence)) return undefined;
      const row = this.isItem(key[read]) ? this.rowOf(key[read]) : key[read];
      const write = this.#writeOf(row, seen);
      const version = write < 0 ? history.keyInitial[row] : value[write];
      if (version === NIL) continue;
      const contents = contentsOf(this.#whole).of(version);
      if (matches(where, contents)) rows.push(contents);
    }
    return aggregateOf(this.aggregateOf(op)!, rows);
  }

  /** Returns whether a write may have had another value, because its transaction had read another one. */
  isUnknown(write: number, divergence: ReadonlyMap<number, number>): boolean {
    return write >= 0 && write > (divergence.get(this.#model.txn[write]) ?? Infinity) && !this.isDelete(write);
  }

  /** Returns the operation of the whole history that an operation of the model represents. */
  operationOf(op: number): number {
    return this.#opOf[this.#model.operation[op]]!;
  }

  /** Returns the end of the operations of the model that represent the same operation. */
  endOf(op: number): number {
    const { txn } = this.#model;
    let end = op + 1;
    while (end < txn.length && txn[end] === txn[op] && this.operationOf(end) === this.operationOf(op)) end++;
    return end;
  }

  startOf(op: number): number {
    const { txn } = this.#model;
    let start = op;
    while (start > 0 && txn[start - 1] === txn[op] && this.operationOf(start - 1) === this.operationOf(op)) start--;
    return start;
  }

  /** Returns whether a write deletes its row, so that its version is the same after any value. */
  isDelete(write: number): boolean {
    const row = this.startOf(write);
    const { key, value } = this.#model;
    return value[row] === NIL && this.#whole.scans.keyTable[key[row]] >= 0;
  }

  isItem(key: number): boolean {
    return key >= this.#rows;
  }

  /** Returns the transactions with a version that looks to some read like the version that it saw. */
  explaining({ takesPart, end, sources }: Seen): ReadonlySet<number> {
    const { start, isWrite, key, source, writers } = this.#model;
    const found = new Set<number>();
    for (let t = 0; t < end.length; t++)
      for (let op = start[t]; op < end[t]; op++) {
        const seen = sources.get(op) ?? source[op];
        if (isWrite[op] === 1 || seen === NO_SOURCE) continue;
        for (const writer of writers[key[op]]!) {
          if (writer === t || takesPart[writer] === 0) continue;
          const write = lastWrite(this.#model, writer, key[op], end[writer]);
          const isPart = this.aggregateOf(op) !== undefined;
          if (write >= 0 && write !== seen && (isPart || this.#looksOf(op, write) === this.#looksOf(op, seen)))
            found.add(writer);
        }
      }
    return found;
  }

  /** Returns the value that a read has if it sees a version, as a text. */
  #looksOf(op: number, seen: number): string {
    const { key, source } = this.shown(op, seen);
    return `${key} ${this.#valueOf({ key, source })}`;
  }

  /** Returns whether a version of an item matches. */
  isMatch(version: Shown): boolean {
    return this.#valueOf(version) === this.#true;
  }

  #valueOf({ key, source }: Shown): number {
    const { history, value } = this.#model;
    return source < 0 ? history.keyInitial[key] : value[source];
  }

  rowOf(item: number): number {
    return this.#rowOf[item - this.#rows]!;
  }

  /**
   * Returns the version that a read shows if it sees another one: this one, or that of an item that does not match. An
   * aggregate shows items only.
   */
  shown(op: number, source: number): Shown {
    const { key, isWrite, value } = this.#model;
    const of = key[op];
    const scan = isWrite[op] === 1 ? -1 : this.scanOf(op);
    if (scan < 0) return { key: of, source };
    if (this.#aggregates.has(scan)) {
      const item = this.isItem(of) ? of : (this.#itemIn(scan, of) ?? of);
      return { key: item, source: this.#writeOf(item, source) };
    }
    if (this.isItem(of)) {
      if (value[op] === this.#true || !this.isMatch({ key: of, source })) return { key: of, source };
      const row = this.rowOf(of);
      return { key: row, source: this.#writeOf(row, source) };
    }
    const item = this.#itemIn(scan, of);
    if (item === undefined) return { key: of, source };
    const write = this.#writeOf(item, source);
    return this.isMatch({ key: item, source: write }) ? { key: of, source } : { key: item, source: write };
  }

  /** Returns the item of a scan for a row. */
  #itemIn(scan: number, row: number): number | undefined {
    const { table, predicate, predicates } = this.#whole.scans;
    const name = `${predicate[scan]} ${row}`;
    if (!this.#itemOf.has(name)) {
      const [found] = indexRows(this.#whole)[table[scan]]!.matching(predicates[predicate[scan]]!, new Set([row]));
      this.#itemOf.set(name, found && this.#items.get(nameOf(row, found.some)));
    }
    return this.#itemOf.get(name);
  }

  /** Returns the write of a row or an item that belongs to the same version as another write. */
  #writeOf(key: number, source: number): number {
    if (source === INITIAL) return INITIAL;
    const { txn, key: keys } = this.#model;
    let start = source;
    while (start > 0 && txn[start - 1] === txn[source] && this.operationOf(start - 1) === this.operationOf(source))
      start--;
    const end = this.endOf(source);
    for (let op = start; op < end; op++) if (keys[op] === key) return op;
    throw new Error(`The write ${source} has no version of the key ${key}.`);
  }
}

const nameOf = (row: number, some: readonly number[] | null): string => `${row} ${some === null ? 'all' : some.join()}`;
