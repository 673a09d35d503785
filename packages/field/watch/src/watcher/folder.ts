import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './kept-lines.ts';
import { FolderLog, type Keep } from './log.ts';
import { readCheckpoint } from './checkpoint.ts';
import { WatchError, atFile, makeFolder } from '../stream/errors.ts';
import type { SavedNumbers } from './numbers.ts';
import type { WatchOptions } from './watch-options.ts';
import { Watcher } from './watcher.ts';

/** A watcher that keeps its log, its alarms and a checkpoint in a folder, and continues where one was before. */
export interface WatchFolder {
  readonly watcher: Watcher;
  /** Lines that were taken before. */
  readonly lines: number;
  /** Where the source is to continue, and how many lines were taken up to there; null if it is to start over. */
  readonly position: Position | null;
  /**
   * Writes a checkpoint; only to be asked for when all received lines are judged. The source continues at `at` if it is
   * given. Does nothing while the source still has to show that it is the one of the last checkpoint.
   */
  save(at?: string | null): Promise<void>;
  /** Notes where the source begins, before anything was taken from it. */
  beginAt(at: string): void;
  /** Makes taken lines outlive this process, and a power failure. */
  sync(): Promise<void>;
  close(): void;
}

export interface FolderOptions extends Omit<WatchOptions, 'log' | 'alarmFolder'> {
  /** Whether the source has taken lines once more, from its beginning or the latest position; it has not if absent. */
  readonly isReadAgain?: boolean;
  /** Kept part of the log; all if absent. */
  readonly keep?: Keep | null;
  /** Size at which a segment is followed by another. */
  readonly segmentBytes?: number;
  readonly onNote?: (note: string) => void;
}

/** A place in a source, the number of lines taken up to it, and the latest numbers of sessions there. */
export interface Position {
  readonly lines: number;
  readonly at: string;
  /** Absent from files of earlier versions. */
  readonly numbers?: SavedNumbers;
}

export async function watchFolder(folder: string, options: FolderOptions): Promise<WatchFolder> {
  makeFolder(folder);
  const { keep = null, segmentBytes, onNote = () => {}, isReadAgain = false, ...rest } = options;
  const log = new FolderLog(join(folder, 'log'), segmentBytes);
  const path = join(folder, 'checkpoint.json');
  const positionPath = join(folder, 'position.json');
  const watcher = new Watcher({ ...rest, log, alarmFolder: join(folder, 'alarms') });
  const { checkpoint, problem } = existsSync(path)
    ? readCheckpoint(readFileSync(path, 'utf8'), path)
    : { checkpoint: null, problem: null };
  if (problem !== null) {
    if (!log.isWhole)
      throw new WatchError(`${path} ${problem}, and the beginning of the log was deleted; watch in another folder.`);
    onNote(`${path} ${problem}; going on from the log.`);
  }
  const position = positionAt(positionPath, log.last);
  await watcher.open(checkpoint, isReadAgain ? (position ?? { lines: 0 }) : null);
  return {
    watcher,
    lines: watcher.line,
    position,
    sync: () => log.sync(),
    save: async (at = null) => {
      await log.sync();
      if (watcher.isBehind) return;
      const content = await watcher.checkpoint();
      writeJson(path, content, keep !== null); // without the log there is nothing else to continue from
      if (at !== null)
        writeJson(positionPath, { lines: watcher.line, at, numbers: content.numbers } satisfies Position);
      if (keep !== null) log.trim(keep, watcher.needed, Date.now());
    },
    beginAt: (at) => writeJson(positionPath, { lines: 0, at } satisfies Position),
    close: () => log.close(),
  };
}

/** Null where there is no position, or it is damaged, or of another log: then the source starts over. */
function positionAt(path: string, last: number): Position | null {
  const position = readJson<Position>(path);
  return position !== null && position.lines <= last ? position : null;
}

/** Content of a file; null where there is none, or it is damaged. */
export function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return null;
  }
}

/** A process that is killed here leaves the file before. */
export const writeJson = (path: string, content: object, isSynced = false): void =>
  atFile(path, () => replaceFile(path, Buffer.from(JSON.stringify(content)), isSynced));
