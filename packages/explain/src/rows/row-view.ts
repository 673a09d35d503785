import {
  type Aggregate,
  type History,
  NIL,
  OpKind,
  type Predicate,
  type Row,
  UNKNOWN_VALUE,
  atomOf,
  comparisonsOf,
  matches,
  tableOfRow,
  transactionOf,
} from '@isolab/history';
import { type ItemName, itemNamed } from './item-names.ts';

/** The history with tables that a lowered history, or a part of it, stems from. */
export interface RowSource {
  readonly history: History;
  readonly opOf: Int32Array;
}

/** What a row held: null if it was absent, undefined where that is not known. */
export type Version = Row | null | undefined;

/** What the operations of a lowered history were before: reads, writes and scans of rows. */
export class RowView {
  readonly #part: History;
  readonly #whole: History;
  readonly #opOf: Int32Array;
  readonly #parsed = new Map<string, Row>();
  readonly #items = new Map<number, ItemName | null>();
  readonly #rows = new Map<number, string | null>(); // by key of the part
  readonly #conditions = new Map<number, Predicate>(); // by operation of the whole
  readonly #leavesOut: boolean;
  #columns: ReadonlyMap<string, ReadonlySet<string>> | null = null;
  #writers: Map<number, Set<number>> | null = null;

  /** `leavesOut` says that conditions are shown without what makes no difference to the part. */
  constructor(part: History, { history, opOf }: RowSource, leavesOut: boolean) {
    this.#part = part;
    this.#whole = history;
    this.#opOf = opOf;
    this.#leavesOut = leavesOut;
  }

  kindOf(op: number): 'get' | 'put' | 'scan' | null {
    const { opKind, opKey, scans } = this.#whole;
    const at = this.#opOf[op]!;
    if (opKind[at] === OpKind.Scan) return 'scan';
    if (opKey[at]! < 0 || !(scans.keyTable[opKey[at]!]! >= 0)) return null;
    return opKind[at] === OpKind.Read ? 'get' : opKind[at] === OpKind.Write ? 'put' : null;
  }

