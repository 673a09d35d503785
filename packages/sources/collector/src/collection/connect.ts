import { closed, pause, within } from '@isolab/engines';
import type { CollectorOptions } from './options.ts';
import type { Connection } from '../database/database.ts';
import { CollectorError, ConnectionLost, TooManyConnections } from '../database/errors.ts';

type ConnectOptions = Pick<CollectorOptions, 'database' | 'isolation' | 'connectMs'>;

export const DEFAULT_CONNECT_MS = 10_000;

/** Opens the first connection of a session. Fails with a setup error if the database has no room for all sessions. */
export async function connectFirst(
  options: ConnectOptions & Pick<CollectorOptions, 'sessions'>,
  signal?: AbortSignal,
): Promise<Connection> {
  try {
    return await connectPatiently(options, signal, FIRST_PATIENCE_MS);
  } catch (error) {
    throw error instanceof TooManyConnections
      ? new CollectorError(`The database does not accept ${options.sessions} sessions: ${error.message}`, {
          cause: error,
        })
      : error;
  }
}

/** Connects, with retries: a server that was killed may take a while to come back. */
export async function connectPatiently(
  options: ConnectOptions,
  signal?: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<Connection> {
  const { database, isolation, connectMs = DEFAULT_CONNECT_MS } = options;
  const late = (): Error => new ConnectionLost(`no answer for ${connectMs / 1000} seconds`);
  const deadline = Date.now() + patienceMs;
  for (let wait = 20; ; wait = Math.min(1000, 2 * wait)) {
    const connecting = database.connect(isolation);
    try {
      return await within(connectMs, connecting, late, signal);
    } catch (error) {
      void connecting.then((connection) => connection.abandon()).catch(() => {}); // the connection may open too late
      if (!(error instanceof ConnectionLost)) throw error;
      const isFirst = patienceMs === FIRST_PATIENCE_MS;
      if (isFirst && error instanceof TooManyConnections) throw error;
      if (Date.now() > deadline)
        throw new CollectorError(
          `The database ${isFirst ? 'refuses connections' : 'no longer answers'}: ${error.message}`,
          { cause: error },
        );
    }
    await pause(wait, signal);
  }
}

/** Closes a connection, or abandons it if the database does not answer. */
export const closedConnection = (connection: Connection): Promise<void> =>
  closed(
    () => connection.close(),
    () => connection.abandon(),
  );

const FIRST_PATIENCE_MS = 3_000;
const PATIENCE_MS = 30_000;
