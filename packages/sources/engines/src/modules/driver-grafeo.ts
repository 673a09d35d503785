/** Grafeo, a graph database in this process: each key is a node, and sessions query in GQL. */
import { GRAFEO_OUTCOMES } from '../outcomes/index.ts';
import type { Phase } from '../outcomes/outcomes.ts';
import { load } from './load.ts';
import { explained } from './sql-session.ts';
import type { Given, Key, Opened, Session } from './shape.ts';

/** The part of @grafeo-db/js that this driver uses. */
interface Grafeo {
  readonly GrafeoDB: { create(): GrafeoDatabase };
}
interface GrafeoDatabase {
  execute(query: string): Promise<unknown>;
  beginTransaction(isolation: string): GrafeoTransaction;
  close(): void;
}
interface GrafeoTransaction {
  execute(query: string, values: object): Promise<{ toArray(): readonly { readonly v: unknown }[] }>;
  commit(): void;
  rollback(): void;
}

class GrafeoSession implements Session {
  readonly #database: GrafeoDatabase;
  readonly #isolation: string;
  #transaction: GrafeoTransaction | null = null;

  constructor(database: GrafeoDatabase, isolation: string) {
    this.#database = database;
    this.#isolation = isolation;
  }

  async begin(): Promise<void> {
    this.#transaction = this.#database.beginTransaction(this.#isolation);
  }

  async commit(): Promise<void> {
    const transaction = this.#open();
    await said('commit', async () => transaction.commit());
    this.#transaction = null;
  }

  async rollback(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = null;
    try {
      transaction?.rollback();
    } catch (error) {
      // A refused commit has ended the transaction.
      if (!/not active|no active|already/i.test(String(error))) throw error;
    }
  }

  close(): Promise<void> {
    return this.rollback();
  }

  async read(key: Key): Promise<number | null> {
    const found = await this.#valueOf('Register', key);
    return found === null ? null : Number(found);
  }

  async write(key: Key, value: number): Promise<void> {
    await this.#ask('MERGE (n:Register {k: $k}) SET n.v = $v', { k: String(key), v: value });
  }

  async compareAndSet(key: Key, expected: number | null, value: number): Promise<boolean> {
    const succeeds = (await this.read(key)) === expected;
    if (succeeds) await this.write(key, value);
    return succeeds;
  }

  async readList(key: Key): Promise<readonly number[]> {
    const found = await this.#valueOf('List', key);
    return found === null ? [] : String(found).split(',').map(Number);
  }

  async append(key: Key, value: number): Promise<void> {
    const merge = "MERGE (n:List {k: $k}) ON CREATE SET n.v = $v ON MATCH SET n.v = n.v || ',' || $v";
    await this.#ask(merge, { k: String(key), v: String(value) });
  }

  async #valueOf(label: string, key: Key): Promise<unknown> {
    const [found] = await this.#ask(`MATCH (n:${label} {k: $k}) RETURN n.v AS v`, { k: String(key) });
    return found?.v ?? null;
  }

  async #ask(query: string, values: object): Promise<readonly { readonly v: unknown }[]> {
    const transaction = this.#open();
    return said('statement', async () => (await transaction.execute(query, values)).toArray());
  }

  #open(): GrafeoTransaction {
    if (this.#transaction === null) throw new Error('there is no transaction');
    return this.#transaction;
  }
}

async function said<T>(phase: Phase, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw explained(GRAFEO_OUTCOMES, error instanceof Error ? error.message : String(error), phase, error);
  }
}

export default {
  title: 'Grafeo',
  isolations: { read_committed: 'read-committed', snapshot: 'snapshot-isolation', serializable: 'serializable' },
  data: ['registers', 'lists'],
  async open({ options }: Given): Promise<Opened> {
    const { installed = '', version = '' } = options;
    const { default: grafeo } = await load<{ default: Grafeo }>(installed, '@grafeo-db/js');
    const database = grafeo.GrafeoDB.create();
    const labels = { registers: 'Register', lists: 'List' } as const;
    for (const label of Object.values(labels))
      await database.execute(`CREATE CONSTRAINT of${label} FOR (n:${label}) ON (n.k) UNIQUE`);
    return {
      description: `Grafeo ${version}`,
      isTemporary: true,
      async prepare(data, keep) {
        if (!keep) await database.execute(`MATCH (n:${labels[data as keyof typeof labels]}) DETACH DELETE n`);
      },
      connect: async (isolation) => new GrafeoSession(database, isolation),
      close: async () => database.close(),
    };
  },
};
