import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  type FolderOptions,
  type Position,
  type WatchFolder,
  watchFolder,
  writeJson,
  readJson,
} from '../watcher/folder.ts';
import { WatchError } from '../stream/errors.ts';
import type { Alarm, WatchStatus } from '../watcher/status.ts';

/** The storage of streams: their logs, alarms and checkpoints. */
export interface Keep {
  /** Returns the position from which to continue the source of a stream. */
  position(stream: string): Position | null;
  /** Returns the status of a stream that was watched before; null for a new stream. */
  known(stream: string): WatchStatus | null;
  streams(): string[];
  /** `isReadAgain`: the source sends the part of the stream again that was received before. */
  open(stream: string, onAlarm: (alarm: Alarm) => void, isReadAgain: boolean): Promise<WatchFolder>;
}

export type StreamOptions = Omit<FolderOptions, 'name' | 'onAlarm' | 'isReadAgain'>;

export function keepInFolder(folder: string, options: StreamOptions): Keep {
  const folderOf = (stream: string): string => join(folder, 'streams', fileName(stream));
  const json = <T>(stream: string, file: string): T | null => readJson<T>(join(folderOf(stream), file));
  return {
    position: (stream) => json<Position>(stream, 'position.json'),
    known: (stream) => json<WatchStatus>(stream, 'status.json'),
    streams: () => {
      const all = join(folder, 'streams');
      return existsSync(all) ? readdirSync(all).flatMap((name) => streamIn(join(all, name)) ?? []) : [];
    },
    open: async (stream, onAlarm, isReadAgain) => {
      const { name } = json<WatchStatus>(stream, 'status.json') ?? { name: stream };
      if (name !== stream)
        throw new WatchError(`${folderOf(stream)} is the folder of ${name}; rename one of the two streams.`);
      const opened = await watchFolder(folderOf(stream), { ...options, name: stream, onAlarm, isReadAgain });
      const note = (): void => writeJson(join(folderOf(stream), 'status.json'), keptStatus(opened));
      note();
      return {
        ...opened,
        save: async (at) => {
          await opened.save(at);
          note();
        },
      };
    },
  };
}

/**
 * Finds the name of the stream in a folder: from its status or, if the status was lost, from the folder's name; null
 * for a folder without lines.
 */
function streamIn(folder: string): string | null {
  const status = readJson<WatchStatus>(join(folder, 'status.json'));
  if (status !== null) return status.name;
  const log = join(folder, 'log');
  const hasLines = existsSync(log) && readdirSync(log).some((name) => statSync(join(log, name)).size > 0);
  if (!hasLines) return null;
  const name = basename(folder);
  if (name === EMPTY) return '';
  try {
    if (!SHORTENED.test(name)) return decodeURIComponent(name);
  } catch {
    // The folder name is not an encoded stream name.
  }
  throw new WatchError(
    `${folder} holds lines of a stream, but no status.json with its name; move the folder away, and send the stream again.`,
  );
}

/** Folder of the stream with an empty name. */
const EMPTY = '%empty';
/** Folder of a stream with a long name: the beginning of the name and a hash. */
const SHORTENED = /^.{150}-[0-9a-f]{32}$/;

/** Returns the status that is valid after a restart: more lines may arrive unless the stream was marked as complete. */
export function keptStatus({ watcher }: WatchFolder): WatchStatus {
  const status = watcher.status();
  return { ...status, isEnded: status.isEnded && watcher.isComplete };
}

/**
 * Returns a distinct, valid file name for each stream name; on case-insensitive file systems, names that differ only in
 * case collide.
 */
export function fileName(stream: string): string {
  if (stream === '') return EMPTY;
  const name = encodeURIComponent(stream).replaceAll(/[.*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  if (name.length <= 200) return name;
  return `${name.slice(0, 150)}-${createHash('sha256').update(stream).digest('hex').slice(0, 32)}`;
}
