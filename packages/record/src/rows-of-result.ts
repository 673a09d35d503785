import { type Row, textOfRow } from '@isolab/history';
import type { Table } from './sql/catalog.ts';
import type { Source } from './sql/planned.ts';
import { WRITER_COLUMN, keyOf, parseRowText, rowOf } from './sql/row-text.ts';
import type { Redaction } from './redaction.ts';

/** A row as a result showed it. */
export interface FoundRow {
  readonly table: Table;
  /** `"accounts",1` */
  readonly place: string;
  readonly key: bigint | string;
  /** Its columns as JSON, or `null` where it is deleted. */
  readonly version: string;
  readonly xmin: number;
}

/** The row of one table in the hidden columns of a result; null where an outer join found none. */
export function foundRow(
  { table, at }: Source,
  hidden: readonly (string | null)[],
  redaction: Redaction,
): FoundRow | null {
  const writer = hidden[at] ?? null;
  if (writer === null) return null;
  const xmin = Number(writer);
  if (!table.isWhole) {
    const fields = hidden.slice(at + 1, at + 1 + table.key.length);
    return found(table, fields, { [WRITER_COLUMN]: xmin }, xmin, redaction);
  }
  const columns = parseRowText(hidden[at + 1]!);
  return wholeRow(table, columns, writer, redaction);
}

/** A row of which all columns are known. */
export function wholeRow(
  table: Table,
  columns: readonly (string | null)[],
  writer: string,
  redaction: Redaction,
): FoundRow {
  const fields = table.key.map((name) => columns[table.columns.findIndex((column) => column.name === name)] ?? null);
  return found(table, fields, redaction.row(rowOf(table.columns, columns, writer)), Number(writer), redaction);
}

/** A row whose columns are known by name; null for those that are not. */
export function namedRow(
  table: Table,
  column: (name: string) => string | null,
  xid: number,
  redaction: Redaction,
): FoundRow {
  if (table.isWhole)
    return wholeRow(
      table,
      table.columns.map(({ name }) => column(name)),
      String(xid),
      redaction,
    );
  return found(table, table.key.map(column), { [WRITER_COLUMN]: xid }, xid, redaction);
}

function found(
  table: Table,
  fields: readonly (string | null)[],
  row: Row,
  xmin: number,
  redaction: Redaction,
): FoundRow {
  const types = table.key.map((name) => table.columns.find((column) => column.name === name)!.type);
  const key = redaction.key(keyOf(types, fields));
  return { table, key, place: placeOf(table, key), version: textOfRow(row), xmin };
}

const placeOf = ({ name }: Table, key: bigint | string): string => `${JSON.stringify(name)},${spelled(key)}`;

const spelled = (key: bigint | string): string => (typeof key === 'bigint' ? String(key) : JSON.stringify(key));

/** A primary key as lines spell it. */
export function keyText(table: Table, fields: readonly string[], redaction: Redaction): string {
  const types = table.key.map((name) => table.columns.find((column) => column.name === name)!.type);
  return spelled(redaction.key(keyOf(types, fields)));
}
