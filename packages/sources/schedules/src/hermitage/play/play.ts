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
}

/** A case, a database, and the level at which to play the case. */
export interface Setting {
  readonly case: Pick<Case, 'tables' | 'steps' | 'final'>;
  readonly database: Database;
  readonly isolation: string;
}

/** Plays a case once, on new tables and with new connections. */
export async function play(setting: Setting, options: PlayOptions): Promise<Played> {
  const connections: Connection[] = [];
  let sent: readonly Sent[] = [];
  let isIdle = false;
  try {
    const setUp = await connected(setting, connections);
    for (const sql of tablesAnew(setting.case)) await sentAlone(setUp, sql);
    const sessions = new Map<string, PlainSql>();
    for (const name of sessionsOf(setting.case.steps)) sessions.set(name, await connected(setting, connections));

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
    for (const sql of dropsOf(setting.case)) await sentAlone(setUp, sql);
    return { sent, givenUp: null };
  } catch (error) {
    // An interrupt also ends the servers that isolab started, which then give no answers.
    if (error instanceof Interrupted || options.signal?.aborted) throw new Interrupted();
    isIdle = false;
    return { sent, givenUp: `the case could not be set up or ended: ${(error as Error).message}` };
  } finally {
    for (const connection of connections) await ended(connection, isIdle);
  }
}

const PATIENCE_MS = 15_000;

/** Longer than any case lasts: a lock wait ends through another session or with the case. */
export const LOCK_WAIT_MS = 120_000;

async function connected({ database, isolation }: Setting, connections: Connection[]): Promise<PlainSql> {
  const connection = await inTime(database.connect({ name: isolation }), 'to connecting');
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

const dropsOf = ({ tables }: Setting['case']): readonly string[] =>
  tableNames(tables).map((name) => `DROP TABLE IF EXISTS ${name}`);

const tablesAnew = (played: Setting['case']): readonly string[] => [...dropsOf(played), ...played.tables];

/** Closes a connection. A connection with a pending request is abandoned, because it could not close gracefully. */
async function ended(connection: Connection, isIdle: boolean): Promise<void> {
  if (!isIdle) return connection.abandon();
  await closed(
    () => connection.close(),
    () => connection.abandon(),
  );
}
