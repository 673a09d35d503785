import type { Key } from '@isolab/workloads';
import { type Question, numberIn } from '../answers.ts';
import type { DataKind } from '../database.ts';

/** What differs between the SQL databases. */
export interface Dialect {
  /** The nth parameter: `$1`, `?`. */
  parameter(n: number): string;
  readonly text: string;
  /** What follows an INSERT so that it overwrites the columns given. */
  upsert(columns: readonly string[]): string;
  /** What follows an INSERT so that it adds `,element` to the list `v`. */
  readonly appends: string;
  readonly afterTable: string;
}

export type Query = (sql: string, parameters: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

/** Statements on tables of our own: one key, one row. */
export class SqlRequests {
  readonly #dialect: Dialect;
  readonly #sql: Readonly<Record<'read' | 'write' | 'readList' | 'append' | 'readRow' | 'writeRow' | 'range', string>>;

  constructor(dialect: Dialect) {
    const p = (n: number): string => dialect.parameter(n);
    this.#dialect = dialect;
    this.#sql = {
      read: `SELECT v FROM isolab_registers WHERE k = ${p(1)}`,
      write: `INSERT INTO isolab_registers (k, v) VALUES (${p(1)}, ${p(2)}) ${dialect.upsert(['v'])}`,
      readList: `SELECT v FROM isolab_lists WHERE k = ${p(1)}`,
      append: `INSERT INTO isolab_lists (k, v) VALUES (${p(1)}, ${p(2)}) ${dialect.appends}`,
      readRow: `SELECT v, dead FROM isolab_rows WHERE k = ${p(1)}`,
      writeRow: `INSERT INTO isolab_rows (k, v, dead) VALUES (${p(1)}, ${p(2)}, ${p(3)}) ${dialect.upsert(['v', 'dead'])}`,
      range: `SELECT k, v, dead FROM isolab_rows WHERE k BETWEEN ${p(1)} AND ${p(2)}`,
    };
  }

  /** Statements that make the table for a kind of data, after dropping it unless it is to be kept. */
  tables(data: DataKind, keep: boolean): string[] {
    const { text, afterTable } = this.#dialect;
    const columns = {
      registers: `k ${text} PRIMARY KEY, v BIGINT`,
      lists: `k ${text} PRIMARY KEY, v TEXT`,
      rows: 'k BIGINT PRIMARY KEY, v BIGINT NOT NULL, dead INT NOT NULL',
    }[data];
    const create = `CREATE TABLE IF NOT EXISTS isolab_${data} (${columns}) ${afterTable}`;
    return keep ? [create] : [`DROP TABLE IF EXISTS isolab_${data}`, create];
  }

  /** Asks in SQL. A compare-and-set, an insert and a delete read before they write, as the papers' clients do. */
  async ask(query: Query, data: DataKind, request: Question): Promise<unknown> {
    const sql = this.#sql;
    switch (request.kind) {
      case 'read':
        return this.#read(query, data, request.key);
      case 'write':
        if (data === 'rows') await query(sql.writeRow, [request.key, request.value, 0]);
        else await query(sql.write, [String(request.key), request.value]);
        return undefined;
      case 'read-list': {
        const [row] = await query(sql.readList, [String(request.key)]);
        return hasValue(row) ? String(row['v']).split(',').map(numberIn) : [];
      }
      case 'append':
        await query(sql.append, [String(request.key), String(request.value)]);
        return undefined;
      case 'insert':
      case 'delete': {
        const found = await this.#readRow(query, request.key);
        const inserts = request.kind === 'insert';
        const isLive = found !== null && !found.dead;
        if (isLive !== inserts) await query(sql.writeRow, [request.key, request.value, inserts ? 0 : 1]);
        return found === null ? [] : [found];
      }
      case 'range': {
        const rows = await query(sql.range, [request.low, request.high]);
        return rows.map((row) => rowOf(row['k'], row));
      }
      case 'compare-and-set': {
        const succeeds = (await this.#read(query, data, request.key)) === request.expected;
        if (succeeds) await query(sql.write, [String(request.key), request.value]);
        return succeeds;
      }
    }
  }

  /**
   * The statements that a request is sent as, with its values in them, for people and for tests: one that reads before it
   * writes with the write that follows if it may.
   */
  async spelled(data: DataKind, request: Question): Promise<string[]> {
    const statements: string[] = [];
    const found = request.kind === 'delete' ? [{ v: 0, dead: 0 }] : [];
    const expected =
      request.kind === 'compare-and-set' && request.expected !== null ? [{ v: request.expected }] : found;
    const query: Query = async (sql, parameters) => (statements.push(inlined(sql, parameters)), expected);
    await this.ask(query, data, request);
    return statements;
  }

  async #read(query: Query, data: DataKind, key: Key): Promise<unknown> {
    if (data === 'rows') return (await this.#readRow(query, key))?.value ?? null;
    const [row] = await query(this.#sql.read, [String(key)]);
    return hasValue(row) ? numberIn(row['v']) : null;
  }

  async #readRow(query: Query, key: Key): Promise<RawRow | null> {
    const [row] = await query(this.#sql.readRow, [key]);
    return row ? rowOf(key, row) : null;
  }
}

/** A statement with its parameters in their places. */
function inlined(sql: string, parameters: readonly unknown[]): string {
  let next = 0;
  return sql.replaceAll(/\$(\d+)|\?/g, (_, number?: string) => {
    const value = parameters[number === undefined ? next++ : Number(number) - 1];
    return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
  });
}

/** A key may have a row before it has a value. */
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
