import { type Key, type Table, isTableRequest } from '@isolab/workloads';
import { type Question, numberIn } from '../database/answers.ts';
import type { DataKind } from '../database/database.ts';
import { CollectorError } from '../database/errors.ts';
import { type Layout, PLAIN_LAYOUT } from '../database/layout.ts';
import { type RowDialect, RowRequests, RETURNING_ROWS } from '../rows/sql-rows.ts';

/** Differences between the SQL databases. */
export interface Dialect extends RowDialect {
  readonly text: string;
  /** Returns the clause after an INSERT that makes it overwrite the given columns. */
  upsert(columns: readonly string[]): string;
  /** Returns the clause after an INSERT that makes it append `,element` to the list `v` of a table. */
  appends(table: string): string;
  /** Returns an expression for the list `v` with one more element, a parameter. */
  longer(element: string): string;
  /** Clause at the end of an UPDATE that makes it return each changed row. */
  readonly returning: string;
  /** Returns an expression for a column that no index matches. */
  bare(column: string): string;
  /** Definition of the indexed column with the length of a list; null where an index can contain expressions. */
  readonly lengthColumn: string | null;
}

/** Parts that dialects share with PostgreSQL. */
export const ON_CONFLICT = {
  upsert: (columns: readonly string[]) =>
    `ON CONFLICT (k) DO UPDATE SET ${columns.map((c) => `${c} = EXCLUDED.${c}`).join(', ')}`,
  longer: (element: string) => `COALESCE(v || ',', '') || ${element}`,
  returning: ' RETURNING k',
  bare: (column: string) => `${column} || ''`,
  lengthColumn: null,
  afterTable: '',
  ...RETURNING_ROWS,
};

