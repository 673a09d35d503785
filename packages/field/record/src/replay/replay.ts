/**
 * Replays a recording on a second database, one transaction after the other, and compares the result of each statement
 * with the recorded one. It needs the recording's statements, and a database with the recording's initial rows; it
 * leaves the final rows behind there.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Kept, type KeptOperation, parameterOf } from '../recorded/kept.ts';
import { isTransaction, linesOf, whole } from '../recorded/lines.ts';
import { startPostgresRecord } from '../recording/record.ts';
import { oneLine } from '../sql/origin.ts';
import { Comparable } from './comparable.ts';

export interface Difference {
  /** Line of the transaction in the recording. */
  readonly line: number;
  readonly sql: string;
  readonly recorded: readonly string[];
  readonly replayed: readonly string[];
}

export interface Replayed {
  readonly database: string;
  /** Numbers of replayed transactions and of compared results. */
  readonly transactions: number;
  readonly compared: number;
  /** Number of statements with results that are not compared. */
  readonly left: number;
  readonly difference: Difference | null;
  /** Reason why the comparison ended early. */
  readonly stopped: string | null;
}

interface Line {
  readonly session: string;
  readonly sent?: readonly Kept[];
  readonly ops: readonly unknown[];
}

/** Part of a recording that a replay needs. */
interface Readable {
  readonly lines: ReadonlyMap<number, Line>;
  /** Initial rows by table and key. */
  readonly initial: ReadonlyMap<string, KeptOperation[3]>;
}

/** Replays the transactions of these lines of a recording, in this order. */
export async function replay(
  path: string,
  order: readonly number[],
  upstream: string,
  signal: AbortSignal,
): Promise<Replayed> {
  const recorded = await read(path);
  const folder = mkdtempSync(join(tmpdir(), 'isolab-replay-'));
  const again = join(folder, 'again.jsonl');
  const admin = new pg.Client({ connectionString: upstream });
  try {
    await admin.connect();
    const comparable = await Comparable.of(admin);
    const obstacle = obstacleTo(order, recorded);
    const played =
      obstacle === null ? await play(order, recorded, { upstream, again, admin, comparable, signal }) : NONE;
    const { rows } = await admin.query<{ version: string }>('select version() as version');
    const database = /^PostgreSQL [\d.]+/.exec(rows[0]!.version)?.[0] ?? 'PostgreSQL';
    if (obstacle !== null) return { ...EMPTY, database, stopped: obstacle };
    return { database, ...compare(order.slice(0, played.done), recorded, await read(again), comparable, played.why) };
  } finally {
    await admin.end().catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  }
}

const NONE = { done: 0, why: null };
const EMPTY = { transactions: 0, compared: 0, left: 0, difference: null };

async function read(path: string): Promise<Readable> {
  const lines = new Map<number, Line>();
  const initial = new Map<string, KeptOperation[3]>();
  for await (const [number, text] of linesOf(path)) {
    if (isTransaction(text)) {
      const line = whole<Line>(text);
      if (line !== null) lines.set(number, line);
    } else if (text.startsWith('{"rows":'))
      for (const [table, key, row] of whole<{ rows: [string, unknown, KeptOperation[3]][] }>(text)?.rows ?? [])
        initial.set(JSON.stringify([table, key]), row);
  }
  return { lines, initial };
}

/** Returns the reason why no replay can be compared; null if there is none. */
function obstacleTo(order: readonly number[], { lines }: Readable): string | null {
  for (const number of order) {
    const { sent, ops } = lines.get(number)!;
    if (sent === undefined && ops.length > 0)
      return `line ${number} has no statements; record with --option statements=kept, and let all clients use the proxy`;
    const unseen = sent?.find(([, , result]) => result === 'unseen');
    if (unseen) return `line ${number} may write rows that no statement shows: ${oneLine(unseen[0])}`;
  }
  return null;
}

interface Playing {
  readonly upstream: string;
  /** Path of the recording of the replay. */
  readonly again: string;
  readonly admin: pg.Client;
  readonly comparable: Comparable;
  readonly signal: AbortSignal;
}

interface Played {
  /** Number of replayed transactions. */
  readonly done: number;
  /** Reason why the replay ended early. */
  readonly why: string | null;
}

