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
  /** Where the source is to go on, and how many lines were taken up to there; null if it is to begin anew. */
  readonly position: Position | null;
  /** Writes a checkpoint; only to be asked for when all that came was judged. The source goes on at `at` if it is given. */
  save(at?: string | null): Promise<void>;
  close(): void;
}

/** A place in a source. */
export interface Position {
  readonly lines: number;
  readonly at: string;
}

export async function watchFolder(
  folder: string,
  options: Omit<WatchOptions, 'log' | 'alarmFolder'>,
): Promise<WatchFolder> {
  mkdirSync(folder, { recursive: true });
  const log = new FolderLog(join(folder, 'log'));
  const path = join(folder, 'checkpoint.json');
  const positionPath = join(folder, 'position.json');
  const watcher = new Watcher({ ...options, log, alarmFolder: join(folder, 'alarms') });
  await watcher.open(existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Checkpoint) : null);
  return {
    watcher,
    lines: watcher.line,
    position: existsSync(positionPath) ? (JSON.parse(readFileSync(positionPath, 'utf8')) as Position) : null,
    save: async (at = null) => {
      await log.sync();
      replaceFile(path, await watcher.checkpoint());
      if (at !== null) replaceFile(positionPath, { lines: watcher.line, at } satisfies Position);
    },
    close: () => log.close(),
  };
}

/** Whoever is killed here leaves the one before. */
export function replaceFile(path: string, content: object): void {
  writeFileSync(`${path}.new`, JSON.stringify(content));
  renameSync(`${path}.new`, path);
}
