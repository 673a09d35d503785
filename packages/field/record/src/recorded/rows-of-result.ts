import type { ColumnType, Table } from '../sql/catalog.ts';
import type { Values } from '../sql/condition.ts';
import type { Scan, Source } from '../sql/planned.ts';
import { WRITER_COLUMN, jsonOf, keyOf, parseRowText } from '../sql/row-text.ts';
import type { Redaction } from './redaction.ts';

/** A row as it appears in a result. */
export interface FoundRow {
  /** `"accounts",1` */
  readonly place: string;
  /** The row's columns as JSON, or `null` if the row is deleted. */
  readonly version: string;
  readonly xmin: number;
}

/**
 * Reads the row of one table from the hidden columns of a result; null if an outer join found no row. A row is
 * unreadable if it has other columns than the table had when the statement was planned.
 */
export function foundRow(
  { table, at }: Source,
  hidden: readonly (string | null)[],
  redaction: Redaction,
): FoundRow | 'unreadable' | null {
  const writer = hidden[at] ?? null;
  if (writer === null) return null;
  if (table.isWhole) {
    const columns = parseRowText(hidden[at + 1]!);
    return columns.length === table.columns.length ? wholeRow(table, columns, writer, redaction) : 'unreadable';
  }
  return keyedRow(table, hidden.slice(at + 1, at + 1 + table.key.length), writer, redaction);
}

export function wholeRow(
  table: Table,
  columns: readonly (string | null)[],
  writer: string,
  redaction: Redaction,
): FoundRow {
  const { members, keyAt } = layoutOf(table);
  let version = '';
  for (const { name, at, type } of members) {
    const field = at < 0 ? writer : (columns[at] ?? null);
    if (field === null) continue;
    version += version === '' ? name : `,${name}`;
    version += at < 0 ? field : jsonOf(type, field, redaction.value);
  }
  const key = keyAt.map((at) => columns[at] ?? null);
  return { place: placeOf(table, key, redaction), version: `{${version}}`, xmin: Number(writer) };
}

function keyedRow(table: Table, key: readonly (string | null)[], writer: string, redaction: Redaction): FoundRow {
  return { place: placeOf(table, key, redaction), version: `{"${WRITER_COLUMN}":${writer}}`, xmin: Number(writer) };
}

/** A row whose columns are known by name; null if some columns are unknown. */
export function namedRow(
  table: Table,
  column: (name: string) => string | null,
  xid: number,
  redaction: Redaction,
): FoundRow {
  if (!table.isWhole) return keyedRow(table, table.key.map(column), String(xid), redaction);
  const columns = table.columns.map(({ name }) => column(name));
  return wholeRow(table, columns, String(xid), redaction);
}

interface Layout {
  /** `"accounts",` */
  readonly name: string;
  /** The columns in order of their names, including the writer (at -1). */
  readonly members: readonly { readonly name: string; readonly at: number; readonly type: ColumnType }[];
  readonly keyAt: readonly number[];
  readonly keyTypes: readonly ColumnType[];
}

const layouts = new WeakMap<Table, Layout>();

function layoutOf(table: Table): Layout {
  const known = layouts.get(table);
  if (known) return known;
  const { columns } = table;
  const keyAt = table.key.map((name) => columns.findIndex((column) => column.name === name));
  const members = [{ name: WRITER_COLUMN, type: 'integer' as ColumnType, at: -1 }]
    .concat(columns.map(({ name, type }, at) => ({ name, type, at })))
    .filter(({ type }) => type !== 'left out')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const layout = {
    name: `${JSON.stringify(table.name)},`,
    members: members.map((member) => ({ ...member, name: `${JSON.stringify(member.name)}:` })),
    keyAt,
    keyTypes: keyAt.map((at) => columns[at]!.type),
  };
  layouts.set(table, layout);
  return layout;
}

const placeOf = (table: Table, key: readonly (string | null)[], redaction: Redaction): string =>
  layoutOf(table).name + keyText(table, key, redaction);

/** A primary key in the notation of the recorded lines. */
function keyText(table: Table, fields: readonly (string | null)[], { value }: Redaction): string {
  const key = keyOf(layoutOf(table).keyTypes, fields);
  if (value !== null) return JSON.stringify(value(key));
  return typeof key === 'number' ? String(key) : JSON.stringify(key);
}

/** Formats the information that a SELECT gives about rows that it did not return, for the transaction's line. */
export function absentRows(
  table: Table,
  scan: Scan,
  values: Values,
  rows: number,
  redaction: Redaction,
): string | null {
  const name = JSON.stringify(table.name);
  const point = scan.point?.(values) ?? null;
  if (point !== null) return rows > 0 ? null : `${name},null,${keyText(table, point, redaction)}`;
  return table.isWhole ? `${name},${JSON.stringify(redaction.condition(scan.where(values)))}` : null;
}
