import { createHash } from 'node:crypto';
import pg from 'pg';
import { RecordError } from '../sql/errors.ts';
import type { Ask } from '../sql/catalog.ts';

/** The recording's own connection to the database, which runs one query at a time. */
export class Asking {
  readonly #url: string;
  #client: pg.Client;
  #isLost = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(url: string, client: pg.Client) {
    this.#url = url;
    this.#client = client;
    this.#watch();
  }

  static async connect(url: string): Promise<Asking> {
    const client = clientOf(url);
    try {
      await client.connect();
    } catch (error) {
      const { host, port } = client;
      throw new RecordError(
        `Found no database at ${host}:${port} (${(error as Error).message}); start it, or name another one.`,
      );
    }
    return new Asking(url, client);
  }

  /** Fails if the connection is lost. */
  readonly ask: Ask = (sql, parameters) => this.#inTurn(() => this.#query(sql, parameters));

  /** Reconnects if the connection was lost: for queries that do not depend on earlier ones. */
  readonly askAgain: Ask = (sql, parameters) =>
    this.#inTurn(async () => {
      if (this.#isLost) await this.#reconnect();
      try {
        return await this.#query(sql, parameters);
      } catch (error) {
        if (error instanceof pg.DatabaseError && !isLastWord(error)) throw error;
        await this.#reconnect();
        return this.#query(sql, parameters);
      }
    });

  async end(): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  #inTurn<T>(question: () => Promise<T>): Promise<T> {
    const answer = this.#last.then(question);
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #query(sql: string, parameters?: readonly unknown[]): Promise<Record<string, unknown>[]> {
    const named = parameters !== undefined && { name: createHash('sha1').update(sql).digest('hex') };
    const query = { text: sql, ...named, values: parameters as unknown[] };
    const { rows } = await this.#client.query<Record<string, unknown>>(query);
    return rows;
  }

  async #reconnect(): Promise<void> {
    const client = clientOf(this.#url);
    await client.connect();
    this.#client.end().catch(() => {});
    this.#client = client;
    this.#isLost = false;
    this.#watch();
  }

  #watch(): void {
    const client = this.#client;
    const lose = (): void => {
      if (client === this.#client) this.#isLost = true;
    };
    // Failed queries report themselves.
    client.on('error', lose).on('end', lose);
    // Planning the query for tables costs more than running it. PostgreSQL 11 lacks the setting.
    void client.query('SET plan_cache_mode = force_generic_plan').catch(() => {});
  }
}

const clientOf = (url: string): pg.Client =>
  new pg.Client({ connectionString: url, application_name: 'isolab record' });

/** The server's reason for ending the connection. */
const isLastWord = ({ severity }: pg.DatabaseError): boolean => severity === 'FATAL' || severity === 'PANIC';
