import {
  type History,
  type OperationId,
  type Predicate,
  type Row,
  type RowsOfKeys,
  UNKNOWN_VALUE,
  atomOf,
  comparisonsOf,
  matches,
  rowsOf,
  textOfRow,
} from '@isolab/history';
import { RowHistory, type Version } from './row-history.ts';
import { addTo } from './multimap.ts';

/** The history with tables that a lowered history, or a part of a lowered history, was derived from. */
export interface RowSource {
  readonly history: History;
  readonly opOf: Int32Array;
}

/**
 * Presents operations of a lowered history as reads, writes and scans of rows. Rows have the numbers of the original
 * history.
 */
export class RowView extends RowHistory {
  readonly #part: History;
  readonly #rows: RowsOfKeys | null;
  readonly #conditions = new Map<number, Predicate>(); // indexed by operation of the whole
  readonly #leavesOut: boolean;
  readonly #hidden: readonly string[];
  readonly #alike = new Map<number, ReadonlyMap<string, ReadonlyMap<string, number>>>();
  #columns: ReadonlyMap<string, ReadonlySet<string>> | null = null;
  #ofRow: ReadonlyMap<number, readonly number[]> | null = null; // operations of the part, by row
  readonly #versions = new Map<number, readonly Row[]>();

  /** `leavesOut` shortens conditions by their irrelevant parts. */
  constructor(part: History, { history, opOf }: RowSource, leavesOut: boolean) {
    super(history, opOf);
    this.#part = part;
    // A part that is shown on its own has its own rows.
    this.#rows = rowsOf(history.rows === null ? part : { ...part, rows: null });
    this.#hidden = history.source.hiddenColumns ?? [];
    this.#leavesOut = leavesOut && opOf.length <= MOST_SHORTENED;
  }

  /** The first operation of the part with the same original operation. */
  headOf(op: OperationId): number {
    let head = op;
    while (head > 0 && this.opOf[head - 1] === this.opOf[op]) head--;
    return head;
  }

  /** Returns whether an operation only represents whether a row matches. */
  isItem(op: OperationId): boolean {
    return this.#conditionOfKey(this.#part.opKey[op]!) >= 0;
  }

  /** The row that a key of the part represents or refers to; −1 for other keys. */
  rowOfKey(key: number): number {
    return this.#rows?.row[key] ?? -1;
  }

  rowOf(op: OperationId): number {
    const row = this.rowOfKey(this.#part.opKey[op]!);
    return row < 0 && this.kindOf(op) === 'put' ? this.writtenRow(op) : row;
  }

  /** Returns whether it is unknown if the row of an item matches, as for rows that an aggregate may cover. */
  isOpen(op: OperationId): boolean {
    const value = this.#part.opValue[op];
    return value === UNKNOWN_VALUE;
  }

  /** The condition on versions that an item refers to; empty if it refers to all versions. */
  conditionOf(op: OperationId): string {
    return this.#rows?.conditions[this.#conditionOfKey(this.#part.opKey[op]!)] ?? '';
  }

  /** Returns whether the row of an item was reported as a match, or was written as a match. */
  isMatch(op: OperationId): boolean {
    const value = atomOf(this.#part.values, this.#part.opValue[op]!);
    return value !== null && typeof value === 'object' && value.text === 'true';
  }

  versionOf(op: OperationId): Version {
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

  /** Returns whether the condition of a scan is shown in shortened form. */
  isShortened(scan: number): boolean {
    return this.whereOf(scan) !== this.fullWhereOf(scan);
  }

  /** Columns of a table that distinguish the versions of its rows: changing columns, and columns in conditions. */
  columnsOf(table: string): ReadonlySet<string> {
    this.#columns ??= this.#tellingColumns();
    return this.#columns.get(table) ?? NO_COLUMNS;
  }

  /** The non-null columns of a version that clients saw. */
  shownColumns(row: Row): string[] {
    return Object.keys(row).filter((column) => row[column] !== null && !this.#hidden.includes(column));
  }

  /** The columns visible to clients in which two versions differ. */
  differences(a: Row, b: Row): string[] {
    return [...new Set([...this.shownColumns(a), ...this.shownColumns(b)])].filter(
      (column) => (a[column] ?? null) !== (b[column] ?? null),
    );
  }

  /**
   * The position of a version, from 1, among the versions of its row that look alike to clients; 0 if no other version
   * looks alike.
   */
  numberAmongAlike(row: number, version: Row): number {
    if (this.#hidden.length === 0) return 0;
    let alike = this.#alike.get(row);
    if (alike === undefined)
      this.#alike.set(row, (alike = grouped(this.versionsOf(row), (each) => this.#shownText(each))));
    const versions = alike.get(this.#shownText(version));
    return versions === undefined || versions.size < 2 ? 0 : (versions.get(textOfRow(version)) ?? 0);
  }

  #shownText(row: Row): string {
    return JSON.stringify(this.shownColumns(row).map((column) => [column, row[column]]));
  }

  /** The rows that operations of the part refer to. */
  allRows(): number[] {
    return [...this.#operationsByRow().keys()];
  }

  /** All versions that a row has in the part. */
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

  /** The versions, in the part, of the rows that a scan covers. */
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

/**
 * In a larger part conditions are not shortened, because each condition would have to be evaluated on every version of
 * the rows.
 */
const MOST_SHORTENED = 20_000;

/** In a larger part only a sample of the rows determines which columns change. */
const MOST_COMPARED = 200_000;

/** Removes the redundant conjuncts of a condition. */
function withoutIdleParts(where: Predicate, versions: readonly Row[]): Predicate {
  if (where === true || where[0] !== 'and') return where;
  const isSame = (less: Predicate): boolean => versions.every((row) => matches(less, row) === matches(where, row));
  // If all rows match, all conjuncts are equally redundant.
  if (isSame(true)) return where;
  let parts = where.slice(1) as Predicate[];
  for (const part of where.slice(1) as Predicate[]) {
    const fewer = parts.filter((other) => other !== part);
    if (isSame(['and', ...fewer])) parts = fewer;
  }
  if (parts.length === where.length - 1) return where;
  return parts.length === 1 ? parts[0]! : ['and', ...parts];
}

/** Groups the distinct texts of versions by the result of `of`, and numbers them from 1. */
function grouped(versions: readonly Row[], of: (version: Row) => string): Map<string, Map<string, number>> {
  const groups = new Map<string, Map<string, number>>();
  for (const version of versions) {
    const [name, text] = [of(version), textOfRow(version)];
    const group = groups.get(name);
    if (group === undefined) groups.set(name, new Map([[text, 1]]));
    else if (!group.has(text)) group.set(text, group.size + 1);
  }
  return groups;
}

/** Returns the view of a part. Many stories of one history need the same view, which reads the whole part. */
export function rowViewOf(part: History, { history, opOf }: RowSource, leavesOut: boolean): RowView {
  const known = views.get(part);
  if (known?.history === history && known.opOf === opOf && known.leavesOut === leavesOut) return known.view;
  const view = new RowView(part, { history, opOf }, leavesOut);
  views.set(part, { history, opOf, leavesOut, view });
  return view;
}

const views = new WeakMap<History, RowSource & { readonly leavesOut: boolean; readonly view: RowView }>();

const isPresent = (version: Version): version is Row => version !== null && version !== undefined;

const NO_COLUMNS: ReadonlySet<string> = new Set();
