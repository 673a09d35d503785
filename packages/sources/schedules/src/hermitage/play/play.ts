import { type Connection, type Database, Interrupted, type PlainSql } from '@isolab/collector';
import { closed, within } from '@isolab/engines';
import { type Case, sessionsOf, tableNames } from '../cases/case.ts';
import type { Played } from './cell.ts';
import { type Sent, conductorOf, sentBy } from './sessions.ts';
import { plainRows } from '../cases/rows.ts';

export interface PlayOptions {
  /** Time without an answer after which a statement counts as waiting. */
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Connections and tables of earlier plays, which the next play uses again; each play has its own if it is absent. */
  readonly pool?: Pool | undefined;
}

/** Connections and tables that several plays share. */
export class Pool {
  readonly idle: Connection[] = [];
  /** Statements that created the present tables. */
  #made: readonly string[] = [];

  /** Returns statements that empty and fill the tables, and create them if they differ from the present ones. */
  refill(tables: readonly string[]): readonly string[] {
    const made = tables.filter((sql) => !isInsert(sql));
    const isSame = made.join() === this.#made.join();
    const clears = tableNames(tables).map((name) => `DELETE FROM ${name}`);
    const cleared = isSame ? clears : [...dropsOf({ tables: [...this.#made, ...made] }), ...made];
    this.#made = made;
    return [...cleared, ...tables.filter(isInsert)];
  }

  /** Forgets the present tables, whose rows are unknown. */
  forget(): void {
    this.#made = [];
  }

  /** Drops the tables and closes the connections. */
  async close(): Promise<void> {
    const [first] = this.idle;
    if (first?.sql) for (const sql of dropsOf({ tables: this.#made })) await sentAlone(first.sql, sql);
    for (const connection of this.idle.splice(0)) await ended(connection, true);
  }
}

const isInsert = (sql: string): boolean => /^\s*INSERT\b/i.test(sql);

/** A case, a database, and the level at which to play the case. */
export interface Setting {
  readonly case: Pick<Case, 'tables' | 'steps' | 'final'>;
  readonly database: Database;
  readonly isolation: string;
}

/** Plays a case once, on new tables. */
export async function play(setting: Setting, options: PlayOptions): Promise<Played> {
  const connections: Connection[] = [];
  let sent: readonly Sent[] = [];
  let isIdle = false;
  try {
    const setUp = await connected(setting, connections, options);
    const { tables } = setting.case;
    const filled = options.pool?.refill(tables) ?? [...dropsOf(setting.case), ...tables];
    for (const sql of filled) await sentAlone(setUp, sql);
    const sessions = new Map<string, PlainSql>();
    for (const name of sessionsOf(setting.case.steps))
      sessions.set(name, await connected(setting, connections, options));

    const { waitMs: blockedMs, signal } = options;
    const patienceMs = PATIENCE_MS + 10 * blockedMs;
    const conductor = conductorOf(setting.case.steps, sessions, { blockedMs, patienceMs, signal });
    isIdle = await conductor.run();
    sent = sentBy(conductor);
    if (signal?.aborted) throw new Interrupted();
    if (!isIdle) return { sent, givenUp: `the case did not end within ${patienceMs / 1000} seconds` };

    for (const [i, sql] of (setting.case.final ?? []).entries()) {
      const read = i === 0 ? 'final' : `final ${i + 1}`;
      sent = [...sent, await finalRead(setUp, sql, read, sent.length)];
    }
    if (options.pool === undefined) for (const sql of dropsOf(setting.case)) await sentAlone(setUp, sql);
    return { sent, givenUp: null };
  } catch (error) {
    // An interrupt also ends the servers that isolab started, which then give no answers.
    if (error instanceof Interrupted || options.signal?.aborted) throw new Interrupted();
    isIdle = false;
    return { sent, givenUp: `the case could not be set up or ended: ${(error as Error).message}` };
  } finally {
    if (isIdle && options.pool !== undefined) options.pool.idle.push(...connections);
    else {
      options.pool?.forget();
      for (const connection of connections) await ended(connection, isIdle);
    }
  }
}

const PATIENCE_MS = 15_000;

/** Longer than any case lasts: a lock wait ends through another session or with the case. */
export const LOCK_WAIT_MS = 120_000;

async function connected(
  { database, isolation }: Setting,
  connections: Connection[],
  { pool }: PlayOptions,
): Promise<PlainSql> {
  const connection = pool?.idle.pop() ?? (await inTime(database.connect({ name: isolation }), 'to connecting'));
  connections.push(connection);
  return connection.sql!;
}

const sentAlone = (sql: PlainSql, statement: string): ReturnType<PlainSql['send']> =>
  inTime(sql.send(statement), `to ${statement}`);

const inTime = <T>(promise: Promise<T>, what: string): Promise<T> =>
  within(PATIENCE_MS, promise, () => new Error(`no answer ${what} for ${PATIENCE_MS / 1000} seconds`));

async function finalRead(sql: PlainSql, statement: string, read: string, before: number): Promise<Sent> {
  const rows = await sentAlone(sql, statement);
  return {
    session: 'afterwards',
    kind: 'statement',
    sql: statement,
    read,
    answer: { kind: 'rows', rows: plainRows(rows) },
    waited: false,
    answeredAfter: before + 1,
  };
}

const dropsOf = ({ tables }: Pick<Case, 'tables'>): readonly string[] =>
  [...new Set(tableNames(tables))].map((name) => `DROP TABLE IF EXISTS ${name}`);

/** Closes a connection. A connection with a pending request is abandoned, because it could not close gracefully. */
async function ended(connection: Connection, isIdle: boolean): Promise<void> {
  if (!isIdle) return connection.abandon();
  await closed(
    () => connection.close(),
    () => connection.abandon(),
  );
}
