import type { Recorded } from '../recording/finish.ts';
import type { RecordOptions, RunningRecord } from '../recording/record.ts';
import { Journal } from '../recorded/journal.ts';
import { NO_REDACTION, hashing } from '../recorded/redaction.ts';
import { RecordError } from '../sql/errors.ts';
import { databaseFields, mariadbNamed } from '../judgement/promises.ts';
import { EventReader } from './binlog/events.ts';
import { Rows, WRITER } from './history/rows.ts';
import { writeHistory } from './history/write.ts';
import { Recording } from './recording/recording.ts';
import { type Ground, Server } from './recording/server.ts';
import { GatedLog } from './recording/gated.ts';
import { Session } from './recording/session.ts';
import { startProxy } from './wire/proxy.ts';

const MOST_ROWS = 10_000;
/** The first server_id of the sessions that are recorded; a server uses other numbers for itself. */
const FIRST_SERVER_ID = 0x69_73_00_00;

/** Records the statements of the clients of a MariaDB, as a proxy, and their writes from the binary log. */
export async function startMysqlRecord(options: RecordOptions): Promise<RunningRecord> {
  if (options.tls) throw new RecordError('isolab records MariaDB without TLS; leave out --tls.');
  const server = await Server.connect(options.upstream);
  const started = process.hrtime.bigint();
  const now = (): bigint => process.hrtime.bigint() - started;
  const recording = new Recording(now);
  const onProblem = options.onProblem ?? (() => {});
  try {
    const ground = await server.ground(options.mostRows ?? MOST_ROWS);
    const journal = new Journal(options.path);
    const { host, port } = server;
    const listen = options.listen ?? { host: '127.0.0.1', port: 0 };
    let sessions = 0;
    const proxy = await startProxy(listen, {
      upstream: { host, port },
      now,
      onProblem,
      open: ({ program }) => {
        const number = ++sessions;
        const name = program ? `${program} ${number}` : String(number);
        const session = new Session(recording, { name, serverId: FIRST_SERVER_ID + number });
        return options.gate ? new GatedLog(session, options.gate, name) : session;
      },
    }).catch((error: unknown) => {
      journal.close();
      throw new RecordError(
        `Cannot listen for clients at ${listen.host}:${listen.port} (${(error as Error).message}); name another address.`,
      );
    });
    return {
      port: proxy.port,
      withoutLog: null,
      async finish() {
        await proxy.close();
        try {
          return await finish({ server, ground, recording, journal, options });
        } finally {
          await server.end();
        }
      },
    };
  } catch (error) {
    await server.end();
    throw error;
  }
}

interface Finishing {
  readonly server: Server;
  readonly ground: Ground;
  readonly recording: Recording;
  readonly journal: Journal;
  readonly options: RecordOptions;
}

/** Reads all versions of the rows from the log. */
async function rowsOf({ server, ground, journal }: Pick<Finishing, 'server' | 'ground' | 'journal'>): Promise<Rows> {
  const reader = new EventReader();
  for (const [name, reason] of ground.leftOut) reader.leftOut.set(name, reason);
  const rows = new Rows(reader.leftOut);
  for (const { table, rows: initial } of ground.tables) rows.initial(table, initial);
  await server
    .readLog(ground.place, (event) => {
      const entry = reader.read(event);
      if (entry) rows.add(entry);
    })
    .catch((error: Error): never => {
      journal.close();
      throw new RecordError(`The binary log cannot be read any more (${error.message}), so the recording is lost.`);
    });
  return rows;
}

async function finish({ server, ground, recording, journal, options }: Finishing): Promise<Recorded> {
  const rows = await rowsOf({ server, ground, journal });
  const unique = await server.unique().catch(() => new Map<string, (readonly string[])[]>());
  const isMain = (name: string): boolean => name.startsWith(`${server.database}.`);
  const nameOf = (name: string): string => (isMain(name) ? name.slice(server.database.length + 1) : name);
  const followed = [...rows.tables.keys()].filter((name) => rows.followed(name));
  const all = [...recording.sessions.values()].flat();
  const repeatable = all.filter(({ level }) => level === 'repeatable read');
  const hasSnapshots = repeatable.length > 0 && repeatable.every((each) => each.hasSnapshots);
  journal.add(
    `${JSON.stringify({
      isolab: 'history',
      version: 2,
      times: 'nanoseconds',
      ...databaseFields(mariadbNamed(ground.version, hasSnapshots)),
      tables: followed.map(nameOf),
      recorded: { by: 'isolab record', redacted: options.redact === true },
      hidden: [WRITER],
    })}\n`,
  );
  const redaction = options.redact ? hashing() : NO_REDACTION;
  const add = (line: string): void => journal.add(line);
  const { transactions, outside, unresolved } = writeHistory({ rows, recording, redaction, nameOf, add });
  journal.add('{"isolab":"end"}\n');
  journal.close();
  await options.onWritten?.();
  const { ambiguous, unexplained } = unresolved;
  if (ambiguous > 0)
    options.onProblem?.(`${ambiguous} reads were left out: several versions had the values that they show.`);
  if (unexplained > 0)
    options.onProblem?.(`${unexplained} reads were left out: no version had the values that they show.`);
  for (const [{ name }, { reason }] of recording.left)
    options.onProblem?.(`The session ${name} was recorded up to a statement with unknown effects: ${reason}.`);
  return {
    path: options.path,
    transactions,
    shapes: recording.tally.shapes,
    refused: recording.refusals.left(redaction.shape),
    outsiders: 0,
    withoutScans: followed.filter((name) => !rows.followed(name)!.isWhole).map(nameOf),
    unique: new Map([...unique].map(([name, sets]) => [nameOf(name), sets])),
    log: {
      outside,
      leftOut: Object.fromEntries(
        [...rows.leftOut].filter(([name]) => !/^(mysql|sys)\./.test(name)).map(([name, why]) => [nameOf(name), why]),
      ),
    },
  };
}
