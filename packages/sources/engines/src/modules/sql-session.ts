import { type Outcomes, type Phase, outcomeOf } from '../outcomes/outcomes.ts';
import { type DataKind, type Key, type Row, RowSession } from './shape.ts';

/** Connection of a database with SQLite's or PostgreSQL's dialect. */
export interface SqlConnection {
  query(sql: string, values: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void> | void;
}

export interface SqlDialect {
  readonly outcomes: Outcomes;
  codeOf(error: unknown): string;
  /** Returns the nth placeholder; `?` if absent. */
  parameter?(n: number): string;
  /** Statement that begins a transaction; `BEGIN` if absent. */
  readonly begin?: string;
}

/**
 * Returns statements that create the table for a kind of data and, unless it is kept, drop it first. A workload's own
 * tables, which the given statements create, have registers beside them.
 */
export function tablesFor(data: DataKind, keep: boolean, statements: readonly string[]): readonly string[] {
  if (data === 'tables') return [...tablesFor('registers', keep, []), ...statements];
  const columns = {
    registers: 'k TEXT PRIMARY KEY, v BIGINT',
    lists: 'k TEXT PRIMARY KEY, v TEXT',
    rows: 'k BIGINT PRIMARY KEY, v BIGINT NOT NULL, dead INT NOT NULL',
  }[data];
  const create = `CREATE TABLE IF NOT EXISTS isolab_${data} (${columns})`;
  return keep ? [create] : [`DROP TABLE IF EXISTS isolab_${data}`, create];
}

/** Session on isolab's own tables, with one row per key. */
export class SqlSession extends RowSession {
  readonly #connection: SqlConnection;
  readonly #dialect: SqlDialect;
  readonly #data: DataKind;

  constructor(connection: SqlConnection, dialect: SqlDialect, data: DataKind) {
    super();
    this.#connection = connection;
    this.#dialect = dialect;
    this.#data = data;
  }

  async begin(): Promise<void> {
    await this.#run(this.beginsWith);
  }

  async commit(): Promise<void> {
    await this.#run('COMMIT', [], 'commit');
  }

  async rollback(): Promise<void> {
    // Some databases roll back on their own when a statement or COMMIT fails.
    await this.#run('ROLLBACK').catch((error: unknown) => {
      if (!/no transaction is active/i.test(String(error))) throw error;
    });
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async read(key: Key): Promise<number | null> {
    if (this.#data === 'rows') return (await this.row(key))?.value ?? null;
    const [row] = await this.#run('SELECT v FROM isolab_registers WHERE k = $1', [String(key)]);
    return row === undefined || row['v'] === null ? null : Number(row['v']);
  }

  async write(key: Key, value: number): Promise<void> {
    if (this.#data === 'rows') return this.writeRow(key, value, false);
    const update = 'ON CONFLICT (k) DO UPDATE SET v = excluded.v';
    await this.#run(`INSERT INTO isolab_registers (k, v) VALUES ($1, $2) ${update}`, [String(key), value]);
  }

  async readList(key: Key): Promise<readonly number[]> {
    const [row] = await this.#run('SELECT v FROM isolab_lists WHERE k = $1', [String(key)]);
    return row === undefined || row['v'] === null ? [] : String(row['v']).split(',').map(Number);
  }

  async append(key: Key, value: number): Promise<void> {
    const update = "ON CONFLICT (k) DO UPDATE SET v = isolab_lists.v || ',' || excluded.v";
    await this.#run(`INSERT INTO isolab_lists (k, v) VALUES ($1, $2) ${update}`, [String(key), String(value)]);
  }

  async range(low: number, high: number): Promise<readonly Row[]> {
    const rows = await this.#run('SELECT k, v, dead FROM isolab_rows WHERE k BETWEEN $1 AND $2', [low, high]);
    return rows.map((row) => rowOf(Number(row['k']), row));
  }

  get beginsWith(): string {
    return this.#dialect.begin ?? 'BEGIN';
  }

  /** Runs a statement that another program or a user wrote. */
  sql(statement: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    return this.#run(statement, values, /^\s*COMMIT\b/i.test(statement) ? 'commit' : 'statement');
  }

  protected async row(key: Key): Promise<Row | null> {
    const [row] = await this.#run('SELECT v, dead FROM isolab_rows WHERE k = $1', [key]);
    return row === undefined ? null : rowOf(Number(key), row);
  }

  protected async writeRow(key: Key, value: number, dead: boolean): Promise<void> {
    const update = 'ON CONFLICT (k) DO UPDATE SET v = excluded.v, dead = excluded.dead';
    await this.#run(`INSERT INTO isolab_rows (k, v, dead) VALUES ($1, $2, $3) ${update}`, [key, value, Number(dead)]);
  }

  async #run(
    sql: string,
    values: readonly unknown[] = [],
    phase: Phase = 'statement',
  ): Promise<readonly Record<string, unknown>[]> {
    const { outcomes, codeOf, parameter = () => '?' } = this.#dialect;
    try {
      const text = sql.replaceAll(/\$(\d+)/g, (_, n: string) => parameter(Number(n)));
      return await this.#connection.query(text, values);
    } catch (error) {
      throw explained(outcomes, codeOf(error), phase, error);
    }
  }
}

/** Returns the error with its meaning for the transaction, as docs/drivers.md requires. */
export function explained({ database, ...outcomes }: Outcomes, code: string, phase: Phase, error: unknown): Error {
  const outcome = outcomeOf({ database, ...outcomes }, code, phase);
  const said = error instanceof Error ? error.message : String(error);
  const failure = new Error(`${database} says ${code === said ? said : `${code}: ${said}`}`, { cause: error });
  return outcome === 'failed' ? failure : Object.assign(failure, { outcome });
}

const rowOf = (key: number, row: Readonly<Record<string, unknown>>): Row => ({
  key,
  value: Number(row['v']),
  dead: Number(row['dead']) !== 0,
});
