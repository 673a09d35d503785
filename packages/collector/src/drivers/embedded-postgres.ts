import type { Database, Driver, Limits } from '../database.ts';
import { parseEngineAddress } from '../engines/known.ts';
import { programsOf } from '../engines/programs.ts';
import { sweep } from '../engines/remains.ts';
import { Server } from '../engines/server.ts';
import { POSTGRES_ISOLATIONS, openPostgres, postgres } from './postgres.ts';

/** A PostgreSQL server of our own, in a temporary directory, gone when it is closed. */
export const embeddedPostgres: Driver = {
  ...postgres,
  schemes: ['embedded'],
  title: 'PostgreSQL, embedded',
  isolations: POSTGRES_ISOLATIONS,
  fetch: async (address, signal) => void (await programsOf(parseEngineAddress(address).engine, signal)),
  open: async (address, limits) => (await startEmbedded(limits, address)).database,
};

export interface EmbeddedServer {
  readonly database: Database;
  readonly address: string;
  /** Kills the server, as a crash would, and starts it again on the same data. */
  crash(signal?: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
}

/** Starts `embedded`, or another release that isolab knows: `postgres@12.3?deadlock_timeout=1s`. */
export async function startEmbedded(
  limits: Limits = { connectMs: 10_000 },
  asked = 'embedded',
): Promise<EmbeddedServer> {
  const { engine, settings } = parseEngineAddress(asked);
  const server = new Server(await programsOf(engine, limits.signal), settings);
  const remains = sweep(); // beside the start, which takes longer
  try {
    await server.start(limits.signal);
    const address = server.address;
    const database = await openPostgres(address, limits);
    await remains;
    return {
      address,
      database: {
        ...database,
        isTemporary: true,
        async close() {
          await database.close().catch(() => {});
          await server.end();
        },
      },
      crash: (signal = 'SIGQUIT') => server.crash(signal),
    };
  } catch (error) {
    await server.end();
    throw error;
  }
}
