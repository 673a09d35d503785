import {
  type Aggregate,
  type History,
  type Predicate,
  type Row,
  UNKNOWN_VALUE,
  atomOf,
  comparisonsOf,
  matches,
  tableOfRow,
} from '@isolab/history';
import { type ItemName, itemNamed } from './item-names.ts';
import { RowHistory, type Version } from './row-history.ts';

/** The history with tables that a lowered history, or a part of it, stems from. */
export interface RowSource {
  readonly history: History;
  readonly opOf: Int32Array;
}

/** What the operations of a lowered history were before: reads, writes and scans of rows. */
export class RowView {
  readonly #part: History;
  readonly #whole: RowHistory;
  readonly #opOf: Int32Array;
  readonly #items = new Map<number, ItemName | null>();
  readonly #rows = new Map<number, string | null>(); // by key of the part
  readonly #conditions = new Map<number, Predicate>(); // by operation of the whole
  readonly #leavesOut: boolean;
  #columns: ReadonlyMap<string, ReadonlySet<string>> | null = null;
  #kept: ReadonlySet<number> | null = null;
  #hasEveryWrite: boolean | null = null;
  #ofRow: ReadonlyMap<string, readonly number[]> | null = null; // by row: the operations of the part
  readonly #versions = new Map<string, readonly Row[]>();

  /** `leavesOut` says that conditions are shown without what makes no difference to the part. */
  constructor(part: History, { history, opOf }: RowSource, leavesOut: boolean) {
    this.#part = part;
    this.#whole = new RowHistory(history);
    this.#opOf = opOf;
    this.#leavesOut = leavesOut && opOf.length <= MOST_SHORTENED;
  }

