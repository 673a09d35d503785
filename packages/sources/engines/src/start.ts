import type { Engine } from './engine/engine.ts';
import { get } from './get/index.ts';
import { startEtcd } from './servers/etcd.ts';
import { Folder } from './servers/folder.ts';
import { startGalera } from './servers/galera.ts';
import { startMariadb } from './servers/mariadb.ts';
import { startModule } from './servers/module.ts';
import { startProgram } from './servers/program.ts';
import { startPostgres } from './servers/postgres.ts';
import { startRedis } from './servers/redis.ts';
import type { Started, Starting } from './servers/started.ts';

export interface RunningEngine extends Started {
  /** Ends the engine and removes its data. */
  end(): Promise<void>;
}

/** Downloads an engine if necessary, and starts it in a temporary folder. */
export async function start(
  engine: Engine,
  options: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<RunningEngine> {
  return startIn(await get(engine, signal), engine, options, signal);
}

/** Starts an engine whose programs are in a folder; `/` stands for the programs of the system. */
export async function startIn(
  installed: string,
  engine: Engine,
  options: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<RunningEngine> {
  const folder = await Folder.make();
  try {
    const started = await begin({ engine, folder, installed, options, signal });
    return {
      ...started,
      async end() {
        // The data are discarded, so no orderly shutdown is necessary.
        await Promise.all(started.processes.map((server) => server.kill('SIGQUIT')));
        await folder.remove();
      },
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

function begin(starting: Starting): Promise<Started> {
  const { runs } = starting.engine;
  switch (runs.kind) {
    case 'postgres':
      return startPostgres(starting);
    case 'program':
      return startProgram(runs.options, starting);
    case 'mariadb':
      return startMariadb(starting);
    case 'galera':
      return startGalera(runs.nodes, starting);
    case 'etcd':
      return startEtcd(starting);
    case 'redis':
      return startRedis(starting);
    case 'module':
      return startModule(runs.driver, starting);
  }
}
