import { type CollectorOptions, layoutOf } from './options.ts';
import { randomInt } from 'node:crypto';
import { connectFirst, connectPatiently, closedConnection } from './connect.ts';
import type { Connection, DataKind } from '../database/database.ts';
import { CollectorError, SilentDatabase, SpoiltTables } from '../database/errors.ts';
import type { Earlier, Journal } from './journal.ts';
import { isolationOf, statedLevels } from '../database/mixed.ts';
import { isMarked, markTables } from './mark.ts';
import { reachNodes, sessionsOf } from './nodes.ts';
import { DEFAULT_STALL_MS } from './stop.ts';
import { Interrupted, within } from '@isolab/engines';

export function checkFits({ collected }: Earlier, { path, isolation, layout }: CollectorOptions, data: DataKind): void {
  if (collected.layout !== layout)
    throw new CollectorError(
      `${path} was collected with ${wordsOf(collected.layout)}; it cannot be continued with ${wordsOf(layout)}.`,
    );
  if (collected.isolation !== isolation.name)
    throw new CollectorError(
      `${path} was collected at ${collected.isolation}; it cannot be continued at ${isolation.name}.`,
    );
  if (collected.data !== data)
    throw new CollectorError(`${path} holds ${collected.data}; it cannot be continued with ${data}.`);
}

const wordsOf = (layout: string | undefined): string =>
  layout === undefined ? 'the plain layout' : `the layout ${layout}`;

/** Creates the tables, or finds those of the earlier run, and opens the file. */
export async function prepareTables(
  options: CollectorOptions,
  journal: Journal,
  data: DataKind,
  earlier: Earlier | null,
) {
  const { database, isolation, signal, path, stallMs = DEFAULT_STALL_MS } = options;
  const late = (): Error =>
    new SilentDatabase(
      `The database did not create the tables within ${stallMs / 1000} seconds${waitsFor(database.underWay?.())}.`,
    );
  const layout = layoutOf(options);
  if (layout !== undefined && !database.takesLayout)
    throw new CollectorError(`${database.description} does not support layouts of tables.`);
  await within(stallMs, database.prepare(data, earlier !== null, options.workload.tables, layout), late, signal);
  const connection = await connectFirst({ ...options, isolation: isolationOf(isolation, 0) }, signal);
  try {
    if (earlier === null) {
      const { name, claims } = isolation;
      const run = randomInt(1, 2 ** 47);
      const collected = { run, isolation: name, claims, data, ...(options.layout && { layout: options.layout }) };
      await within(stallMs, markTables(connection, data, collected.run), late, signal);
      const nodes = sessionsOf(options);
      journal.begin(database.description, collected, {
        levels: statedLevels(isolation),
        ...(nodes && { nodes }),
        ...(options.faults && { faults: options.faults }),
      });
    } else {
      if (!(await within(stallMs, isMarked(connection, data, earlier.collected.run), late, signal)))
        throw new CollectorError(
          `The database no longer holds the data of ${path}${database.isTemporary ? ', which was lost when its server ended' : ''}. A history can only be continued on its own tables; start over with --force.`,
        );
      journal.continue();
    }
  } finally {
    await closedConnection(connection);
  }
  await reachNodes(options, journal.run, data);
}

const waitsFor = (waits: string | null | undefined): string => (waits ? `: ${waits}` : '');

/** Waits for the sessions and writes the end of the history if its tables still exist. */
export async function finished(options: CollectorOptions, journal: Journal, data: DataKind, work: Promise<void>) {
  try {
    await work;
  } catch (error) {
    await confirm(options, journal, data, false).catch((found: unknown) => {
      if (found instanceof SpoiltTables) throw found; // the original error explains the failure
    });
    throw error;
  }
  const isEnd = options.signal?.aborted !== true;
  await confirm(options, journal, data, isEnd).catch((error: unknown) => {
    const isMoot = error instanceof Interrupted || (!isEnd && !(error instanceof SpoiltTables));
    if (!isMoot) throw error;
  });
}

/**
 * Checks whether the tables still belong to the history. Records either the end of the history or that it is unusable.
 * After an interrupt or a failure, the check has a short time limit, so that users need not wait.
 */
async function confirm(options: CollectorOptions, journal: Journal, data: DataKind, isEnd: boolean): Promise<void> {
  const ms = isEnd ? CHECK_MS : QUICK_CHECK_MS;
  const late = (): Error =>
    new CollectorError('The database did not confirm at the end that it still holds the data of this collection.');
  const asking = async (connection: Connection): Promise<void> => {
    if (await isMarked(connection, data, journal.run)) return isEnd ? journal.end() : undefined;
    const why =
      'the tables were replaced during the collection, or the database lost a row that it had committed there';
    journal.spoil(why);
    throw new SpoiltTables(
      `${options.path} cannot be used: ${why}. Collect only one history at a time from a database.`,
    );
  };
  const own = { ...options, isolation: isolationOf(options.isolation, 0) };
  const connection = isEnd
    ? await connectPatiently(own, options.signal)
    : await connectPatiently({ ...own, connectMs: ms }, undefined, 0);
  try {
    await within(ms, asking(connection), late);
  } finally {
    await closedConnection(connection);
  }
}

const CHECK_MS = 5_000;
const QUICK_CHECK_MS = 700;
