import type { Predicate } from '@isolab/history';
import type { Setting, Table, TableRequest, TableRow } from '@isolab/workloads';
import { numberIn } from '../database/answers.ts';
import { Parameters, sqlOf } from './sql-predicate.ts';

/** Parts of a database's SQL dialect for tables of rows. */
export interface RowDialect {
  /** Returns the nth placeholder: `$1`, `?`. */
  parameter(n: number): string;
  readonly afterTable: string;
  /**
   * Method by which a change by predicate reports its rows. `returning`: through RETURNING, with their former values in
   * extra columns. `locking`: the rows are first read FOR UPDATE, then changed by id.
   */
  readonly changes: 'returning' | 'locking';
  /** Returns an INSERT that has no effect if the id exists and returns a row if it inserted. */
  insertIfAbsent(into: string): string;
}

/** Dialect of databases whose INSERT, UPDATE and DELETE can return rows. */
export const RETURNING_ROWS: Pick<RowDialect, 'changes' | 'insertIfAbsent'> = {
  changes: 'returning',
  insertIfAbsent: (into) => `INSERT ${into} ON CONFLICT (id) DO NOTHING RETURNING id`,
};

type Query = (sql: string, parameters: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

const nameOf = ({ name }: Table): string => `isolab_${name}`;
const columnsOf = ({ columns }: Table): string[] => ['id', ...Object.keys(columns), 'v'];
/** Returns the column that stores the content of another column before the row's last update. */
const before = (column: string): string => `was_${column}`;

/** Statements on a workload's own tables. */
export class RowRequests {
  readonly #dialect: RowDialect;

  constructor(dialect: RowDialect) {
    this.#dialect = dialect;
  }

  /** Returns statements that create the tables and, unless existing tables are kept, drop them first. */
  tables(tables: readonly Table[], keep: boolean): string[] {
    const { afterTable, changes } = this.#dialect;
    return tables.flatMap((table) => {
      const name = nameOf(table);
      const typeOf = (column: string): string => (table.columns[column] === 'boolean' ? 'BOOLEAN' : 'BIGINT');
      const columns = [
        'id BIGINT PRIMARY KEY',
        ...Object.keys(table.columns).map((column) => `${column} ${typeOf(column)} NOT NULL`),
        'v BIGINT NOT NULL',
        ...(changes === 'returning' ? changing(table).map((column) => `${before(column)} ${typeOf(column)}`) : []),
      ];
      const create = `CREATE TABLE IF NOT EXISTS ${name} (${columns.join(', ')}) ${afterTable}`.trim();
      const index = `CREATE INDEX ${name}_${table.index} ON ${name} (${table.index})`;
      return keep ? [create] : [`DROP TABLE IF EXISTS ${name}`, create, index];
    });
  }

  /** Sends a request as SQL. answers.ts of this folder checks the results. */
  async ask(query: Query, request: TableRequest): Promise<unknown> {
    const { table } = request;
    switch (request.kind) {
      case 'get': {
        const [row] = await this.#select(query, table, ['=', 'id', request.id]);
        return row ?? null;
      }
      case 'select':
        return this.#select(query, table, request.where);
      case 'aggregate': {
        const { of } = request;
        const parameters = this.#parameters();
        const result = of.kind === 'count' ? 'count(*)' : `${of.kind}(${of.column})`;
        const where = sqlOf(request.where, parameters);
        const sql = `SELECT ${result} AS result FROM ${nameOf(table)} WHERE ${where}`;
        const [row] = await query(sql, parameters.values);
        return numberIn(row?.['result']);
      }
      case 'join':
        return this.#join(query, request);
      case 'insert-row':
        return this.#insert(query, table, request.row, request.ifAbsent === true);
      case 'update':
        return this.#dialect.changes === 'returning'
          ? this.#update(query, table, request.where, request.set)
          : this.#updateLocked(query, table, request.where, request.set);
      case 'delete-rows':
        return this.#dialect.changes === 'returning'
          ? this.#delete(query, table, request.where)
          : this.#deleteLocked(query, table, request.where);
    }
  }

  #parameters(): Parameters {
    return new Parameters((n) => this.#dialect.parameter(n));
  }

  async #select(query: Query, table: Table, where: Predicate, after = ''): Promise<RawRow[]> {
    const parameters = this.#parameters();
    const condition = sqlOf(where, parameters);
    const sql = `SELECT ${columnsOf(table).join(', ')} FROM ${nameOf(table)} WHERE ${condition}${after}`;
    return (await query(sql, parameters.values)).map((row) => rowIn(table, row));
  }

  async #join(query: Query, { table, where, by, other }: Extract<TableRequest, { kind: 'join' }>): Promise<unknown> {
    const parameters = this.#parameters();
    const mine = columnsOf(table).map((column) => `a.${column} AS ${column}`);
    const theirs = columnsOf(other).map((column) => `b.${column} AS other_${column}`);
    const condition = sqlOf(where, parameters, 'a.');
    const tables = `${nameOf(table)} a LEFT JOIN ${nameOf(other)} b ON b.id = a.${by}`;
    const sql = `SELECT ${[...mine, ...theirs].join(', ')} FROM ${tables} WHERE ${condition}`;
    return (await query(sql, parameters.values)).map((row) => ({
      row: rowIn(table, row),
      other: rowIn(other, row, (column) => `other_${column}`),
    }));
  }

  async #insert(query: Query, table: Table, row: TableRow, ifAbsent: boolean): Promise<boolean> {
    const parameters = this.#parameters();
    const columns = columnsOf(table);
    const values = columns.map((column) => parameters.add(row[column]));
    const into = `INTO ${nameOf(table)} (${columns.join(', ')}) VALUES (${values.join(', ')})`;
    if (!ifAbsent) await query(`INSERT ${into}`, parameters.values);
    return !ifAbsent || (await query(this.#dialect.insertIfAbsent(into), parameters.values)).length > 0;
  }

  async #update(query: Query, table: Table, where: Predicate, set: Setting): Promise<unknown> {
    const parameters = this.#parameters();
    const kept = changing(table).map((column) => `${before(column)} = ${column}`);
    const given = assigned(set, parameters);
    const condition = sqlOf(where, parameters);
    const sql = `UPDATE ${nameOf(table)} SET ${[...kept, ...given].join(', ')} WHERE ${condition} RETURNING *`;
    return (await query(sql, parameters.values)).map((row) => ({
      old: rowIn(table, row, (column) => (column === 'id' ? column : before(column))),
      row: rowIn(table, row),
    }));
  }

  async #updateLocked(query: Query, table: Table, where: Predicate, set: Setting): Promise<unknown> {
    const found = await this.#select(query, table, where, ' FOR UPDATE');
    if (found.length > 0) {
      const parameters = this.#parameters();
      const given = assigned(set, parameters);
      const sql = `UPDATE ${nameOf(table)} SET ${given.join(', ')} WHERE ${sqlOf(idsOf(found), parameters)}`;
      await query(sql, parameters.values);
    }
    return found.map((old) => ({ old, row: { ...old, ...set } }));
  }

  async #delete(query: Query, table: Table, where: Predicate): Promise<unknown> {
    const parameters = this.#parameters();
    const condition = sqlOf(where, parameters);
    const sql = `DELETE FROM ${nameOf(table)} WHERE ${condition} RETURNING ${columnsOf(table).join(', ')}`;
    return (await query(sql, parameters.values)).map((row) => deleted(rowIn(table, row)));
  }

  async #deleteLocked(query: Query, table: Table, where: Predicate): Promise<unknown> {
    const found = await this.#select(query, table, where, ' FOR UPDATE');
    if (found.length > 0) {
      const parameters = this.#parameters();
      await query(`DELETE FROM ${nameOf(table)} WHERE ${sqlOf(idsOf(found), parameters)}`, parameters.values);
    }
    return found.map(deleted);
  }
}

/** A row as the database returned it; answers.ts refuses invalid values. */
type RawRow = Readonly<Record<string, unknown>> | null;

/** Returns all columns except the id, which never changes. */
const changing = (table: Table): string[] => columnsOf(table).slice(1);

const assigned = (set: Setting, parameters: Parameters): string[] =>
  Object.entries(set).map(([column, value]) => `${column} = ${parameters.add(value)}`);

const idsOf = (rows: readonly RawRow[]): Predicate => ['in', 'id', rows.map((row) => row!['id'] as number)];

const deleted = (old: RawRow): unknown => ({ id: old?.['id'], old });

/** Returns the columns of a table from a result row; null where an outer join found no row. */
function rowIn(table: Table, row: Record<string, unknown>, named = (column: string): string => column): RawRow {
  if ((row[named('id')] ?? null) === null) return null;
  return Object.fromEntries(
    columnsOf(table).map((column) => {
      const value = numberIn(row[named(column)]);
      return [column, table.columns[column] === 'boolean' ? truthIn(value) : value];
    }),
  );
}

/** SQLite and MySQL return booleans as numbers. */
const truthIn = (value: unknown): unknown => (value === 0 ? false : value === 1 ? true : value);