  /** The first operation of the part that stems from the same one. */
  headOf(op: number): number {
    let head = op;
    while (head > 0 && this.#opOf[head - 1] === this.#opOf[op]) head--;
    return head;
  }

  /** Whether an operation is about nothing but whether a row matches. */
  isItem(op: number): boolean {
    return this.#itemOf(this.#part.opKey[op]!) !== null;
  }

  /** The row that a key of the part is, or is about. */
  rowOfKey(key: number): string | null {
    let row = this.#rows.get(key);
    if (row === undefined) {
      const name = atomOf(this.#part.keys, key);
      const isRow = typeof name === 'string' && ROW.test(name) && this.#whole.scans.tables.includes(tableOfRow(name));
      row = this.#itemOf(key)?.row ?? (isRow ? name : null);
      this.#rows.set(key, row);
    }
    return row;
  }

  rowOf(op: number): string {
    return this.rowOfKey(this.#part.opKey[op]!) ?? '';
  }

  /** Of an item: whether the row was said to match, or was written so that it does. */
  isMatch(op: number): boolean {
    const value = atomOf(this.#part.values, this.#part.opValue[op]!);
    return value !== null && typeof value === 'object' && value.text === 'true';
  }

  /** What an operation read or wrote. */
  versionOf(op: number): Version {
    if (this.kindOf(op) === 'put') return this.#parse(this.#whole, this.#whole.opValue[this.#opOf[op]!]!);
    return this.isItem(op) ? undefined : this.#parse(this.#part, this.#part.opValue[op]!);
  }

  initialOf(row: string): Version {
    const key = this.#keyNamed(row);
    return key < 0 ? null : this.#parse(this.#whole, this.#whole.keyInitial[key]!);
  }

  /** What a row held before a write of it, where that is certain. */
  before(write: number): Version {
    const { txnStart, opKind, opKey, opValue, scans, keyInitial } = this.#whole;
    const at = this.#opOf[write]!;
    const key = opKey[at]!;
    const t = transactionOf(this.#whole, at);
    for (let op = at - 1; op >= txnStart[t]!; op--) {
      if (opKey[op] === key && opValue[op] !== UNKNOWN_VALUE) return this.#parse(this.#whole, opValue[op]!);
      if (opKind[op] !== OpKind.Scan) continue;
      const scan = opValue[op]!;
      for (let row = scans.rowStart[scan]!; row < scans.rowStart[scan + 1]!; row++) {
        if (scans.rowKey[row] !== key || scans.rowValue[row] === UNKNOWN_VALUE) continue;
        return this.#parse(this.#whole, scans.rowValue[row]!);
      }
    }
    const writers = this.#writersOf(key);
    return writers.size === 1 && writers.has(t) ? this.#parse(this.#whole, keyInitial[key]!) : undefined;
  }

  tableOf(scan: number): string {
    const { scans, opValue } = this.#whole;
    return scans.tables[scans.table[opValue[this.#opOf[scan]!]!]!]!;
  }

  aggregateOf(scan: number): Aggregate | null {
    const { scans, opValue } = this.#whole;
    return scans.aggregates[scans.aggregate[opValue[this.#opOf[scan]!]!]!] ?? null;
  }

  /** The rows that a scan returned, all of them. */
  returnedBy(scan: number): string[] {
    const { scans, opValue, keys } = this.#whole;
    const number = opValue[this.#opOf[scan]!]!;
    return Array.from(
      scans.rowKey.subarray(scans.rowStart[number], scans.rowStart[number + 1]),
      (key) => atomOf(keys, key) as string,
    );
  }

  /** What a scan said of a row: a version, undefined for one that is not known, null where it did not return the row. */
  returnedAs(scan: number, row: string): Version {
    const { scans, opValue } = this.#whole;
    const number = opValue[this.#opOf[scan]!]!;
    const at = scans.rowKey
      .subarray(0, scans.rowStart[number + 1])
      .indexOf(this.#keyNamed(row), scans.rowStart[number]);
    return at < 0 ? null : this.#parse(this.#whole, scans.rowValue[at]!);
  }

  /** Whether the part has all writes of a row. */
  hasAllWrites(row: string): boolean {
    this.#kept ??= new Set(this.#opOf);
    const { opKind, opKey, txnStart } = this.#whole;
    const key = this.#keyNamed(row);
    for (const t of this.#writersOf(key))
      for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++)
        if (opKind[op] === OpKind.Write && opKey[op] === key && !this.#kept.has(op)) return false;
    return true;
  }
  #kept: ReadonlySet<number> | null = null;

  whereOf(scan: number): Predicate {
    const where = this.#fullConditionOf(scan);
    if (!this.#leavesOut) return where;
    const at = this.#opOf[scan]!;
    let shown = this.#conditions.get(at);
    if (shown === undefined) this.#conditions.set(at, (shown = this.#withoutIdleParts(scan, where)));
    return shown;
  }

  #fullConditionOf(scan: number): Predicate {
    const { scans, opValue } = this.#whole;
    return scans.predicates[scans.predicate[opValue[this.#opOf[scan]!]!]!]!;
  }

  /** Whether the condition of a scan is shown without some of its parts. */
  isShortened(scan: number): boolean {
    return this.whereOf(scan) !== this.#fullConditionOf(scan);
  }

  /** The columns of a table that tell its rows' versions apart: those that change, and those that conditions are about. */
  columnsOf(table: string): ReadonlySet<string> {
    this.#columns ??= this.#tellingColumns();
    return this.#columns.get(table) ?? NO_COLUMNS;
  }

  /** A condition without the parts of an "and" without which it matches the same versions of the rows that are left. */
  #withoutIdleParts(scan: number, where: Predicate): Predicate {
    if (where === true || where[0] !== 'and') return where;
    const versions = this.#versionsUnder(scan);
    const isSame = (less: Predicate): boolean => versions.every((row) => matches(less, row) === matches(where, row));
    // Where all rows match, no part tells more than another.
    if (isSame(true)) return where;
    let parts = where.slice(1) as Predicate[];
    for (const part of [...parts]) {
      const fewer = parts.filter((other) => other !== part);
      if (isSame(['and', ...fewer])) parts = fewer;
    }
    if (parts.length === where.length - 1) return where;
    return parts.length === 1 ? parts[0]! : ['and', ...parts];
  }

  /** The versions, in the part, of the rows that a scan says something about there. */
  #versionsUnder(scan: number): Row[] {
    const rows = new Set<string>();
    for (let op = this.headOf(scan); op < this.#opOf.length && this.#opOf[op] === this.#opOf[scan]; op++)
      rows.add(this.rowOf(op));
    return [...rows].flatMap((row) => this.versionsOf(row));
  }

  /** The rows that operations of the part are about. */
  allRows(): string[] {
    const rows = new Set<string>();
    for (let op = 0; op < this.#opOf.length; op++) if (this.kindOf(op) !== null) rows.add(this.rowOf(op));
    return [...rows];
  }

  /** What a row held at some time, in the part. */
  versionsOf(row: string): Row[] {
    const versions: Version[] = [this.initialOf(row)];
    for (let op = 0; op < this.#opOf.length; op++)
      if (this.kindOf(op) !== null && this.rowOf(op) === row) versions.push(this.versionOf(op));
    return versions.filter((version) => version !== null && version !== undefined);
  }

  #tellingColumns(): Map<string, Set<string>> {
    const columns = new Map<string, Set<string>>();
    const add = (table: string, column: string): void => {
      const known = columns.get(table);
      if (known === undefined) columns.set(table, new Set([column]));
      else known.add(column);
    };
    const versions = new Map<string, Row[]>();
    for (let op = 0; op < this.#opOf.length; op++) {
      const kind = this.kindOf(op);
      if (kind === null) continue;
      if (kind === 'scan' && this.headOf(op) === op)
        for (const [column] of comparisonsOf(this.whereOf(op))) add(this.tableOf(op), column);
      const row = this.rowOf(op);
      const known = versions.get(row) ?? [this.initialOf(row)].filter(isPresent);
      const version = this.versionOf(op);
      if (isPresent(version)) known.push(version);
      versions.set(row, known);
    }
    for (const [row, [first, ...others]] of versions) {
      if (first === undefined) continue;
      for (const other of others)
        for (const column of new Set([...Object.keys(first), ...Object.keys(other)]))
          if ((first[column] ?? null) !== (other[column] ?? null)) add(tableOfRow(row), column);
    }
    return columns;
  }

  #writersOf(key: number): ReadonlySet<number> {
    if (this.#writers === null) {
      this.#writers = new Map();
      const { opKind, opKey, scans, txnStart } = this.#whole;
      for (let t = 0; t + 1 < txnStart.length; t++) {
        for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
          if (opKind[op] !== OpKind.Write || !(scans.keyTable[opKey[op]!]! >= 0)) continue;
          const known = this.#writers.get(opKey[op]!);
          if (known === undefined) this.#writers.set(opKey[op]!, new Set([t]));
          else known.add(t);
        }
      }
    }
    return this.#writers.get(key) ?? NO_WRITERS;
  }

  #keyNamed(row: string): number {
    const { keys, scans } = this.#whole;
    this.#keys ??= new Map(
      Array.from(scans.keyTable.keys())
        .filter((key) => scans.keyTable[key]! >= 0)
        .map((key) => [atomOf(keys, key) as string, key]),
    );
    return this.#keys.get(row) ?? -1;
  }
  #keys: ReadonlyMap<string, number> | null = null;

  #itemOf(key: number): ItemName | null {
    let item = this.#items.get(key);
    if (item === undefined) this.#items.set(key, (item = itemNamed(this.#part, key)));
    return item;
  }

  #parse({ values }: History, value: number): Version {
    if (value === NIL) return null;
    if (value === UNKNOWN_VALUE) return undefined;
    const text = atomOf(values, value);
    if (typeof text !== 'string') return undefined;
    let row = this.#parsed.get(text);
    if (row === undefined) this.#parsed.set(text, (row = JSON.parse(text) as Row));
    return row;
  }
}

const isPresent = (version: Version): version is Row => version !== null && version !== undefined;

const ROW = /^[^/]+\/(?:-?\d+|"(?:[^"\\]|\\.)*")$/s;
const NO_COLUMNS: ReadonlySet<string> = new Set();
const NO_WRITERS: ReadonlySet<number> = new Set();
