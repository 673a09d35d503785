import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type FolderOptions, type Position, type WatchFolder, watchFolder, writeJson } from '../folder.ts';
import { WatchError } from '../errors.ts';
import type { Alarm, WatchStatus } from '../status.ts';

/** Where streams are kept: their logs, alarms and checkpoints. */
export interface Keep {
  /** Where the source of a stream is to go on. */
  position(stream: string): Position | null;
  /** What is known of a stream that was watched before; null if it was not. */
  known(stream: string): WatchStatus | null;
  /** All that were watched before. */
  streams(): string[];
  /** `isReadAgain`: the source has once more what was taken of the stream before. */
  open(stream: string, onAlarm: (alarm: Alarm) => void, isReadAgain: boolean): Promise<WatchFolder>;
}

export type StreamOptions = Omit<FolderOptions, 'name' | 'onAlarm' | 'isReadAgain'>;

/** Keeps each stream in a folder of its own. */
export function keepInFolder(folder: string, options: StreamOptions): Keep {
  const folderOf = (stream: string): string => join(folder, 'streams', fileName(stream));
  const json = <T>(stream: string, file: string): T | null => jsonAt<T>(join(folderOf(stream), file));
  return {
    position: (stream) => json<Position>(stream, 'position.json'),
    known: (stream) => json<WatchStatus>(stream, 'status.json'),
    streams: () => {
      const all = join(folder, 'streams');
      const paths = existsSync(all) ? readdirSync(all).map((name) => join(all, name, 'status.json')) : [];
      return paths.map((path) => jsonAt<WatchStatus>(path)).flatMap((status) => status?.name ?? []);
    },
    open: async (stream, onAlarm, isReadAgain) => {
      const { name } = json<WatchStatus>(stream, 'status.json') ?? { name: stream };
      if (name !== stream)
        throw new WatchError(`${folderOf(stream)} is the folder of ${name}; call one of them otherwise.`);
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

/** Null where there is none, or it is damaged: its stream is known again once something of it comes. */
function jsonAt<T>(path: string): T | null {
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return null;
  }
}

/** A status that counts after a restart: then more may come, unless the stream has said that it is complete. */
export function keptStatus({ watcher }: WatchFolder): WatchStatus {
  const status = watcher.status();
  return { ...status, isEnded: status.isEnded && watcher.isComplete };
}

/** A name of a file that is different for each stream, whatever that is called; where case does not count, but for that. */
export function fileName(stream: string): string {
  if (stream === '') return '%empty';
  const name = encodeURIComponent(stream).replaceAll(/[.*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  if (name.length <= 200) return name;
  return `${name.slice(0, 150)}-${createHash('sha256').update(stream).digest('hex').slice(0, 32)}`;
}
