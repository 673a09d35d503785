import type { Predicate } from '@isolab/history';
import type { RowImage } from '../binlog/events.ts';
import type { Table } from '../binlog/table.ts';
import { type ColumnName, type Condition, type Constant, valueOf } from '../sql/condition.ts';
import type { Named } from '../sql/doing.ts';
import type { Parameter } from '../wire/values.ts';
import type { Step } from '../recording/transaction.ts';
import type { Rows, TableState } from './rows.ts';

/** A row that a SELECT returned, with the values of the columns that it shows. */
export interface FoundRow {
  readonly state: TableState;
  readonly key: readonly string[];
  readonly values: RowImage;
}

export interface FoundRows {
  readonly rows: readonly FoundRow[];
  /** The key of the only row that the condition allows, if no row was found. */
  readonly absent: { readonly state: TableState; readonly key: readonly string[] } | null;
  /** The condition, if it excludes all rows of the table that were not found. */
  readonly scan: { readonly state: TableState; readonly where: Predicate } | null;
  /** Whether the result has rows without a known key. */
  readonly isUnclear: boolean;
}

const NOTHING: FoundRows = { rows: [], absent: null, scan: null, isUnclear: false };

/** Identifies the rows that a SELECT returned: by their columns, or by a condition on the key. */
export function foundRows(step: Step, rows: Rows): FoundRows {
  const { statement, found, schema, parameters } = step;
  const { does } = statement;
  if (does.kind !== 'select' || found === null) return NOTHING;
  const identified: FoundRow[] = [];
  let isUnclear = !found.isWhole;
  for (const named of does.tables) {
    const state = rows.followed(`${named.schema ?? schema ?? ''}.${named.table}`);
    if (!state) {
      isUnclear = true;
      continue;
    }
    const table = state.table!;
    const places = placesOf(table, named, found.columns, schema);
    const isOnly = does.tables.length === 1;
    const fixed = keyOf(does.where, table, named, { parameters, isOnly });
    for (const row of found.rows) {
      const values = table.columns.map((_, i) => (places[i] === undefined ? undefined : row[places[i]]));
      const key = table.key.map((i) => (places[i] === undefined ? fixed?.[table.key.indexOf(i)] : values[i]));
      if (key.includes(null)) continue; // a row that an outer join did not find
      if (key.includes(undefined)) isUnclear = true;
      else identified.push({ state, key: key as string[], values });
    }
  }
  const [only] = does.tables;
  const state = does.tables.length === 1 ? rows.followed(`${only!.schema ?? schema ?? ''}.${only!.table}`) : null;
  const context = { parameters, isOnly: true };
  // The key alone excludes no other rows.
  const key = state && onlyKey(does.where, state.table!, only!, context);
  const isAbsent = found.rows.length === 0 && found.isWhole && !does.mayMiss;
  const where = state && !key && !does.isPartial && !isUnclear ? predicateOf(does.where, state, only!, context) : null;
  return {
    rows: identified,
    absent: key && isAbsent ? { state: state!, key } : null,
    scan: where === null || state === null ? null : { state, where },
    isUnclear,
  };
}

/** For each column of a table, its place in a result. */
function placesOf(
  table: Table,
  named: Named,
  columns: NonNullable<Step['found']>['columns'],
  schema: string | null,
): (number | undefined)[] {
  const isMine = ({ alias, table: name, schema: from }: (typeof columns)[number]): boolean =>
    alias === named.alias && name === table.table && from === (named.schema ?? schema);
  return table.columns.map(({ name }) => {
    const place = columns.findIndex((column) => isMine(column) && column.column === name);
    return place < 0 ? undefined : place;
  });
}

interface Context {
  readonly parameters: readonly Parameter[] | null;
  /** Whether the statement reads no other table. */
  readonly isOnly: boolean;
}

/** The text of an integer constant as results show it; null for other constants. */
function integerText(constant: Constant, parameters: readonly Parameter[] | null): string | null {
  const value = valueOf(constant, parameters);
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^(0|-?[1-9]\d{0,18})$/.test(text) ? text : null;
}

const isColumn = ({ table, column }: ColumnName, name: string, named: Named, isOnly: boolean): boolean =>
  column.toLowerCase() === name.toLowerCase() && (table === null ? isOnly : table === named.alias);

const conjuncts = (where: Condition | null): readonly Condition[] =>
  where === null ? [] : where[0] === 'and' ? (where.slice(1) as Condition[]).flatMap(conjuncts) : [where];

/** The values that a condition fixes for the columns of the key; undefined for the other columns. */
export function keyOf(
  where: Condition | null,
  table: Table,
  named: Named,
  { parameters, isOnly }: Context,
): (string | undefined)[] | null {
  const parts = conjuncts(where);
  return table.key.map((i) => {
    const { name, kind } = table.columns[i]!;
    for (const part of parts)
      if (part[0] === '=' && isColumn(part[1], name, named, isOnly)) {
        if (kind === 'integer') return integerText(part[2], parameters) ?? undefined;
        // Other collations may find a row with another spelling, so the caller checks that the key exists.
        const value = valueOf(part[2], parameters);
        return kind === 'text' && typeof value === 'string' ? value : undefined;
      }
    return undefined;
  });
}

/** The integer key, if the condition consists only of it. */
function onlyKey(where: Condition | null, table: Table, named: Named, context: Context): string[] | null {
  if (conjuncts(where).length !== table.key.length || table.key.some((i) => table.columns[i]!.kind !== 'integer'))
    return null;
  const key = keyOf(where, table, named, context);
  return key === null || key.includes(undefined) ? null : (key as string[]);
}

/** Translates a condition; null if a part of it is unknown or depends on a collation. */
function predicateOf(where: Condition | null, state: TableState, named: Named, context: Context): Predicate | null {
  if (where === null) return true;
  const { columns } = state.table!;
  const nameOfColumn = (column: ColumnName): string | null => {
    const found = columns.find(({ name, kind }) => kind === 'integer' && isColumn(column, name, named, context.isOnly));
    return found && !state.large.has(found.name) ? found.name : null;
  };
  const constant = (given: Constant): number | null => {
    const text = integerText(given, context.parameters);
    return text !== null && Number.isSafeInteger(Number(text)) ? Number(text) : null;
  };
  switch (where[0]) {
    case 'unknown':
      return null;
    case 'and':
    case 'or': {
      const parts = (where.slice(1) as Condition[]).map((part) => predicateOf(part, state, named, context));
      return parts.includes(null) ? null : [where[0], ...(parts as Predicate[])];
    }
    case 'not': {
      const part = predicateOf(where[1], state, named, context);
      return part === null ? null : ['not', part];
    }
    case 'null': {
      const found = columns.find(
        ({ name, kind }) => kind !== 'left out' && isColumn(where[1], name, named, context.isOnly),
      );
      return found ? ['null', found.name] : null;
    }
    case 'in': {
      const [column, values] = [nameOfColumn(where[1]), where[2].map(constant)];
      return column === null || values.includes(null) ? null : ['in', column, values as number[]];
    }
    case 'between': {
      const [column, low, high] = [nameOfColumn(where[1]), constant(where[2]), constant(where[3])];
      return column === null || low === null || high === null ? null : ['between', column, low, high];
    }
    default: {
      const [column, value] = [nameOfColumn(where[1]), constant(where[2])];
      return column === null || value === null ? null : [where[0], column, value];
    }
  }
}
