import { type CollectorOptions, layoutOf } from './options.ts';
import type { Node } from './journal.ts';
import { DEFAULT_CONNECT_MS, connectFirst, closedConnection } from './connect.ts';
import type { DataKind, Database } from '../database/database.ts';
import { CollectorError } from '../database/errors.ts';
import { isolationOf } from '../database/mixed.ts';
import { isMarked } from './mark.ts';
import { Interrupted, pause, within } from '@isolab/engines';

type NodesOptions = Pick<
  CollectorOptions,
  'nodes' | 'sessions' | 'isolation' | 'workload' | 'layout' | 'connectMs' | 'signal'
>;

/** Returns the sessions of each node, for the header of the history; null for a single node. */
export function sessionsOf({ nodes = [], sessions }: NodesOptions): Node[] | null {
  if (nodes.length < 2) return null;
  return nodes.map(({ description }, node) => ({
    database: description,
    sessions: Array.from({ length: sessions }, (_, index) => index).filter((index) => index % nodes.length === node),
  }));
}

/**
 * Waits until every other node has the tables that the first node created. Databases that are not connected to each
 * other would look like a database that loses writes.
 */
export async function reachNodes(options: NodesOptions, run: number, data: DataKind): Promise<void> {
  const { nodes = [] } = options;
  for (const [index, node] of nodes.entries()) if (index > 0) await reach(options, node, index, run, data);
}

async function reach(options: NodesOptions, database: Database, index: number, run: number, data: DataKind) {
  const { signal, connectMs = DEFAULT_CONNECT_MS } = options;
  const late = (): Error =>
    new CollectorError(
      `Node ${index + 1} (${database.description}) did not show a write of the first node within ${connectMs / 1000} seconds. All nodes must belong to one database.`,
    );
  const looking = async (): Promise<void> => {
    await database.prepare(data, true, options.workload.tables, layoutOf(options));
    const connection = await connectFirst(
      { ...options, database, isolation: isolationOf(options.isolation, 0) },
      signal,
    );
    try {
      while (!(await isMarked(connection, data, run))) {
        if (signal?.aborted) throw new Interrupted();
        await pause(LOOK_AGAIN_MS, signal);
      }
    } finally {
      await closedConnection(connection);
    }
  };
  await within(connectMs, looking(), late, signal);
}

const LOOK_AGAIN_MS = 50;
