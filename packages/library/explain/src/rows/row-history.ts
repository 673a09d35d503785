import {
  AMOUNT,
  type Aggregate,
  type History,
  NIL,
  OpKind,
  type OperationId,
  type Predicate,
  type Row,
  UNKNOWN_VALUE,
  atomOf,
  nameAtom,
  rowOfText,
  transactionOf,
} from '@isolab/history';
import { addTo } from './multimap.ts';

/** Version of a row: null if the row was absent, undefined if unknown. */
export type Version = Row | null | undefined;

/**
 * Rows, writes and scans of a history with tables, addressed by the operations of a lowered part. Rows have the numbers
 * of the original history.
 */
export class RowHistory {
  readonly #history: History;
  /** For each operation of the part, its original operation in the history; for a change of a counter, that of its row. */
  protected readonly opOf: Int32Array;
  readonly #parsed = new Map<number, Row>();
  #writes: ReadonlyMap<number, readonly number[]> | null = null;
  #kept: ReadonlySet<number> | null = null;
  #hasEveryWrite: boolean | null = null;

  constructor(history: History, opOf: Int32Array) {
    this.#history = history;
    this.opOf = history.scans.counters?.length ? opOf.map((at) => (this.#isChangeOfCounter(at) ? at + 1 : at)) : opOf;
  }

  /** Returns whether an operation writes a counter's register. The write of the counter's row follows it. */
  #isChangeOfCounter(at: number): boolean {
    const { opKind, opKey, scans } = this.#history;
    const row = opKey[at + 1] ?? -1;
    return (
      opKind[at] === OpKind.Write &&
      this.#kindAt(at) === null &&
      row >= 0 &&
      this.#kindAt(at + 1) === 'put' &&
      scans.counters!.includes(scans.keyTable[row]!)
    );
  }

  /** Names of the registers that all changes of a counter write. */
  registersOfCounters(): ReadonlySet<string> {
    const { opKind, opKey, keys, scans } = this.#history;
    if (!scans.counters?.length) return new Set();
    const registers = new Set<number>();
    for (let at = 0; at < opKind.length; at++) if (this.#isChangeOfCounter(at)) registers.add(opKey[at]!);
    return new Set([...registers].map((key) => nameAtom(keys, key)));
  }

  /** All rows of a table in the history. */
  rowsOfTable(table: string): number[] {
    const { tables, keyTable } = this.#history.scans;
    const at = tables.indexOf(table);
    return Array.from(keyTable.keys()).filter((row) => keyTable[row] === at);
  }

  /** Row that a put writes, for operations that represent it by another key. */
  protected writtenRow(op: OperationId): number {
    return this.#history.opKey[this.opOf[op]!]!;
  }

  /** Amount that a write adds to a counter. */
  amountOf(write: OperationId): number {
    const amountIn = (version: Version): number => Number(version?.[AMOUNT] ?? 0);
    return amountIn(this.pointVersionOf(write)) - amountIn(this.before(write));
  }

  kindOf(op: OperationId): 'get' | 'put' | 'scan' | null {
    return this.#kindAt(this.opOf[op]!);
  }

  /** `doctors/1` */
  nameOf(row: number): string {
    return atomOf(this.#history.keys, row) as string;
  }

  tableNameOf(row: number): string {
    const { tables, keyTable } = this.#history.scans;
    return tables[keyTable[row]!]!;
  }

  /** Returns whether a row is the amount that a transaction added to a counter. */
  isOfCounter(row: number): boolean {
    const { counters, keyTable } = this.#history.scans;
    return counters?.includes(keyTable[row]!) === true;
  }

  /** Returns whether a scan is a read of a counter. */
  readsCounter(scan: number): boolean {
    const { counters, table } = this.#history.scans;
    return counters?.includes(table[this.#scanOf(scan)]!) === true;
  }

  /** The transaction of the whole history that adds the row of a counter; null for the initial row. */
  adderOf(row: number): number | null {
    const [write] = this.#writesByRow().get(row) ?? [];
    return write === undefined ? null : transactionOf(this.#history, write);
  }

  /** Returns the version of a row that a get read or a put wrote. */
  pointVersionOf(op: OperationId): Version {
    return this.#version(this.#history.opValue[this.opOf[op]!]!);
  }

  initialOf(row: number): Version {
    return this.#version(this.#history.keyInitial[row]!);
  }

  /** Whether the part contains all writes of all rows. */
  get hasEveryWrite(): boolean {
    return (this.#hasEveryWrite ??= [...this.#writesByRow().keys()].every((row) => this.hasAllWrites(row)));
  }

  /** Returns whether the part contains all writes of a row. */
  hasAllWrites(row: number): boolean {
    this.#kept ??= new Set(this.opOf);
    return (this.#writesByRow().get(row) ?? []).every((op) => this.#kept!.has(op));
  }

  /**
   * Returns the version of a row before a write, where it is certain: the transaction read the row, or no other
   * transaction writes the row.
   */
  before(write: number): Version {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    const at = this.opOf[write]!;
    const row = opKey[at]!;
    const t = transactionOf(this.#history, at);
    for (let op = at - 1; op >= txnStart[t]!; op--) {
      if (opKey[op] === row && opValue[op] !== UNKNOWN_VALUE) return this.#version(opValue[op]!);
      if (opKind[op] === OpKind.Scan) {
        const returned = this.#returnedBy(opValue[op]!, row);
        if (returned) return returned;
      }
    }
    const writes = this.#writesByRow().get(row) ?? [];
    const isOnlyWriter = writes.every((other) => transactionOf(this.#history, other) === t);
    return isOnlyWriter ? this.initialOf(row) : undefined;
  }

  tableOf(scan: number): string {
    const { tables, table } = this.#history.scans;
    return tables[table[this.#scanOf(scan)]!]!;
  }

  /** The complete condition of the scan in the original history. */
  fullWhereOf(scan: number): Predicate {
    const { predicates, predicate } = this.#history.scans;
    return predicates[predicate[this.#scanOf(scan)]!]!;
  }

  aggregateOf(scan: number): Aggregate | null {
    const { aggregates, aggregate } = this.#history.scans;
    return aggregates[aggregate[this.#scanOf(scan)]!] ?? null;
  }

  returnedBy(scan: number): number[] {
    const { rowKey, rowStart } = this.#history.scans;
    const number = this.#scanOf(scan);
    return [...rowKey.subarray(rowStart[number], rowStart[number + 1])];
  }

  /** The version of a row that a scan returned: undefined if unknown, null if the row was not returned. */
  returnedAs(scan: number, row: number): Version {
    return this.#returnedBy(this.#scanOf(scan), row);
  }

  #returnedBy(number: number, row: number): Version {
    const { rowKey, rowStart, rowValue } = this.#history.scans;
    const start = rowStart[number]!;
    const at = rowKey.subarray(start, rowStart[number + 1]).indexOf(row);
    return at < 0 ? null : this.#version(rowValue[start + at]!);
  }

  #scanOf(op: OperationId): number {
    return this.#history.opValue[this.opOf[op]!]!;
  }

  #kindAt(at: number): 'get' | 'put' | 'scan' | null {
    const { opKind, opKey, scans } = this.#history;
    if (opKind[at] === OpKind.Scan) return 'scan';
    if (opKey[at]! < 0 || !(scans.keyTable[opKey[at]!]! >= 0)) return null;
    return opKind[at] === OpKind.Read ? 'get' : opKind[at] === OpKind.Write ? 'put' : null;
  }

  #version(value: number): Version {
    if (value === NIL) return null;
    if (value === UNKNOWN_VALUE) return undefined;
    let row = this.#parsed.get(value);
    if (row === undefined) this.#parsed.set(value, (row = rowOfText(atomOf(this.#history.values, value) as string)));
    return row;
  }

  #writesByRow(): ReadonlyMap<number, readonly number[]> {
    if (this.#writes !== null) return this.#writes;
    const writes = new Map<number, number[]>();
    for (let at = 0; at < this.#history.opKind.length; at++)
      if (this.#kindAt(at) === 'put') addTo(writes, this.#history.opKey[at]!, at);
    return (this.#writes = writes);
  }
}
