/** SurrealDB in this process: one engine, with a separate transaction for each session. */
import { join } from 'node:path';
import { SURREALDB_OUTCOMES } from '../outcomes/index.ts';
import type { Phase } from '../outcomes/outcomes.ts';
import { load } from './load.ts';
import { explained } from './sql-session.ts';
import { type DataKind, type Given, type Key, type Opened, type Row, RowSession } from './shape.ts';

/** The part of surrealdb and @surrealdb/node that this driver uses. */
interface Transaction {
  query(text: string, values?: object): Promise<readonly unknown[]>;
  commit(): Promise<void>;
  cancel(): Promise<void>;
}
interface Surreal {
  connect(address: string): Promise<unknown>;
  use(names: object): Promise<unknown>;
  version(): Promise<{ version: string }>;
  query(text: string): Promise<unknown>;
  beginTransaction(): Promise<Transaction>;
  close(): Promise<unknown>;
}
interface Client {
  readonly Surreal: new (options: object) => Surreal;
}
interface Engines {
  createNodeEngines(): object;
}

class SurrealSession extends RowSession {
  readonly #database: Surreal;
  readonly #data: DataKind;
  #transaction: Transaction | null = null;

  constructor(database: Surreal, data: DataKind) {
    super();
    this.#database = database;
    this.#data = data;
  }

  async begin(): Promise<void> {
    this.#transaction = await said('statement', () => this.#database.beginTransaction());
  }

  async commit(): Promise<void> {
    const transaction = this.#open();
    this.#transaction = null;
    await said('commit', () => transaction.commit());
  }

  async rollback(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = null;
    // After a failure, the transaction may already be gone.
    await transaction?.cancel().catch((error: unknown) => {
      if (!/not found|finished/i.test(String(error))) throw error;
    });
  }

  close(): Promise<void> {
    return this.rollback();
  }

  async read(key: Key): Promise<number | null> {
    if (this.#data === 'rows') return (await this.row(key))?.value ?? null;
    return ((await this.#valueOf('isolab_registers', key)) as number | null | undefined) ?? null;
  }

  async write(key: Key, value: number): Promise<void> {
    if (this.#data === 'rows') return this.writeRow(key, value, false);
    await this.#ask('UPSERT type::record("isolab_registers", $key) SET v = $value RETURN NONE', { key, value });
  }

  async readList(key: Key): Promise<readonly number[]> {
    return ((await this.#valueOf('isolab_lists', key)) as number[] | null | undefined) ?? [];
  }

  async append(key: Key, value: number): Promise<void> {
    await this.#ask('UPSERT type::record("isolab_lists", $key) SET v += [$value] RETURN NONE', { key, value });
  }

  async range(low: number, high: number): Promise<readonly Row[]> {
    const values = { low, high };
    return (await this.#ask(
      'SELECT k AS key, v AS value, dead FROM isolab_rows WHERE k >= $low AND k <= $high',
      values,
    )) as Row[];
  }

  protected async row(key: Key): Promise<Row | null> {
    const select = 'SELECT k AS key, v AS value, dead FROM ONLY type::record("isolab_rows", $key)';
    return ((await this.#ask(select, { key })) as Row | null | undefined) ?? null;
  }

  protected async writeRow(key: Key, value: number, dead: boolean): Promise<void> {
    const update = 'UPSERT type::record("isolab_rows", $key) SET k = $key, v = $value, dead = $dead RETURN NONE';
    await this.#ask(update, { key, value, dead });
  }

  #valueOf(table: string, key: Key): Promise<unknown> {
    return this.#ask(`SELECT VALUE v FROM ONLY type::record("${table}", $key)`, { key });
  }

  async #ask(text: string, values: object): Promise<unknown> {
    const transaction = this.#open();
    const [answer] = await said('statement', () => transaction.query(text, values));
    return answer;
  }

  #open(): Transaction {
    if (this.#transaction === null) throw new Error('there is no transaction');
    return this.#transaction;
  }
}

async function said<T>(phase: Phase, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw explained(SURREALDB_OUTCOMES, text, phase, error);
  }
}

export default {
  title: 'SurrealDB',
  isolations: { snapshot: 'snapshot-isolation' },
  data: ['registers', 'lists', 'rows'],
  async open({ options }: Given): Promise<Opened> {
    const { installed = '', data = '', backend = 'mem' } = options;
    const { Surreal } = await load<Client>(installed, 'surrealdb');
    const { createNodeEngines } = await load<Engines>(installed, '@surrealdb/node');
    const database = new Surreal({ engines: createNodeEngines() });
    await database.connect(backend === 'mem' ? 'mem://' : `${backend}://${join(data, 'surrealdb')}`);
    await database.use({ namespace: 'isolab', database: 'isolab' });
    const { version } = await database.version();
    let prepared: DataKind = 'registers';
    return {
      description: `SurrealDB ${version.replace(/^surrealdb-/, '')} ${backend}`,
      isTemporary: true,
      async prepare(kind: DataKind, keep: boolean) {
        prepared = kind;
        if (!keep) await database.query(`REMOVE TABLE IF EXISTS isolab_${kind}`);
        await database.query(`DEFINE TABLE IF NOT EXISTS isolab_${kind} SCHEMALESS`);
      },
      connect: async () => new SurrealSession(database, prepared),
      async close() {
        await database.close();
      },
    };
  },
};
