import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { type Engine, nameOf } from '../engine/engine.ts';
import { isRunning } from '../engine/processes.ts';

/** Returns the folder of a downloaded engine. `from` identifies the sources of an engine whose sources may change. */
export const folderOf = (engine: Engine, from?: string): string =>
  join(enginesFolder(), from === undefined ? nameOf(engine) : `${nameOf(engine)}-${from}`);

/** Returns the folder of engines in ISOLAB_CACHE or in the user's cache folder. Programs run in other folders. */
export function enginesFolder(): string {
  const { ISOLAB_CACHE: own, XDG_CACHE_HOME: shared } = process.env;
  return resolve(own ?? join(shared ?? join(homedir(), '.cache'), 'isolab'), 'engines');
}

/**
 * Returns the folder of an engine. A missing folder is built elsewhere and moved when it is complete, so that it is
 * never partial. `make` fills a given folder and returns the subfolder to keep.
 */
export async function kept(engine: Engine, make: (folder: string) => Promise<string>, from?: string): Promise<string> {
  const folder = folderOf(engine, from);
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  await sweepUnfinished(dirname(folder));
  const unfinished = await mkdtemp(join(dirname(folder), `${UNFINISHED}${process.pid}-`));
  try {
    // Another process may have finished first, with the same result.
    await rename(await make(unfinished), folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

const UNFINISHED = '.unfinished-';

/** Removes unfinished folders of processes that have ended. */
async function sweepUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(new RegExp(String.raw`^${UNFINISHED}(\d+)-`).exec(name)?.[1] ?? Number.NaN);
    if (Number.isSafeInteger(pid) && pid > 1 && !isRunning({ pid, started: null }))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}
