import { type Key, type Lock, type StatementRequest, type Table, isTableRequest } from '@isolab/workloads';
import { type Question, numberIn } from '../database/answers.ts';
import type { DataKind } from '../database/database.ts';
import { CollectorError } from '../database/errors.ts';
import { type Layout, PLAIN_LAYOUT } from '../database/layout.ts';
import { RowRequests } from '../rows/sql-rows.ts';
import type { Dialect } from './dialects.ts';

export type Query = (sql: string, parameters: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

/** Statements on isolab's own tables for a kind of data, with one row per key. */
export class SqlRequests {
  readonly #dialect: Dialect;
  readonly #data: DataKind;
  /** Registers, which exist beside tables of a workload. */
  readonly #own: Exclude<DataKind, 'tables'>;
  readonly #layout: Layout;
  readonly #ofTables: RowRequests;
  /** Texts of the statements on isolab's tables, which differ only in their parameters. */
  readonly #texts = new Map<string, string>();
  readonly #tableNames: readonly string[];
  #reads = 0;

  constructor(dialect: Dialect, data: DataKind = 'registers', layout: Layout = PLAIN_LAYOUT) {
    if ((data === 'rows' || data === 'tables') && layout !== PLAIN_LAYOUT)
      throw new CollectorError('Layouts apply only to registers and lists, but this workload has its own rows.');
    this.#dialect = dialect;
    this.#data = data;
    this.#own = data === 'tables' ? 'registers' : data;
    this.#layout = data === 'rows' ? { ...layout, key: 'integer' } : layout;
    this.#ofTables = new RowRequests(dialect);
    const name = `isolab_${this.#own}`;
    const { tables } = layout;
    this.#tableNames = tables === 1 ? [name] : Array.from({ length: tables }, (_, i) => `${name}_${i}`);
  }

  /** Returns statements that create the tables and, unless existing tables are kept, drop them first. */
  tables(keep: boolean, tables: readonly Table[] = []): string[] {
    const { afterTable } = this.#dialect;
    const own = this.#tableNames.flatMap((table) => {
      const create = `CREATE TABLE IF NOT EXISTS ${table} (${this.#columns.join(', ')}) ${afterTable}`.trim();
      return keep ? [create] : [`DROP TABLE IF EXISTS ${table}`, create, ...this.#indexes(table)];
    });
    if (this.#data === 'tables') return [...own, ...this.#ofTables.tables(tables, keep)];
    return keep ? own : [...own, ...this.#rowsWithoutValue()];
  }

  get #columns(): string[] {
    const { list, lengthColumn } = this.#dialect;
    const { key, index } = this.#layout;
    return [
      ...(key === 'composite'
        ? ['h BIGINT NOT NULL', `k ${this.#keyType} NOT NULL`]
        : [`k ${this.#keyType} PRIMARY KEY`]),
      ...{
        registers: ['v BIGINT'],
        counters: ['v BIGINT'],
        lists: [`v ${list}`],
        rows: ['v BIGINT NOT NULL', 'dead INT NOT NULL'],
      }[this.#own],
      ...(this.#hasSecondKey ? [`s ${this.#keyType}`] : []),
      ...(this.#own === 'lists' && index === 'value' && lengthColumn !== null ? [lengthColumn] : []),
      ...(key === 'composite' ? ['PRIMARY KEY (h, k)'] : []),
    ];
  }

  #indexes(table: string): string[] {
    const { lengthColumn } = this.#dialect;
    const { index } = this.#layout;
    const ofValue = this.#own !== 'lists' ? 'v' : lengthColumn === null ? '(length(v))' : 'n';
    const unique = index === 'unique' ? 'UNIQUE ' : '';
    const ofKey = index === 'covering' && this.#own !== 'lists' ? 's, v' : 's';
    return [
      ...(this.#hasSecondKey ? [`CREATE ${unique}INDEX ${table}_s ON ${table} (${ofKey})`] : []),
      ...(index === 'value' ? [`CREATE INDEX ${table}_v ON ${table} (${ofValue})`] : []),
    ];
  }

  #rowsWithoutValue(): string[] {
    return Array.from({ length: this.#layout.filled }, (_, key) => {
      const columns = [...this.#primaryColumns, ...(this.#hasSecondKey ? ['s'] : [])].join(', ');
      const given = [...this.#primary(key), ...(this.#hasSecondKey ? [this.#stored(key)] : [])];
      const values = given.map((value) => (typeof value === 'number' ? value : `'${String(value)}'`)).join(', ');
      return `INSERT INTO ${this.#tableOf(key)} (${columns}) VALUES (${values})`;
    });
  }

  get #keyType(): string {
    const { text, integer } = this.#dialect;
    return this.#hasTexts ? (text ?? integer) : integer;
  }

  get #hasTexts(): boolean {
    return this.#layout.key !== 'integer' && this.#dialect.text !== null;
  }

  get #hasSecondKey(): boolean {
    const { 'read-by': by, index } = this.#layout;
    return by === 'index' || by === 'mixed' || index === 'unique' || index === 'covering';
  }

  #tableOf(key: Key): string {
    const names = this.#tableNames;
    return names.length === 1 ? names[0]! : names[remainder(key, names.length)]!;
  }

  get #primaryColumns(): readonly string[] {
    return this.#layout.key === 'composite' ? ['h', 'k'] : ['k'];
  }

  /** Returns the content of the columns of the primary key. */
  #primary(key: Key): readonly unknown[] {
    const stored = this.#stored(key);
    return this.#layout.key === 'composite' ? [remainder(key, COMPOSITE_GROUPS), stored] : [stored];
  }

  /** Returns a statement, which is made once for each name. */
  #text(name: string, make: () => string): string {
    let text = this.#texts.get(name);
    if (text === undefined) this.#texts.set(name, (text = make()));
    return text;
  }

  /** Returns the key as the database stores it. */
  #stored(key: Key): number | string {
    const placed = this.#layout.order === 'random' ? permuted(key) : key;
    if (this.#hasTexts) return String(placed);
    if (typeof placed === 'number') return placed;
    throw new CollectorError(
      `Keys are whole numbers in this layout, but the workload has the key ${JSON.stringify(key)}.`,
    );
  }

  /** Sends a request as SQL. Compare-and-set, insert and delete read before they write, as the papers' clients do. */
  ask(query: Query, request: Question): Promise<unknown> {
    switch (request.kind) {
      case 'read':
        return this.#read(query, request.key, request.lock);
      case 'read-list':
        return this.#readList(query, request.key, request.lock);
      case 'write':
      case 'append':
        return this.#write(query, request.key, request.value);
      case 'increment':
        return this.#write(query, request.key, request.value, { adds: true });
      default:
        return this.#askMore(query, request);
    }
  }

  async #askMore(query: Query, request: Exclude<Question, { kind: 'read' | 'read-list' | Blind }>): Promise<unknown> {
    if (isTableRequest(request)) return this.#ofTables.ask(query, request);
    switch (request.kind) {
      case 'insert':
      case 'delete': {
        const [row] = await this.#find(query, 'v, dead', request.key);
        const found = row ? rowOf(request.key, row) : null;
        const inserts = request.kind === 'insert';
        const isLive = found !== null && !found.dead;
        if (isLive !== inserts) await this.#write(query, request.key, request.value, { dead: inserts ? 0 : 1 });
        return found === null ? [] : [found];
      }
      case 'range': {
        const { parameter: p } = this.#dialect;
        const between = `SELECT k, v, dead FROM isolab_rows WHERE k BETWEEN ${p(1)} AND ${p(2)}`;
        const rows = await query(between, [request.low, request.high]);
        return rows.map((row) => rowOf(row['k'], row));
      }
      case 'compare-and-set': {
        const succeeds = (await this.#read(query, request.key)) === request.expected;
        if (succeeds) await this.#write(query, request.key, request.value);
        return succeeds;
      }
    }
  }

  /** Sends a statement without an answer. */
  async perform(query: Query, request: StatementRequest): Promise<void> {
    switch (request.kind) {
      case 'take-snapshot':
        await query(this.#dialect.snapshot, []);
        return;
      case 'savepoint':
        await query('SAVEPOINT isolab', []);
        return;
      case 'rollback-to-savepoint':
        await query('ROLLBACK TO SAVEPOINT isolab', []);
        return;
      case 'update-nothing':
      case 'delete-nothing': {
        const table = this.#tableOf(request.key);
        const change = request.kind === 'delete-nothing' ? `DELETE FROM ${table}` : `UPDATE ${table} SET v = NULL`;
        const sql = this.#text(change, () => `${change} WHERE ${this.#equal(this.#primaryColumns)}`);
        await query(sql, this.#primary(request.key));
      }
    }
  }

  /**
   * Returns the statements of a request with their values, for people and for tests. A request that reads before it
   * writes has the conditional write as well.
   */
  async spelled(request: Question): Promise<string[]> {
    const statements: string[] = [];
    const found = request.kind === 'delete' || isTableRequest(request) ? [{ id: 0, v: 0, dead: 0 }] : [];
    const expected =
      request.kind === 'compare-and-set' && request.expected !== null ? [{ v: request.expected }] : found;
    const query: Query = async (sql, parameters) => (statements.push(inlined(sql, parameters)), expected);
    await this.ask(query, request);
    return statements;
  }

  async #read(query: Query, key: Key, lock?: Lock): Promise<unknown> {
    const [row] = await this.#find(query, 'v', key, lock);
    return hasValue(row) ? numberIn(row['v']) : null;
  }

  async #readList(query: Query, key: Key, lock?: Lock): Promise<unknown> {
    const [row] = await this.#find(query, 'v', key, lock);
    return hasValue(row) ? String(row['v']).split(',').map(numberIn) : [];
  }

  /** Finds the row of a key as the layout requires. */
  #find(query: Query, columns: string, key: Key, lock?: Lock): Promise<readonly Record<string, unknown>[]> {
    const asked = this.#layout['read-by'];
    const by = asked === 'mixed' ? WAYS[this.#reads++ % WAYS.length]! : asked;
    const table = this.#tableOf(key);
    const sql = this.#text(`${columns} ${table} ${by} ${lock}`, () => {
      const { bare, locks } = this.#dialect;
      const scanned = this.#hasTexts ? bare('k') : 'k + 0';
      const given = by === 'key' ? this.#primaryColumns : [by === 'index' ? 's' : scanned];
      return `SELECT ${columns} FROM ${table} WHERE ${this.#equal(given)}${lock && locks ? locks[lock] : ''}`;
    });
    return query(sql, by === 'key' ? this.#primary(key) : [this.#stored(key)]);
  }

  /** Returns the condition that columns are equal to the parameters from a number on. */
  #equal(columns: readonly string[], from = 1): string {
    return columns.map((column, i) => `${column} = ${this.#dialect.parameter(from + i)}`).join(' AND ');
  }

  async #write(query: Query, key: Key, value: number, { dead = 0, adds = false } = {}): Promise<void> {
    const table = this.#tableOf(key);
    const primary = this.#primary(key);
    const changed = [this.#own === 'lists' ? String(value) : value, ...(this.#own === 'rows' ? [dead] : [])];
    const inserted = [...primary, ...changed, ...(this.#hasSecondKey ? [this.#stored(key)] : [])];
    if (this.#layout.write === 'upsert' && this.#dialect.upsert !== null) {
      await query(
        this.#text(`upsert ${table} ${adds}`, () => `${this.#insert(table)} ${this.#overwrites(table, adds)}`),
        inserted,
      );
      return;
    }
    const update = this.#text(`update ${table} ${adds}`, () => this.#update(table, adds));
    const updated = await query(update, [...changed, ...primary]);
    if (updated.length === 0) await query(this.#insert(table), inserted);
  }

  get #changedColumns(): readonly string[] {
    return this.#own === 'rows' ? ['v', 'dead'] : ['v'];
  }

  #insert(table: string): string {
    const columns = [...this.#primaryColumns, ...this.#changedColumns, ...(this.#hasSecondKey ? ['s'] : [])];
    const values = columns.map((_, i) => this.#dialect.parameter(i + 1));
    return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`;
  }

  /** Returns the clause after an INSERT that makes it overwrite the row of its key. */
  #overwrites(table: string, adds: boolean): string {
    const id = this.#primaryColumns.join(', ');
    if (this.#own === 'lists') return this.#dialect.appends(table, id);
    return adds ? this.#dialect.adds(table, id) : this.#dialect.upsert!(id, this.#changedColumns);
  }

  #update(table: string, adds: boolean): string {
    const { parameter: p, longer, returning } = this.#dialect;
    const columns = this.#changedColumns;
    const contentOf = (n: number): string =>
      this.#own === 'lists' ? longer(p(n)) : adds ? `COALESCE(v, 0) + ${p(n)}` : p(n);
    const set = columns.map((column, i) => `${column} = ${contentOf(i + 1)}`).join(', ');
    return `UPDATE ${table} SET ${set} WHERE ${this.#equal(this.#primaryColumns, columns.length + 1)}${returning}`;
  }
}

/** Requests that write without a read. */
type Blind = 'write' | 'append' | 'increment';

/** Replaces the placeholders of a statement with its parameters. */
function inlined(sql: string, parameters: readonly unknown[]): string {
  let next = 0;
  return sql.replaceAll(/\$(\d+)|\?/g, (_, number?: string) => {
    const value = parameters[number === undefined ? next++ : Number(number) - 1];
    return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
  });
}

/** Returns the group of a key, of groups numbered from 0. */
function remainder(key: Key, groups: number): number {
  const number = typeof key === 'number' ? key : [...key].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0);
  return ((number % groups) + groups) % groups;
}

/** Permutes the 32-bit numbers, so that successive keys are far apart; reverses texts. */
function permuted(key: Key): Key {
  if (typeof key === 'string') return [...key].toReversed().join('');
  return (key | 0) === key ? Math.imul(key, ODD_FACTOR) : key;
}

/** 2^32 divided by the golden ratio. */
const ODD_FACTOR = 0x9e3779b1;
const COMPOSITE_GROUPS = 4;
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
