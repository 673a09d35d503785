import pg from 'pg';
import type { Gate } from '../wire/gate.ts';
import { Asking } from './asking.ts';
import { RecordError } from '../sql/errors.ts';
import { Definitions } from '../recorded/definitions.ts';
import { GatedLog } from './gated.ts';
import { type Recorded, finish } from './finish.ts';
import { type Ground, readGround } from './ground.ts';
import { Journal } from '../recorded/journal.ts';
import { Entries } from '../recorded/entries.ts';
import { Log } from '../log/log.ts';
import { Slot } from '../log/slot.ts';
import { Plans } from './plans.ts';
import { databaseFields } from '../judgement/promises.ts';
import { Recording } from './recording.ts';
import { NO_REDACTION, hashing } from '../recorded/redaction.ts';
import { wholeRow } from '../recorded/rows-of-result.ts';
import { Session } from './session.ts';
import { type Ask, type Catalog, readCatalog } from '../sql/catalog.ts';
import { loadParser } from '../sql/parser.ts';
import { WRITER_COLUMN, parseRowText } from '../sql/row-text.ts';
import type { Planned } from '../sql/planned.ts';
import type { SessionFacts, SessionLog } from '../wire/statement.ts';
import { startProxy } from '../wire/proxy.ts';

export interface RecordOptions {
  /** Address of the database: `postgres://user:password@host:port/name`, or `mariadb://…`. */
  readonly upstream: string;
  readonly path: string;
  readonly listen?: { readonly host: string; readonly port: number };
  /** The certificate shown to clients; without a certificate, clients connect without TLS. */
  readonly tls?: { readonly key: string; readonly cert: string } | null;
  /** States that values are replaced by hashes: equal values stay equal. */
  readonly redact?: boolean;
  /** In tables with more rows, the rows that conditions excluded are not recorded. */
  readonly mostRows?: number;
  /** States that the write-ahead log is read if the server permits it; true by default. */
  readonly log?: boolean;
  /** Trusts the order of versions in the log: each write is recorded as if it had read the replaced version. */
  readonly trust?: 'log';
  /** Keeps statements with their parameters and results, for a replay of a PostgreSQL recording. */
  readonly statements?: boolean;
  /** Delays statements of clients. */
  readonly gate?: Gate;
  readonly onProblem?: (problem: string) => void;
  /** Called once the file has all operations of clients. The complete file replaces it after the promise is settled. */
  readonly onWritten?: () => Promise<void>;
}

export interface RunningRecord {
  readonly port: number;
  /** The reason why the write-ahead log is not read, with advice; null if it is read or not wanted. */
  readonly withoutLog: string | null;
  finish(): Promise<Recorded>;
}

/** Settings of each client connection, made before the client may send queries. */
const SETTINGS = {
  level: 'SHOW default_transaction_isolation',
  schemas: 'SELECT to_json(current_schemas(false))',
  database: 'SELECT current_database()',
};

const MOST_ROWS = 10_000;

/** Records the statements of a database's clients, as a proxy. */
export async function startPostgresRecord(options: RecordOptions): Promise<RunningRecord> {
  const parser = await loadParser();
  const asking = await Asking.connect(options.upstream);
  const started = process.hrtime.bigint();
  const now = (): bigint => process.hrtime.bigint() - started;
  const journal = new Journal(options.path);
  const redaction = options.redact ? hashing() : NO_REDACTION;
  const rows: (readonly [string, string])[] = [];
  // The slot is opened before the initial rows are read, so that it has every later change.
  const slot = options.log === false ? null : await Slot.open(options.upstream);
  if (typeof slot === 'string' && options.trust === 'log') {
    await asking.end();
    throw new RecordError(slot);
  }
  const wantsXids = slot instanceof Slot;
  const most = { mostRows: options.mostRows ?? MOST_ROWS, wantsXids };
  const ground = await readGround(asking.ask, most, (table, columns, writer) => {
    const { place, version } = wholeRow(table, parseRowText(columns), writer, redaction);
    rows.push([place, version]);
  });
  const definitions = new Definitions(ground.catalog);
  const isWhole = (name: string): boolean => !ground.partial.has(name);
  const onCatalog = (catalog: Catalog): void => definitions.update(catalog);
  const plans = new Plans({ parser, ask: asking.askAgain, catalog: ground.catalog, isWhole, onCatalog });
  const { isInitial, wholeNumber } = ground;
  const keepsStatements = options.statements ?? false;
  const recording = new Recording({ journal, plans, redaction, isInitial, wholeNumber, now, keepsStatements });
  const log = wantsXids
    ? new Log(slot, new Entries(`${options.path}.log`, ground.oldestXid), {
        definitions,
        redaction,
        hasSeen: ground.hasSeen,
        readCatalog: () => readCatalog(asking.askAgain, isWhole, wantsXids),
        tellsReplaced: options.trust === 'log',
      })
    : null;
  journal.add(header(ground, options.redact === true));
  for (const [place, version] of rows) {
    recording.initialRow(place, version);
    log?.collector.initialRow(place, version);
  }
  journal.flush();
  let sessions = 0;
  const listen = options.listen ?? { host: '127.0.0.1', port: 0 };
  const proxy = await startProxy({
    listen,
    upstream: addressOf(options.upstream),
    tls: options.tls ?? null,
    settingsQueries: SETTINGS,
    open: (facts) => openSession({ recording, ask: asking.askAgain, number: ++sessions, gate: options.gate }, facts),
    onProblem: options.onProblem ?? (() => {}),
  }).catch(async (error: unknown) => {
    await Promise.all([asking.end(), log?.abandon()]);
    throw new RecordError(
      `Cannot listen for clients at ${listen.host}:${listen.port} (${(error as Error).message}); name another address.`,
    );
  });
  const running = { proxy, recording, journal, asking, ground, definitions, plans, options, log };
  const withoutLog = typeof slot === 'string' ? slot : null;
  return { port: proxy.port, withoutLog, finish: () => finish(running) };
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
    ...databaseFields(`PostgreSQL ${version}`),
    tables: [...catalog.tables.values()].filter(({ problem }) => problem === null).map(({ name }) => name),
    recorded: { by: 'isolab record', redacted: isRedacted },
    hidden: [WRITER_COLUMN],
  })}\n`;
}

interface Opening {
  readonly recording: Recording;
  readonly ask: Ask;
  readonly number: number;
  readonly gate: Gate | undefined;
}

async function openSession(
  { recording, ask, number, gate }: Opening,
  facts: SessionFacts,
): Promise<SessionLog<Planned>> {
  const rows = (await ask(
    `select n.nspname as schema, c.relname as table from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')
      and not has_table_privilege($1, c.oid, 'select')`,
    [facts.user],
  )) as unknown as { schema: string; table: string }[];
  const [{ database }] = (await ask('select current_database() as database')) as unknown as [{ database: string }];
  if (facts.settings['database'] !== database)
    throw new RecordError(`it uses the database ${facts.settings['database']}, but ${database} is recorded`);
  const unreadable = new Set(rows.map(({ schema, table }) => `${schema}.${table}`));
  const name = facts.applicationName ? `${facts.applicationName} ${number}` : String(number);
  const session = new Session(recording, name, facts, unreadable);
  return gate ? new GatedLog(session, gate, name, recording.now) : session;
}
