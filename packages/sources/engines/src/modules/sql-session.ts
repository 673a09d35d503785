import { type Outcomes, type Phase, outcomeOf } from '../outcomes/outcomes.ts';
import type { Session } from './shape.ts';

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

/** Session of a driver that states its `dialect`, so isolab writes every statement. */
export class SqlSession implements Session {
  readonly #connection: SqlConnection;
  readonly #dialect: SqlDialect;

  constructor(connection: SqlConnection, dialect: SqlDialect) {
    this.#connection = connection;
    this.#dialect = dialect;
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
      if (!/no (?:active )?transaction|not in a transaction/i.test(String(error))) throw error;
    });
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  get beginsWith(): string {
    return this.#dialect.begin ?? 'BEGIN';
  }

  /** Runs a statement that another program or a user wrote. */
  sql(statement: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    return this.#run(statement, values, /^\s*COMMIT\b/i.test(statement) ? 'commit' : 'statement');
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
