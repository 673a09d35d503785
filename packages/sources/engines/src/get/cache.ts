import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { type Engine, nameOf } from '../engine.ts';
import { isRunning } from '../processes.ts';

/** Where an engine lies once it has been fetched; what it was made from, if that may change, tells it from others. */
export const folderOf = (engine: Engine, from?: string): string =>
  join(enginesFolder(), from === undefined ? nameOf(engine) : `${nameOf(engine)}-${from}`);

/** ISOLAB_CACHE, or the user's folder for such things. */
export function enginesFolder(): string {
  const { ISOLAB_CACHE: own, XDG_CACHE_HOME: shared } = process.env;
  return join(own ?? join(shared ?? join(homedir(), '.cache'), 'isolab'), 'engines');
}

/**
 * The folder of an engine. If it is not there, it is made elsewhere and moved when it is complete, so that it is whole
 * whenever it is there. `make` fills the folder that it is given and says which folder of it is to be kept.
 */
export async function kept(engine: Engine, make: (folder: string) => Promise<string>, from?: string): Promise<string> {
  const folder = folderOf(engine, from);
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  await sweepUnfinished(dirname(folder));
  const unfinished = await mkdtemp(join(dirname(folder), `${UNFINISHED}${process.pid}-`));
  try {
    // Another process may have been faster: what it put there is the same.
    await rename(await make(unfinished), folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

const UNFINISHED = '.unfinished-';

/** Removes what processes that are no more have left. */
async function sweepUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(new RegExp(String.raw`^${UNFINISHED}(\d+)-`).exec(name)?.[1] ?? Number.NaN);
    if (Number.isSafeInteger(pid) && pid > 1 && !isRunning({ pid, started: null }))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}
