import pg from 'pg';
import { Asking } from './asking.ts';
import { RecordError } from './errors.ts';
import { type Counters, type Ground, isUndisturbed, readCounters, readGround } from './ground.ts';
import { Journal } from './journal.ts';
import { Plans } from './plans.ts';
import { Recording } from './recording.ts';
import { NO_REDACTION, hashing } from './redaction.ts';
import { wholeRow } from './rows-of-result.ts';
import type { UniqueColumns } from './report/dangers.ts';
import { Session } from './session.ts';
import { settle } from './settle.ts';
import type { Ask } from './sql/catalog.ts';
import { loadParser } from './sql/parser.ts';
import { parseRowText } from './sql/row-text.ts';
import type { SessionFacts } from './statement.ts';
import type { ShapeCount } from './tally.ts';
import { type Proxy, startProxy } from './wire/proxy.ts';

export interface RecordOptions {
  /** Where the database is: `postgres://user:password@host:port/name`. */
  readonly upstream: string;
  readonly path: string;
  readonly listen?: { readonly host: string; readonly port: number };
  /** The certificate that clients are shown; without one they speak without TLS. */
  readonly tls?: { readonly key: string; readonly cert: string } | null;
  /** Values become hashes: equal ones stay equal. */
  readonly redact?: boolean;
  /** Tables with more rows are recorded without what conditions passed over. */
  readonly mostRows?: number;
  readonly onProblem?: (problem: string) => void;
}

export interface Recorded {
  readonly path: string;
  readonly transactions: number;
  readonly shapes: readonly ShapeCount[];
  /** Versions that somebody wrote who did not come through the proxy. */
  readonly outsiders: number;
  /** Tables of which it is not known what conditions passed over: they are large, or somebody else changed them. */
  readonly withoutScans: readonly string[];
  /** By table: sets of columns of which the database lets no two rows have the same values. */
  readonly unique: UniqueColumns;
}

export interface RunningRecord {
  readonly port: number;
  /** Ends all connections, and completes the file. */
  finish(): Promise<Recorded>;
}

/** What is asked on each client's own connection before the client may ask anything. */
const SETTINGS = {
  level: 'SHOW default_transaction_isolation',
  schemas: 'SELECT to_json(current_schemas(false))',
  database: 'SELECT current_database()',
};

const MOST_ROWS = 10_000;
const COUNTED_WITHIN_MS = 3_000;

/** Records what clients of a database do, as a proxy between them and it. */
export async function startRecord(options: RecordOptions): Promise<RunningRecord> {
  const parser = await loadParser();
  const asking = await Asking.connect(options.upstream);
  const started = process.hrtime.bigint();
  const now = (): bigint => process.hrtime.bigint() - started;
  const journal = new Journal(options.path);
  const redaction = options.redact ? hashing() : NO_REDACTION;
  const rows: (readonly [string, string])[] = [];
  const ground = await readGround(asking.ask, options.mostRows ?? MOST_ROWS, (table, columns, writer) => {
    const { place, version } = wholeRow(table, parseRowText(columns), writer, redaction);
    rows.push([place, version]);
  });
  const plans = new Plans(parser, asking.askAgain, ground.catalog, (name) => !ground.partial.has(name));
  const recording = new Recording({ journal, plans, redaction, isInitial: ground.isInitial, now });
  journal.add(header(ground, options.redact === true));
  for (const [place, version] of rows) recording.initialRow(place, version);
  journal.flush();
  const listen = options.listen ?? { host: '127.0.0.1', port: 0 };
  const proxy = await startProxy({
    listen,
    upstream: addressOf(options.upstream),
    tls: options.tls ?? null,
    settingsQueries: SETTINGS,
    open: (facts) => openSession(recording, asking.askAgain, facts),
    onProblem: options.onProblem ?? (() => {}),
  }).catch(async (error: unknown) => {
    await asking.end();
    throw new RecordError(
      `Cannot take clients at ${listen.host}:${listen.port} (${(error as Error).message}); name another address.`,
    );
  });
  return { port: proxy.port, finish: () => finish({ proxy, recording, journal, asking, ground, plans, options }) };
}

function addressOf(url: string) {
  const { host, port, ssl } = new pg.Client({ connectionString: url });
  return { host, port, ...(ssl && { tls: ssl === true ? {} : (ssl as object) }) };
}

function header({ version, catalog }: Ground, isRedacted: boolean): string {
  return `${JSON.stringify({
    isolab: 'history',
    version: 2,
    times: 'nanoseconds',
    database: `PostgreSQL ${version}`,
    tables: [...catalog.tables.values()].filter(({ problem }) => problem === null).map(({ name }) => name),
    recorded: { by: 'isolab record', redacted: isRedacted },
  })}\n`;
}

let sessions = 0;

async function openSession(recording: Recording, ask: Ask, facts: SessionFacts): Promise<Session> {
  const rows = (await ask(
    `select n.nspname as schema, c.relname as table from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')
      and not has_table_privilege($1, c.oid, 'select')`,
    [facts.user],
  )) as unknown as { schema: string; table: string }[];
  const [{ database }] = (await ask('select current_database() as database')) as unknown as [{ database: string }];
  if (facts.settings['database'] !== database)
    throw new RecordError(`it uses the database ${facts.settings['database']}, and ${database} is recorded`);
  const unreadable = new Set(rows.map(({ schema, table }) => `${schema}.${table}`));
  const name = facts.applicationName ? `${facts.applicationName} ${++sessions}` : String(++sessions);
  return new Session(recording, name, facts, unreadable);
}

interface Running {
  readonly proxy: Proxy;
  readonly recording: Recording;
  readonly journal: Journal;
  readonly asking: Asking;
  readonly ground: Ground;
  readonly plans: Plans;
  readonly options: RecordOptions;
}

async function finish({ proxy, recording, journal, asking, ground, plans, options }: Running): Promise<Recorded> {
  await proxy.close();
  const { outsiders, transactions } = recording.finish();
  journal.close();
  const { tally } = recording;
  const followed = [...plans.catalog.tables.values()].filter(({ problem }) => problem === null).map(({ name }) => name);
  const small = followed.filter((name) => !ground.partial.has(name));
  const isStill = (after: Counters) => (table: string) => isUndisturbed(table, ground, after, tally.changesOf(table));
  let after = await readCounters(asking.askAgain, plans.catalog).catch((): Counters => new Map());
  // The server counts what a connection did when that has ended.
  const until = Date.now() + COUNTED_WITHIN_MS;
  while (after.size > 0 && !small.every(isStill(after)) && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    after = await readCounters(asking.askAgain, plans.catalog);
  }
  await asking.end();
  await settle(options.path, isStill(after));
  const withoutScans = followed.filter((name) => !isStill(after)(name));
  const unique = new Map([...plans.catalog.tables.values()].map((table) => [table.name, table.unique]));
  return { path: options.path, transactions, shapes: tally.shapes, outsiders, withoutScans, unique };
}