  kindOf(op: number): 'get' | 'put' | 'scan' | null {
    return this.#whole.kindOf(this.#opOf[op]!);
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
      const isRow = typeof name === 'string' && ROW.test(name) && this.#whole.isTable(tableOfRow(name));
      row = this.#itemOf(key)?.row ?? (isRow ? name : null);
      this.#rows.set(key, row);
    }
    return row;
  }

  rowOf(op: number): string {
    return this.rowOfKey(this.#part.opKey[op]!) ?? '';
  }

  /** Of an item: whether nobody knows if the row was said to match, as of the rows that an aggregate may have been of. */
  isOpen(op: number): boolean {
    const value = this.#part.opValue[op];
    return value === UNKNOWN_VALUE;
  }

  /** The versions that an item is about, where they are not all. */
  conditionOf(op: number): string {
    return this.#itemOf(this.#part.opKey[op]!)?.where ?? '';
  }

  /** Of an item: whether the row was said to match, or was written so that it does. */
  isMatch(op: number): boolean {
    const value = atomOf(this.#part.values, this.#part.opValue[op]!);
    return value !== null && typeof value === 'object' && value.text === 'true';
  }

  /** What an operation read or wrote. */
  versionOf(op: number): Version {
    if (this.kindOf(op) === 'put') return this.#whole.versionOf(this.#opOf[op]!);
    return this.isItem(op) ? undefined : this.#whole.parse(this.#part, this.#part.opValue[op]!);
  }

  initialOf(row: string): Version {
    return this.#whole.initialOf(row);
  }

  /** What a row held before a write of it, where that is certain. */
  before(write: number): Version {
    return this.#whole.before(this.#opOf[write]!);
  }

  tableOf(scan: number): string {
    return this.#whole.tableOf(this.#opOf[scan]!);
  }

  aggregateOf(scan: number): Aggregate | null {
    return this.#whole.aggregateOf(this.#opOf[scan]!);
  }

  /** The rows that a scan returned, all of them. */
  returnedBy(scan: number): string[] {
    return this.#whole.returnedBy(this.#opOf[scan]!);
  }

  returnedAs(scan: number, row: string): Version {
    return this.#whole.returnedAs(this.#opOf[scan]!, row);
  }

  /** Whether the part has all writes of all rows. */
  get hasEveryWrite(): boolean {
    return (this.#hasEveryWrite ??= this.#whole.areWritesAmong(this.#opOf));
  }

  /** Whether the part has all writes of a row. */
  hasAllWrites(row: string): boolean {
    this.#kept ??= new Set(this.#opOf);
    return this.#whole.writesOf(row).every((op) => this.#kept!.has(op));
  }

  whereOf(scan: number): Predicate {
    const at = this.#opOf[scan]!;
    let shown = this.#conditions.get(at);
    if (shown === undefined) {
      const where = this.#whole.whereOf(at);
      shown = this.#leavesOut ? withoutIdleParts(where, this.#versionsUnder(scan)) : where;
      this.#conditions.set(at, shown);
    }
    return shown;
  }

  /** The condition as the scan had it. */
  fullWhereOf(scan: number): Predicate {
    return this.#whole.whereOf(this.#opOf[scan]!);
  }

  /** Whether the condition of a scan is shown without some of its parts. */
  isShortened(scan: number): boolean {
    return this.whereOf(scan) !== this.fullWhereOf(scan);
  }

  /** The columns of a table that tell its rows' versions apart: those that change, and those that conditions are about. */
  columnsOf(table: string): ReadonlySet<string> {
    this.#columns ??= this.#tellingColumns();
    return this.#columns.get(table) ?? NO_COLUMNS;
  }

  /** The rows that operations of the part are about. */
  allRows(): string[] {
    return [...this.#operationsByRow().keys()];
  }

  /** What a row held at some time, in the part. */
  versionsOf(row: string): readonly Row[] {
    let versions = this.#versions.get(row);
    if (versions === undefined) {
      const ops = this.#operationsByRow().get(row) ?? [];
      versions = [this.initialOf(row), ...ops.map((op) => this.versionOf(op))].filter(isPresent);
      this.#versions.set(row, versions);
    }
    return versions;
  }

  #operationsByRow(): ReadonlyMap<string, readonly number[]> {
    if (this.#ofRow !== null) return this.#ofRow;
    const ofRow = new Map<string, number[]>();
    for (let op = 0; op < this.#opOf.length; op++) {
      if (this.kindOf(op) === null) continue;
      const row = this.rowOf(op);
      const known = ofRow.get(row);
      if (known === undefined) ofRow.set(row, [op]);
      else known.push(op);
    }
    return (this.#ofRow = ofRow);
  }

  /** The versions, in the part, of the rows that a scan says something about there. */
  #versionsUnder(scan: number): Row[] {
    const rows = new Set<string>();
    for (let op = this.headOf(scan); op < this.#opOf.length && this.#opOf[op] === this.#opOf[scan]; op++)
      rows.add(this.rowOf(op));
    return [...rows].flatMap((row) => this.versionsOf(row));
  }

  #tellingColumns(): Map<string, Set<string>> {
    const columns = new Map<string, Set<string>>();
    const add = (table: string, column: string): void => {
      const known = columns.get(table);
      if (known === undefined) columns.set(table, new Set([column]));
      else known.add(column);
    };
    const first = new Map<string, Row>();
    const compare = (row: string, version: Version): void => {
      if (!isPresent(version)) return;
      const other = first.get(row);
      if (other === undefined) first.set(row, version);
      else for (const column of differences(other, version)) add(tableOfRow(row), column);
    };
    const every = Math.ceil(this.#opOf.length / MOST_COMPARED);
    for (let op = 0; op < this.#opOf.length; op++) {
      if (this.#part.opKey[op]! % every > 0) continue;
      const kind = this.kindOf(op);
      if (kind === null) continue;
      if (kind === 'scan' && this.#opOf[op - 1] !== this.#opOf[op])
        for (const [column] of comparisonsOf(this.whereOf(op))) add(this.tableOf(op), column);
      const row = this.rowOf(op);
      if (!first.has(row)) compare(row, this.initialOf(row));
      compare(row, this.versionOf(op));
    }
    return columns;
  }

  #itemOf(key: number): ItemName | null {
    let item = this.#items.get(key);
    if (item === undefined) this.#items.set(key, (item = itemNamed(this.#part, key)));
    return item;
  }
}

/** Of a larger part, conditions are shown as they are: each would have to be tried on every version of the rows. */
const MOST_SHORTENED = 20_000;

/** Of a larger part, only some rows tell which columns change. */
const MOST_COMPARED = 200_000;

/** A condition without the parts of an "and" without which it matches the same versions. */
function withoutIdleParts(where: Predicate, versions: readonly Row[]): Predicate {
  if (where === true || where[0] !== 'and') return where;
  const isSame = (less: Predicate): boolean => versions.every((row) => matches(less, row) === matches(where, row));
  // Where all rows match, no part tells more than another.
  if (isSame(true)) return where;
  let parts = where.slice(1) as Predicate[];
  for (const part of where.slice(1) as Predicate[]) {
    const fewer = parts.filter((other) => other !== part);
    if (isSame(['and', ...fewer])) parts = fewer;
  }
  if (parts.length === where.length - 1) return where;
  return parts.length === 1 ? parts[0]! : ['and', ...parts];
}

/** The columns in which two versions differ. */
export const differences = (a: Row, b: Row): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((column) => (a[column] ?? null) !== (b[column] ?? null));

const isPresent = (version: Version): version is Row => version !== null && version !== undefined;

const ROW = /^[^/]+\/(?:-?\d+|"(?:[^"\\]|\\.)*")$/s;
const NO_COLUMNS: ReadonlySet<string> = new Set();
