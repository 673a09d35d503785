import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './kept-lines.ts';
import { FolderLog, type Keep } from './log.ts';
import { readCheckpoint } from './checkpoint.ts';
import { WatchError, atFile, makeFolder } from '../stream/errors.ts';
import type { SavedNumbers } from './numbers.ts';
import type { WatchOptions } from './watch-options.ts';
import { Watcher } from './watcher.ts';

/** A watcher that keeps its log, its alarms and a checkpoint in a folder, and continues from an earlier checkpoint. */
export interface WatchFolder {
  readonly watcher: Watcher;
  /** Number of lines that were taken before. */
  readonly lines: number;
  /**
   * The position from which the source continues, and the number of lines before it; null if the source starts over.
   */
  readonly position: Position | null;
  /**
   * Writes a checkpoint; call only when all received lines are judged. The source continues at `at` if it is given.
   * Does nothing until the source has shown that it is the source of the last checkpoint.
   */
  save(at?: string | null): Promise<void>;
  /** Notes the source's first position, before anything was read from it. */
  beginAt(at: string): void;
  /** Makes the received lines survive the end of this process and a power failure. */
  sync(): Promise<void>;
  close(): void;
}

export interface FolderOptions extends Omit<WatchOptions, 'log' | 'alarmFolder'> {
  /** Whether the source sends lines again, from its beginning or from the latest position; false by default. */
  readonly isReadAgain?: boolean;
  /** The part of the log to keep; everything by default. */
  readonly keep?: Keep | null;
  /** The size after which a new segment begins. */
  readonly segmentBytes?: number;
  readonly onNote?: (note: string) => void;
}

/** A position in a source, the number of lines taken before it, and the latest numbers of sessions there. */
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
    onNote(`${path} ${problem}; continuing from the log.`);
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
      writeJson(path, content, keep !== null); // without the log, nothing else can be continued from
      if (at !== null)
        writeJson(positionPath, { lines: watcher.line, at, numbers: content.numbers } satisfies Position);
      if (keep !== null) log.trim(keep, watcher.needed, Date.now());
    },
    beginAt: (at) => writeJson(positionPath, { lines: 0, at } satisfies Position),
    close: () => log.close(),
  };
}

/** Null if the position is missing, damaged, or from another log: the source then starts over. */
function positionAt(path: string, last: number): Position | null {
  const position = readJson<Position>(path);
  return position !== null && position.lines <= last ? position : null;
}

/** Reads a JSON file; null if the file is missing or damaged. */
export function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return null;
  }
}

/** A process killed during the write leaves the previous file. */
export const writeJson = (path: string, content: object, isSynced = false): void =>
  atFile(path, () => replaceFile(path, Buffer.from(JSON.stringify(content)), isSynced));
