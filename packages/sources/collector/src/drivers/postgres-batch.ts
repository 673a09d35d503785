import pg from 'pg';

/**
 * Sends the statements of a connection's transactions. BEGIN is sent together with the first statement, and so is the
 * ROLLBACK of a transaction that the server has already undone. This saves two round trips. Each group ends with one
 * Sync: if BEGIN fails, the server skips the statement instead of running it outside a transaction.
 */
export class Batch {
  readonly #client: pg.Client;
  readonly #begin: string;
  readonly #prepared = new Set<string>();
  #mustRollBack = false;
  #mustBegin = false;
  #isFailed = false;

  constructor(client: pg.Client, begin: string) {
    this.#client = client;
    this.#begin = begin;
  }

  begin(): void {
    this.#isFailed = false;
    this.#mustBegin = true;
  }

  /** Runs a statement, which the server prepares once. */
  async statement(text: string, values: readonly unknown[]): Promise<readonly Record<string, unknown>[]> {
    const name = nameOf(text);
    // The server may skip the statement, and a skipped statement must not count as prepared.
    if (!this.#prepared.has(name)) await this.#sendOwed();
    const rows = await this.#failing(() => this.#together(this.#owed(), { name, text, values: [...values] }));
    this.#prepared.add(name);
    return rows;
  }

  /** Commits and returns the command tag of the server. */
  async commit(): Promise<string> {
    await this.#sendOwed();
    return this.#failing(async () => (await this.#client.query('COMMIT')).command);
  }

  /** After an error the server has already undone the transaction and only waits for ROLLBACK. */
  async rollback(): Promise<void> {
    if (this.#mustBegin) this.#mustBegin = false;
    else if (this.#isFailed) this.#mustRollBack = true;
    else await this.#client.query('ROLLBACK');
  }

  async #sendOwed(): Promise<void> {
    for (const sql of this.#owed()) await this.#client.query(sql);
  }

  #owed(): readonly string[] {
    const owed = [...(this.#mustRollBack ? ['ROLLBACK'] : []), ...(this.#mustBegin ? [this.#begin] : [])];
    this.#mustRollBack = false;
    this.#mustBegin = false;
    return owed;
  }

  #together(before: readonly string[], statement: pg.QueryConfig): Promise<readonly Record<string, unknown>[]> {
    return new Promise((resolve, reject) => {
      const query = new Query(before, statement, (error, results) => {
        if (error) reject(error);
        else resolve([results].flat().at(-1)!.rows);
      });
      this.#client.query(query as unknown as pg.Query);
    });
  }

  async #failing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#isFailed = true;
      throw error;
    }
  }
}

/** Returns a short name for a statement, identical on all connections. */
function nameOf(sql: string): string {
  let name = NAMES.get(sql);
  if (name === undefined) NAMES.set(sql, (name = `isolab ${NAMES.size}`));
  return name;
}

const NAMES = new Map<string, string>();

type Callback = (error: Error | null, results: pg.QueryResult | pg.QueryResult[]) => void;

/** Methods of pg that its types lack. */
interface Wire {
  parse(statement: { readonly text: string; readonly name: string; readonly types: readonly never[] }): void;
  bind(portal: object): void;
  execute(portal: object): void;
}
type Extensible = new (config: pg.QueryConfig, values: undefined, callback: Callback) => { prepare(wire: Wire): void };

/** A statement and the parameterless statements before it, up to the Sync that ends the group. */
class Query extends (pg.Query as unknown as Extensible) {
  readonly #before: readonly string[];

  constructor(before: readonly string[], statement: pg.QueryConfig, callback: Callback) {
    super(statement, undefined, callback);
    this.#before = before;
  }

  override prepare(wire: Wire): void {
    for (const text of this.#before) {
      wire.parse({ text, name: '', types: [] });
      wire.bind({});
      wire.execute({});
    }
    super.prepare(wire);
  }
}
