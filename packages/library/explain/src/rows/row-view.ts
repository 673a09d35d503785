import {
  atomOf,
  comparisonsOf,
  type History,
  matches,
  type Predicate,
  type Row,
  rowsOf,
  type RowsOfKeys,
  textOfRow,
  UNKNOWN_VALUE,
} from '@isolab/history';
import { RowHistory, type Version } from './row-history.ts';
import { addTo } from './multimap.ts';

/** The history with tables that a lowered history, or a part of it, stems from. */
export interface RowSource {
  readonly history: History;
  readonly opOf: Int32Array;
}

/**
 * Operations of a lowered history as reads, writes and scans of rows. Rows have the numbers of the original history.
 */
export class RowView extends RowHistory {
  readonly #part: History;
  readonly #rows: RowsOfKeys | null;
  readonly #conditions = new Map<number, Predicate>(); // by operation of the whole
  readonly #leavesOut: boolean;
  readonly #hidden: readonly string[];
  readonly #alike = new Map<number, ReadonlyMap<string, readonly string[]>>();
  #columns: ReadonlyMap<string, ReadonlySet<string>> | null = null;
  #ofRow: ReadonlyMap<number, readonly number[]> | null = null; // by row: the operations of the part
  readonly #versions = new Map<number, readonly Row[]>();

  /** `leavesOut` says that conditions are shown without irrelevant parts. */
  constructor(part: History, { history, opOf }: RowSource, leavesOut: boolean) {
    super(history, opOf);
    this.#part = part;
    // A part that is shown by itself has rows of its own.
    const { rows, ...alone } = part;
    this.#rows = rowsOf(rows !== undefined && history.rows === undefined ? part : alone);
    this.#hidden = history.source.hiddenColumns ?? [];
    this.#leavesOut = leavesOut && opOf.length <= MOST_SHORTENED;
  }

  /** The first operation of the part that stems from the same one. */
  headOf(op: number): number {
    let head = op;
    while (head > 0 && this.opOf[head - 1] === this.opOf[op]) head--;
    return head;
  }

  /** Returns whether an operation is about nothing but whether a row matches. */
  isItem(op: number): boolean {
    return this.#conditionOfKey(this.#part.opKey[op]!) >= 0;
  }

  /** The row that a key of the part is, or is about; −1 for another key. */
  rowOfKey(key: number): number {
    return this.#rows?.row[key] ?? -1;
  }

