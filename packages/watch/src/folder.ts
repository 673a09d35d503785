import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './kept-lines.ts';
import { FolderLog, type Keep } from './log.ts';
import type { Checkpoint } from './checkpoint.ts';
import { WatchError, atFile } from './errors.ts';
import type { WatchOptions } from './watch-options.ts';
import { Watcher } from './watcher.ts';

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

export interface FolderOptions extends Omit<WatchOptions, 'log' | 'alarmFolder'> {
  /** How much of the log is kept; all if it is absent. */
  readonly keep?: Keep | null;
  /** How large a segment grows before another is begun. */
  readonly segmentBytes?: number;
  readonly onNote?: (note: string) => void;
}

/** A place in a source. */
export interface Position {
  readonly lines: number;
  readonly at: string;
}

export async function watchFolder(folder: string, options: FolderOptions): Promise<WatchFolder> {
  mkdirSync(folder, { recursive: true });
  const { keep = null, segmentBytes, onNote = () => {}, ...rest } = options;
  const log = new FolderLog(join(folder, 'log'), segmentBytes);
  const path = join(folder, 'checkpoint.json');
  const positionPath = join(folder, 'position.json');
  const watcher = new Watcher({ ...rest, log, alarmFolder: join(folder, 'alarms') });
  const { checkpoint, problem } = readCheckpoint(path);
  if (problem !== null) {
    if (!log.isWhole)
      throw new WatchError(`${path} ${problem}, and the beginning of the log was deleted; watch in another folder.`);
    onNote(`${path} ${problem}; going on from the log.`);
  }
  await watcher.open(checkpoint);
  return {
    watcher,
    lines: watcher.line,
    position: existsSync(positionPath) ? (JSON.parse(readFileSync(positionPath, 'utf8')) as Position) : null,
    save: async (at = null) => {
      await log.sync();
      const content = await watcher.checkpoint();
      writeJson(path, content, keep !== null); // without the log there is nothing else to go on from
      if (at !== null) writeJson(positionPath, { lines: watcher.line, at } satisfies Position);
      if (keep !== null) log.trim(keep, watcher.needed, Date.now());
    },
    close: () => log.close(),
  };
}

/** Null where there is none, or what is there cannot be read. */
function readCheckpoint(path: string): { readonly checkpoint: Checkpoint | null; readonly problem: string | null } {
  if (!existsSync(path)) return { checkpoint: null, problem: null };
  try {
    const checkpoint = JSON.parse(readFileSync(path, 'utf8')) as Checkpoint;
    if (checkpoint.version === CHECKPOINT_VERSION) return { checkpoint, problem: null };
    return { checkpoint: null, problem: `is of version ${checkpoint.version}, expected ${CHECKPOINT_VERSION}` };
  } catch {
    return { checkpoint: null, problem: 'is damaged' };
  }
}

/** Whoever is killed here leaves the one before. */
export const writeJson = (path: string, content: object, isSynced = false): void =>
  atFile(path, () => replaceFile(path, Buffer.from(JSON.stringify(content)), isSynced));

const CHECKPOINT_VERSION: Checkpoint['version'] = 2;
