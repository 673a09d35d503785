import {
  type Engine,
  EngineError,
  type RunningEngine,
  get,
  isolationsWith,
  nameOf,
  parseEngineAddress,
  start,
} from '@isolab/engines';
import type { Database, Driver, Limits, ProcessFaults } from '../database/database.ts';
import { CollectorError } from '../database/errors.ts';

/** Finds the driver for the address of a node. A parameter, because drivers.ts imports this file. */
export type Drivers = (address: string) => Promise<Driver>;

/** Returns the driver of an engine that isolab starts in a temporary folder and stops on close. */
export function engineDriver(address: string, drivers: Drivers): Driver {
  const { engine, options } = parsed(address);
  return {
    schemes: [engine.name],
    title: engine.title,
    needs: null,
    isolations: isolationsWith(engine, options),
    data: engine.data,
    takesSessionSetup: true,
    startMs: START_MS,
    fetch: async (_, signal, say) => void (await told(get(engine, signal, say))),
    open: (_, limits) => open(engine, options, drivers, limits),
  };
}

/** Nodes start one after another, and a loaded machine is slow. */
const START_MS = 120_000;

function parsed(address: string): ReturnType<typeof parseEngineAddress> {
  try {
    return parseEngineAddress(address);
  } catch (error) {
    throw asCollectorError(error);
  }
}

async function open(
  engine: Engine,
  options: Readonly<Record<string, string>>,
  drivers: Drivers,
  limits: Limits,
): Promise<Database> {
  const running = await told(start(engine, options, limits.signal));
  try {
    return await opened(engine, running, drivers, limits);
  } catch (error) {
    await running.end();
    throw error;
  }
}

/** Opens the first node, with the other nodes as its members. */
async function opened(engine: Engine, running: RunningEngine, drivers: Drivers, limits: Limits): Promise<Database> {
  const nodes: Database[] = [];
  for (const address of running.addresses) {
    const driver = await drivers(address);
    nodes.push(await driver.open(address, { ...limits, startMs: START_MS }));
  }
  const [first] = nodes;
  if (first === undefined) throw new CollectorError(`${nameOf(engine)} started without an address.`);
  const database: Database = {
    ...first,
    isTemporary: true,
    ...(running.processes.length > 0 && { faults: faultsOf(running) }),
    async close() {
      await Promise.all(nodes.map((node) => node.close().catch(() => {})));
      await running.end();
    },
  };
  return nodes.length > 1 ? { ...database, nodes: [database, ...nodes.slice(1)] } : database;
}

const faultsOf = ({ processes }: RunningEngine): ProcessFaults => ({
  nodes: processes.length,
  kill: (node) => told(processes[node]!.kill()),
  restart: (node) => told(processes[node]!.restart()),
  pause: async (node) => processes[node]!.pause(),
  resume: async (node) => processes[node]!.resume(),
});

async function told<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw asCollectorError(error);
  }
}

const asCollectorError = (error: unknown): unknown =>
  error instanceof EngineError ? new CollectorError(error.message, { cause: error }) : error;

export interface EmbeddedServer {
  readonly database: Database;
  readonly address: string;
  /** Kills the server, as a crash would, and restarts it on the same data. */
  crash(signal?: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
}

/** Starts the embedded PostgreSQL with custom settings, for callers that need its address. */
export async function startEmbedded(
  drivers: Drivers,
  limits: Limits,
  settings: Readonly<Record<string, string>>,
): Promise<EmbeddedServer> {
  const { engine } = parsed('embedded');
  const running = await told(start(engine, settings, limits.signal));
  const [server] = running.processes;
  try {
    return {
      address: running.addresses[0]!,
      database: await opened(engine, running, drivers, limits),
      async crash(signal = 'SIGQUIT') {
        await server!.kill(signal);
        await server!.restart();
      },
    };
  } catch (error) {
    await running.end();
    throw error;
  }
}
