import {
  type Aggregate,
  type History,
  NIL,
  OpKind,
  type Predicate,
  type Row,
  UNKNOWN_VALUE,
  atomOf,
  transactionOf,
} from '@isolab/history';

/** What a row held: null if it was absent, undefined where that is not known. */
export type Version = Row | null | undefined;

/** The rows, writes and scans of a history with tables; operations have its numbers. */
export class RowHistory {
  readonly #history: History;
  readonly #parsed = new Map<string, Row>();
  #keys: ReadonlyMap<string, number> | null = null;
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

  isTable(name: string): boolean {
    return this.#history.scans.tables.includes(name);
  }

  /** What a read or write of a row saw or left. */
  versionOf(op: number): Version {
    return this.parse(this.#history, this.#history.opValue[op]!);
  }

  initialOf(row: string): Version {
    const key = this.#keyNamed(row);
    return key < 0 ? null : this.parse(this.#history, this.#history.keyInitial[key]!);
  }

  /** All writes of a row. */
  writesOf(row: string): readonly number[] {
    this.#writes ??= this.#findWrites();
    return this.#writes.get(this.#keyNamed(row)) ?? [];
  }

  /** Whether all writes of rows are among some operations, in their order. */
  areWritesAmong(ops: Int32Array): boolean {
    let at = 0;
    for (let op = 0; op < this.#history.opKind.length; op++) {
      if (this.kindOf(op) !== 'put') continue;
      while (ops[at]! < op) at++;
      if (ops[at] !== op) return false;
    }
    return true;
  }

  /** What a row held before a write of it, where that is certain: its transaction saw it, or nobody else writes it. */
  before(write: number): Version {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    const row = atomOf(this.#history.keys, opKey[write]!) as string;
    const t = transactionOf(this.#history, write);
    for (let op = write - 1; op >= txnStart[t]!; op--) {
      if (opKey[op] === opKey[write] && opValue[op] !== UNKNOWN_VALUE) return this.versionOf(op);
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

  /** The rows that a scan returned. */
  returnedBy(scan: number): string[] {
    const { scans, opValue, keys } = this.#history;
    const number = opValue[scan]!;
    const found = scans.rowKey.subarray(scans.rowStart[number], scans.rowStart[number + 1]);
    return Array.from(found, (key) => atomOf(keys, key) as string);
  }

  /** What a scan said of a row: a version, undefined for one that is not known, null where it did not return the row. */
  returnedAs(scan: number, row: string): Version {
    const { scans, opValue } = this.#history;
    const number = opValue[scan]!;
    const start = scans.rowStart[number]!;
    const at = scans.rowKey.subarray(start, scans.rowStart[number + 1]).indexOf(this.#keyNamed(row));
    return at < 0 ? null : this.parse(this.#history, scans.rowValue[start + at]!);
  }

  /** A value of this history, or of one that was made of it. */
  parse({ values }: History, value: number): Version {
    if (value === NIL) return null;
    if (value === UNKNOWN_VALUE) return undefined;
    const text = atomOf(values, value);
    if (typeof text !== 'string') return undefined;
    let row = this.#parsed.get(text);
    if (row === undefined) this.#parsed.set(text, (row = JSON.parse(text) as Row));
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

  #keyNamed(row: string): number {
    const { keys, scans } = this.#history;
    this.#keys ??= new Map(
      Array.from(scans.keyTable.keys())
        .filter((key) => scans.keyTable[key]! >= 0)
        .map((key) => [atomOf(keys, key) as string, key]),
    );
    return this.#keys.get(row) ?? -1;
  }
}