/** Plays transactions through a recorder, each session on a connection of its own. */
async function play(
  order: readonly number[],
  { lines }: Readable,
  { upstream, again, admin, comparable, signal }: Playing,
): Promise<Played> {
  const running = await startPostgresRecord({ upstream, path: again, statements: true, log: false });
  const through = new URL(upstream);
  [through.hostname, through.port] = ['127.0.0.1', String(running.port)];
  const clients = new Map<string, pg.Client>();
  let done = 0;
  try {
    for (const number of order) {
      if (signal.aborted) return { done, why: 'interrupted' };
      const { session, sent = [] } = lines.get(number)!;
      const client = clients.get(session) ?? (await connected(through.href));
      clients.set(session, client);
      await client.query(`BEGIN; ${MARK}${number}`);
      const obstacle = await playOne(sent, client, admin, comparable);
      await client.query(obstacle === null ? 'COMMIT' : 'ROLLBACK');
      if (obstacle !== null) return { done, why: `line ${number}: ${obstacle}` };
      done++;
    }
    return { done, why: null };
  } finally {
    await Promise.all([...clients.values()].map((client) => client.end().catch(() => {})));
    await running.finish();
  }
}

/** Plays the statements of a transaction; returns the reason why it is not the recorded one, or null. */
async function playOne(
  sent: readonly Kept[],
  client: pg.Client,
  admin: pg.Client,
  comparable: Comparable,
): Promise<string | null> {
  for (const kept of sent) {
    const obstacle = comparable.obstacleOf(kept);
    if (obstacle !== null) return obstacle;
    for (const sql of comparable.sequencesFor(kept)) await admin.query(sql);
    const [sql, parameters] = kept;
    try {
      await client.query(sql, parameters.map(parameterOf));
    } catch (error) {
      return `the database refuses ${oneLine(sql)} (${(error as Error).message})`;
    }
  }
  return null;
}

/** Statement before those of each transaction, which identifies its line. */
const MARK = 'SELECT ';

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  return client;
}

function compare(
  order: readonly number[],
  recorded: Readable,
  replayed: Readable,
  comparable: Comparable,
  why: string | null,
): Omit<Replayed, 'database'> {
  const other = initialDifference(recorded, replayed, comparable);
  if (other !== null) return { ...EMPTY, stopped: other };
  const again = new Map<number, readonly Kept[]>();
  for (const { sent: [mark, ...sent] = [] } of replayed.lines.values())
    if (mark?.[0].trim().startsWith(MARK)) again.set(Number(mark[0].trim().slice(MARK.length)), sent);
  let [compared, left] = [0, 0];
  for (const [i, number] of order.entries())
    for (const [j, kept] of (recorded.lines.get(number)!.sent ?? []).entries()) {
      const [sql, , result] = kept;
      const [, , found] = again.get(number)?.[j] ?? [];
      if (!Array.isArray(result) || !Array.isArray(found) || !comparable.isCompared(kept)) {
        left++;
        continue;
      }
      const [was, is] = [comparable.rowsOf(result), comparable.rowsOf(found)];
      compared++;
      if (was.join() === is.join()) continue;
      const difference = { line: number, sql: oneLine(sql), recorded: was, replayed: is };
      return { transactions: i + 1, compared, left, difference, stopped: null };
    }
  return { transactions: order.length, compared, left, difference: null, stopped: why };
}

/** Describes a row that differs before the first transaction; null if there is none. */
function initialDifference(
  { initial: was }: Readable,
  { initial: is }: Readable,
  comparable: Comparable,
): string | null {
  const textOf = (at: string, row: KeptOperation[3]): string => {
    const [table, key] = JSON.parse(at) as [string, unknown];
    return String(comparable.rowsOf([['get', table, key, row]]));
  };
  const tables = new Set([...is.keys()].map((at) => (JSON.parse(at) as [string])[0]));
  for (const [at, row] of [...is, ...was]) {
    const [table] = JSON.parse(at) as [string];
    const isSame = textOf(at, was.get(at) ?? null) === textOf(at, is.get(at) ?? null);
    if (tables.has(table) && !isSame)
      return `the database does not have the initial rows of the recording: ${textOf(at, row)}`;
  }
  return null;
}
