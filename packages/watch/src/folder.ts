import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FolderLog } from './log.ts';
import type { Checkpoint } from './checkpoint.ts';
import { type WatchOptions, Watcher } from './watcher.ts';

/** A watcher that keeps its log, its alarms and a checkpoint in a folder, and goes on where one was before. */
export interface WatchFolder {
  readonly watcher: Watcher;
  /** Lines that were taken before, and are not to be taken again. */
  readonly lines: number;
  /** Writes a checkpoint; only to be asked for when all that came was judged. */
  save(): Promise<void>;
  close(): void;
}

export async function watchFolder(
  folder: string,
  options: Omit<WatchOptions, 'log' | 'alarmFolder'>,
): Promise<WatchFolder> {
  mkdirSync(folder, { recursive: true });
  const log = new FolderLog(join(folder, 'log'));
  const path = join(folder, 'checkpoint.json');
  const watcher = new Watcher({ ...options, log, alarmFolder: join(folder, 'alarms') });
  await watcher.open(existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Checkpoint) : null);
  return {
    watcher,
    lines: watcher.line,
    save: async () => {
      log.sync();
      const text = JSON.stringify(await watcher.checkpoint());
      // Whoever is killed here leaves the one before.
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    },
    close: () => log.close(),
  };
}