export type Query = (sql: string, parameters: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

/** Statements on isolab's own tables, with one row per key. */
export class SqlRequests {
  readonly #dialect: Dialect;
  readonly #layout: Layout;
  readonly #rows: Readonly<Record<'read' | 'write' | 'range', string>>;
  readonly #ofTables: RowRequests;
  #reads = 0;

  constructor(dialect: Dialect, layout: Layout = PLAIN_LAYOUT) {
    const p = (n: number): string => dialect.parameter(n);
    this.#dialect = dialect;
    this.#layout = layout;
    this.#ofTables = new RowRequests(dialect);
    this.#rows = {
      read: `SELECT v, dead FROM isolab_rows WHERE k = ${p(1)}`,
      write: `INSERT INTO isolab_rows (k, v, dead) VALUES (${p(1)}, ${p(2)}, ${p(3)}) ${dialect.upsert(['v', 'dead'])}`,
      range: `SELECT k, v, dead FROM isolab_rows WHERE k BETWEEN ${p(1)} AND ${p(2)}`,
    };
  }

  /**
   * Returns statements that create the tables for a kind of data and, unless existing tables are kept, drop them first.
   */
  tables(data: DataKind, keep: boolean, tables: readonly Table[] = []): string[] {
    const { afterTable } = this.#dialect;
    if ((data === 'rows' || data === 'tables') && this.#layout !== PLAIN_LAYOUT)
      throw new CollectorError('Layouts apply only to registers and lists, but this workload has its own rows.');
    if (data === 'tables') return [...this.tables('registers', keep), ...this.#ofTables.tables(tables, keep)];
    return this.#tableNames(data).flatMap((table) => {
      const create = `CREATE TABLE IF NOT EXISTS ${table} (${this.#columns(data).join(', ')}) ${afterTable}`;
      return keep ? [create] : [`DROP TABLE IF EXISTS ${table}`, create, ...this.#indexes(data, table)];
    });
  }

  #columns(data: DataKind): string[] {
    const { text, lengthColumn } = this.#dialect;
    if (data === 'rows') return ['k BIGINT PRIMARY KEY', 'v BIGINT NOT NULL', 'dead INT NOT NULL'];
    return [
      `k ${text} PRIMARY KEY`,
      data === 'registers' ? 'v BIGINT' : 'v TEXT',
      ...(this.#hasSecondKey ? [`s ${text}`] : []),
      ...(data === 'lists' && this.#layout.index === 'value' && lengthColumn !== null ? [lengthColumn] : []),
    ];
  }

  #indexes(data: DataKind, table: string): string[] {
    const { lengthColumn } = this.#dialect;
    const ofValue = data === 'registers' ? 'v' : lengthColumn === null ? '(length(v))' : 'n';
    return [
      ...(this.#hasSecondKey ? [`CREATE INDEX ${table}_s ON ${table} (s)`] : []),
      ...(this.#layout.index === 'value' ? [`CREATE INDEX ${table}_v ON ${table} (${ofValue})`] : []),
    ];
  }

  get #hasSecondKey(): boolean {
    return this.#layout['read-by'] === 'index' || this.#layout['read-by'] === 'mixed';
  }

  #tableNames(data: DataKind): string[] {
    const { tables } = this.#layout;
    return tables === 1 ? [`isolab_${data}`] : Array.from({ length: tables }, (_, i) => `isolab_${data}_${i}`);
  }

  #tableOf(data: DataKind, key: Key): string {
    const { tables } = this.#layout;
    const number = typeof key === 'number' ? key : [...key].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0);
    return tables === 1 ? `isolab_${data}` : `isolab_${data}_${((number % tables) + tables) % tables}`;
  }

  /** Sends a request as SQL. Compare-and-set, insert and delete read before they write, as the papers' clients do. */
  async ask(query: Query, kind: DataKind, request: Question): Promise<unknown> {
    if (isTableRequest(request)) return this.#ofTables.ask(query, request);
    const data = kind === 'tables' ? 'registers' : kind; // registers, which exist beside tables
    switch (request.kind) {
      case 'read':
        return this.#read(query, data, request.key);
      case 'write':
        if (data === 'rows') await query(this.#rows.write, [request.key, request.value, 0]);
        else await this.#write(query, data, request.key, request.value);
        return undefined;
      case 'read-list': {
        const [row] = await this.#find(query, data, request.key);
        return hasValue(row) ? String(row['v']).split(',').map(numberIn) : [];
      }
      case 'append':
        await this.#write(query, data, request.key, request.value);
        return undefined;
      case 'insert':
      case 'delete': {
        const found = await this.#readRow(query, request.key);
        const inserts = request.kind === 'insert';
        const isLive = found !== null && !found.dead;
        if (isLive !== inserts) await query(this.#rows.write, [request.key, request.value, inserts ? 0 : 1]);
        return found === null ? [] : [found];
      }
      case 'range': {
        const rows = await query(this.#rows.range, [request.low, request.high]);
        return rows.map((row) => rowOf(row['k'], row));
      }
      case 'compare-and-set': {
        const succeeds = (await this.#read(query, data, request.key)) === request.expected;
        if (succeeds) await this.#write(query, data, request.key, request.value);
        return succeeds;
      }
    }
  }

  /**
   * Returns the statements of a request with their values, for people and for tests. A request that reads before it
   * writes has the conditional write as well.
   */
  async spelled(data: DataKind, request: Question): Promise<string[]> {
    const statements: string[] = [];
    const found = request.kind === 'delete' || isTableRequest(request) ? [{ id: 0, v: 0, dead: 0 }] : [];
    const expected =
      request.kind === 'compare-and-set' && request.expected !== null ? [{ v: request.expected }] : found;
    const query: Query = async (sql, parameters) => (statements.push(inlined(sql, parameters)), expected);
    await this.ask(query, data, request);
    return statements;
  }

  async #read(query: Query, data: DataKind, key: Key): Promise<unknown> {
    if (data === 'rows') return (await this.#readRow(query, key))?.value ?? null;
    const [row] = await this.#find(query, data, key);
    return hasValue(row) ? numberIn(row['v']) : null;
  }

  /** Finds the row of a key as the layout requires. */
  #find(query: Query, data: DataKind, key: Key): Promise<readonly Record<string, unknown>[]> {
    const { bare, parameter } = this.#dialect;
    const asked = this.#layout['read-by'];
    const by = asked === 'mixed' ? WAYS[this.#reads++ % WAYS.length]! : asked;
    const column = { key: 'k', index: 's', scan: bare('k') }[by];
    return query(`SELECT v FROM ${this.#tableOf(data, key)} WHERE ${column} = ${parameter(1)}`, [String(key)]);
  }

  async #write(query: Query, data: DataKind, key: Key, value: number): Promise<void> {
    const { parameter: p, upsert, appends, longer, returning } = this.#dialect;
    const table = this.#tableOf(data, key);
    const isList = data === 'lists';
    const given = isList ? String(value) : value;
    const insert = this.#hasSecondKey
      ? `INSERT INTO ${table} (k, v, s) VALUES (${p(1)}, ${p(2)}, ${p(3)})`
      : `INSERT INTO ${table} (k, v) VALUES (${p(1)}, ${p(2)})`;
    const inserted = [String(key), given, ...(this.#hasSecondKey ? [String(key)] : [])];
    if (this.#layout.write === 'upsert') {
      await query(`${insert} ${isList ? appends(table) : upsert(['v'])}`, inserted);
      return;
    }
    const written = isList ? longer(p(1)) : p(1);
    const changed = await query(`UPDATE ${table} SET v = ${written} WHERE k = ${p(2)}${returning}`, [
      given,
      String(key),
    ]);
    if (changed.length === 0) await query(insert, inserted);
  }

  async #readRow(query: Query, key: Key): Promise<RawRow | null> {
    const [row] = await query(this.#rows.read, [key]);
    return row ? rowOf(key, row) : null;
  }
}

/** Replaces the placeholders of a statement with its parameters. */
function inlined(sql: string, parameters: readonly unknown[]): string {
  let next = 0;
  return sql.replaceAll(/\$(\d+)|\?/g, (_, number?: string) => {
    const value = parameters[number === undefined ? next++ : Number(number) - 1];
    return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
  });
}

const WAYS = ['key', 'index', 'scan'] as const;

/** A key may have a row but no value yet. */
const hasValue = (row: Record<string, unknown> | undefined): row is Record<string, unknown> =>
  row !== undefined && row['v'] !== null;

interface RawRow {
  readonly key: unknown;
  readonly value: unknown;
  readonly dead: boolean;
}

const rowOf = (key: unknown, row: Record<string, unknown>): RawRow => ({
  key: numberIn(key),
  value: numberIn(row['v']),
  dead: numberIn(row['dead']) !== 0,
});