  rowOf(op: number): number {
    return this.rowOfKey(this.#part.opKey[op]!);
  }

  /** Returns whether the match of an item's row is unknown, as for rows that an aggregate may cover. */
  isOpen(op: number): boolean {
    const value = this.#part.opValue[op];
    return value === UNKNOWN_VALUE;
  }

  /** The versions that an item is about, where they are not all. */
  conditionOf(op: number): string {
    return this.#rows?.conditions[this.#conditionOfKey(this.#part.opKey[op]!)] ?? '';
  }

  /** Returns whether the row of an item was reported to match, or was written as a match. */
  isMatch(op: number): boolean {
    const value = atomOf(this.#part.values, this.#part.opValue[op]!);
    return value !== null && typeof value === 'object' && value.text === 'true';
  }

  /** Returns the version that an operation read or wrote. */
  versionOf(op: number): Version {
    if (this.kindOf(op) !== 'scan') return this.pointVersionOf(op);
    return this.isItem(op) ? undefined : this.returnedAs(op, this.rowOf(op));
  }

  whereOf(scan: number): Predicate {
    const at = this.opOf[scan]!;
    let shown = this.#conditions.get(at);
    if (shown === undefined) {
      const where = this.fullWhereOf(scan);
      shown = this.#leavesOut ? withoutIdleParts(where, this.#versionsUnder(scan)) : where;
      this.#conditions.set(at, shown);
    }
    return shown;
  }

  /** Returns whether the condition of a scan is shown without some of its parts. */
  isShortened(scan: number): boolean {
    return this.whereOf(scan) !== this.fullWhereOf(scan);
  }

  /** Columns of a table that distinguish the versions of its rows: columns that change, and columns in conditions. */
  columnsOf(table: string): ReadonlySet<string> {
    this.#columns ??= this.#tellingColumns();
    return this.#columns.get(table) ?? NO_COLUMNS;
  }

  /** The columns of a version that hold something and that clients saw. */
  shownColumns(row: Row): string[] {
    return Object.keys(row).filter((column) => row[column] !== null && !this.#hidden.includes(column));
  }

  /** The columns that clients saw in which two versions differ. */
  differences(a: Row, b: Row): string[] {
    return [...new Set([...this.shownColumns(a), ...this.shownColumns(b)])].filter(
      (column) => (a[column] ?? null) !== (b[column] ?? null),
    );
  }

  /** The place of a version, from 1, among those of its row that clients cannot distinguish; 0 where it is the only one. */
  numberAmongAlike(row: number, version: Row): number {
    if (this.#hidden.length === 0) return 0;
    let alike = this.#alike.get(row);
    if (alike === undefined)
      this.#alike.set(row, (alike = grouped(this.versionsOf(row), (each) => this.#shownText(each))));
    const versions = alike.get(this.#shownText(version)) ?? [];
    return versions.length < 2 ? 0 : versions.indexOf(textOfRow(version)) + 1;
  }

  #shownText(row: Row): string {
    return JSON.stringify(this.shownColumns(row).map((column) => [column, row[column]]));
  }

  /** The rows that operations of the part are about. */
  allRows(): number[] {
    return [...this.#operationsByRow().keys()];
  }

  /** Versions that a row had at some time, in the part. */
  versionsOf(row: number): readonly Row[] {
    let versions = this.#versions.get(row);
    if (versions === undefined) {
      const ops = this.#operationsByRow().get(row) ?? [];
      versions = [this.initialOf(row), ...ops.map((op) => this.versionOf(op))].filter(isPresent);
      this.#versions.set(row, versions);
    }
    return versions;
  }

  #operationsByRow(): ReadonlyMap<number, readonly number[]> {
    if (this.#ofRow !== null) return this.#ofRow;
    const ofRow = new Map<number, number[]>();
    for (let op = 0; op < this.opOf.length; op++) {
      if (this.kindOf(op) === null) continue;
      addTo(ofRow, this.rowOf(op), op);
    }
    return (this.#ofRow = ofRow);
  }

  /** The versions, in the part, of the rows that a scan says something about there. */
  #versionsUnder(scan: number): Row[] {
    const rows = new Set<number>();
    for (let op = this.headOf(scan); op < this.opOf.length && this.opOf[op] === this.opOf[scan]; op++)
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
    const first = new Map<number, Row>();
    const compare = (row: number, version: Version): void => {
      if (!isPresent(version)) return;
      const other = first.get(row);
      if (other === undefined) first.set(row, version);
      else for (const column of this.differences(other, version)) add(this.tableNameOf(row), column);
    };
    const every = Math.ceil(this.opOf.length / MOST_COMPARED);
    for (let op = 0; op < this.opOf.length; op++) {
      if (this.#part.opKey[op]! % every > 0) continue;
      const kind = this.kindOf(op);
      if (kind === null) continue;
      if (kind === 'scan' && this.opOf[op - 1] !== this.opOf[op])
        for (const [column] of comparisonsOf(this.whereOf(op))) add(this.tableOf(op), column);
      const row = this.rowOf(op);
      if (!first.has(row)) compare(row, this.initialOf(row));
      compare(row, this.versionOf(op));
    }
    return columns;
  }

  #conditionOfKey(key: number): number {
    return this.#rows?.condition[key] ?? -1;
  }
}

/** In a larger part, conditions are shown unchanged: each would have to be tried on every version of the rows. */
const MOST_SHORTENED = 20_000;

/** In a larger part, only some rows determine which columns change. */
const MOST_COMPARED = 200_000;

/** A condition without the redundant parts of an "and". */
function withoutIdleParts(where: Predicate, versions: readonly Row[]): Predicate {
  if (where === true || where[0] !== 'and') return where;
  const isSame = (less: Predicate): boolean => versions.every((row) => matches(less, row) === matches(where, row));
  // Where all rows match, no part of the condition matters more than another.
  if (isSame(true)) return where;
  let parts = where.slice(1) as Predicate[];
  for (const part of where.slice(1) as Predicate[]) {
    const fewer = parts.filter((other) => other !== part);
    if (isSame(['and', ...fewer])) parts = fewer;
  }
  if (parts.length === where.length - 1) return where;
  return parts.length === 1 ? parts[0]! : ['and', ...parts];
}

/** The texts of versions, each once, by the answer of `of`. */
function grouped(versions: readonly Row[], of: (version: Row) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const version of versions) {
    const [name, text] = [of(version), textOfRow(version)];
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [text]);
    else if (!group.includes(text)) group.push(text);
  }
  return groups;
}

const isPresent = (version: Version): version is Row => version !== null && version !== undefined;

const NO_COLUMNS: ReadonlySet<string> = new Set();
