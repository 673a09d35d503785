import {
  type Aggregate,
  type History,
  NIL,
  OpKind,
  type Predicate,
  type Row,
  UNKNOWN_VALUE,
  atomOf,
  rowOfText,
  transactionOf,
} from '@isolab/history';

/** Version of a row: null if the row was absent, undefined where that is not known. */
export type Version = Row | null | undefined;

/** The rows, writes and scans of a history with tables; operations and rows have its numbers, a row that of its key. */
export class RowHistory {
  readonly #history: History;
  readonly #parsed = new Map<number, Row>();
  #writes: ReadonlyMap<number, readonly number[]> | null = null;

  constructor(history: History) {
    this.#history = history;
  }

  kindOf(op: number): 'get' | 'put' | 'scan' | null {
    const { opKind, opKey, scans } = this.#history;
    if (opKind[op] === OpKind.Scan) return 'scan';
    if (opKey[op]! < 0 || !(scans.keyTable[opKey[op]!]! >= 0)) return null;
    return opKind[op] === OpKind.Read ? 'get' : opKind[op] === OpKind.Write ? 'put' : null;
  }

  /** `doctors/1` */
  nameOf(row: number): string {
    return atomOf(this.#history.keys, row) as string;
  }

  tableNameOf(row: number): string {
    const { tables, keyTable } = this.#history.scans;
    return tables[keyTable[row]!]!;
  }

  /** Returns the version of a row that an operation read or wrote. */
  versionOf(op: number): Version {
    return this.#version(this.#history.opValue[op]!);
  }

  initialOf(row: number): Version {
    return this.#version(this.#history.keyInitial[row]!);
  }

  writesOf(row: number): readonly number[] {
    this.#writes ??= this.#findWrites();
    return this.#writes.get(row) ?? [];
  }

  /** Returns whether all writes of rows are among some operations, in their order. */
  areWritesAmong(ops: Int32Array): boolean {
    let at = 0;
    for (let op = 0; op < this.#history.opKind.length; op++) {
      if (this.kindOf(op) !== 'put') continue;
      while (ops[at]! < op) at++;
      if (ops[at] !== op) return false;
    }
    return true;
  }

  /**
   * Version of a row before a write of it, where certain: its transaction saw it, or no other transaction writes the
   * row.
   */
  before(write: number): Version {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    const row = opKey[write]!;
    const t = transactionOf(this.#history, write);
    for (let op = write - 1; op >= txnStart[t]!; op--) {
      if (opKey[op] === row && opValue[op] !== UNKNOWN_VALUE) return this.versionOf(op);
      if (opKind[op] === OpKind.Scan) {
        const returned = this.returnedAs(op, row);
        if (returned) return returned;
      }
    }
    const isOnlyWriter = this.writesOf(row).every((other) => transactionOf(this.#history, other) === t);
    return isOnlyWriter ? this.initialOf(row) : undefined;
  }

  tableOf(scan: number): string {
    const { scans, opValue } = this.#history;
    return scans.tables[scans.table[opValue[scan]!]!]!;
  }

  whereOf(scan: number): Predicate {
    const { scans, opValue } = this.#history;
    return scans.predicates[scans.predicate[opValue[scan]!]!]!;
  }

  aggregateOf(scan: number): Aggregate | null {
    const { scans, opValue } = this.#history;
    return scans.aggregates[scans.aggregate[opValue[scan]!]!] ?? null;
  }

  returnedBy(scan: number): number[] {
    const { scans, opValue } = this.#history;
    const number = opValue[scan]!;
    return [...scans.rowKey.subarray(scans.rowStart[number], scans.rowStart[number + 1])];
  }

  /** Row as a scan returned it: a version, undefined for an unknown one, null if it was not returned. */
  returnedAs(scan: number, row: number): Version {
    const { scans, opValue } = this.#history;
    const number = opValue[scan]!;
    const start = scans.rowStart[number]!;
    const at = scans.rowKey.subarray(start, scans.rowStart[number + 1]).indexOf(row);
    return at < 0 ? null : this.#version(scans.rowValue[start + at]!);
  }

  #version(value: number): Version {
    if (value === NIL) return null;
    if (value === UNKNOWN_VALUE) return undefined;
    let row = this.#parsed.get(value);
    if (row === undefined) this.#parsed.set(value, (row = rowOfText(atomOf(this.#history.values, value) as string)));
    return row;
  }

  #findWrites(): Map<number, number[]> {
    const writes = new Map<number, number[]>();
    for (let op = 0; op < this.#history.opKind.length; op++) {
      if (this.kindOf(op) !== 'put') continue;
      const key = this.#history.opKey[op]!;
      const known = writes.get(key);
      if (known === undefined) writes.set(key, [op]);
      else known.push(op);
    }
    return writes;
  }
}
