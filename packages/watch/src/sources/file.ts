import { FormatError, explainSystemError } from '@isolab/formats';
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPlace, placeIn } from './file-place.ts';
import type { Chunk, Source } from './source.ts';

export interface FollowOptions {
  /** Whether more is waited for at the end of the file. */
  readonly isFollowed: () => boolean;
  readonly onNote: (note: string) => void;
  /** Where to go on; at the beginning if null. */
  readonly from: string | null;
  /** How long to wait between looks at most, where nothing comes; a twentieth of a second if absent. */
  readonly idleMs?: number;
}

/** A file that grows, and may be moved away while a new one takes its name. */
export function fileSource(path: string, { isFollowed, onNote, from, idleMs = POLL_MS }: FollowOptions): Source {
  async function* chunks(signal: AbortSignal): AsyncGenerator<Chunk> {
    let { file, at } =
      from === null ? { file: await opened(path, isFollowed(), signal, onNote), at: 0 } : goneOn(path, from, onNote);
    if (file < 0) return;
    let position = from; // behind the last whole line
    let missingSince = 0;
    let waitMs = POLL_MS;
    try {
      while (!signal.aborted) {
        const isLast = !isFollowed(); // asked before it reads: what was written until then is read
        const { size, ino } = fstatSync(file);
        if (size > at) {
          const room = Buffer.allocUnsafe(Math.min(size - at, CHUNK_BYTES));
          const count = readSync(file, room, 0, room.length, at);
          const lineEnd = at + room.lastIndexOf(LINE_FEED, count - 1) + 1;
          if (lineEnd > at) position = placeIn(file, lineEnd);
          at += count;
          waitMs = POLL_MS;
          yield { bytes: room.subarray(0, count), position };
          continue;
        }
        if (size < at)
          throw new Error(`${path} was cut to ${size} bytes after ${at} had been read; what follows is not known.`);
        const now = statSync(path, { throwIfNoEntry: false });
        if (now !== undefined && now.ino !== ino) {
          if (fstatSync(file).size > at) continue; // written just before it was moved away
          onNote(`${path} was moved away; going on with the new one.`);
          closeSync(file);
          [file, at, missingSince] = [openSync(path, 'r'), 0, 0];
          continue;
        }
        if (isLast) return;
        if (now !== undefined) missingSince = 0;
        else if ((missingSince ||= Date.now()) + PATIENCE_MS < Date.now())
          throw new Error(`${path} is gone, and no new one came within ${PATIENCE_MS / 1000} s.`);
        await sleep(waitMs); // not until the signal: thousands that wait for one signal take long
        waitMs = Math.min(2 * waitMs, idleMs);
      }
    } finally {
      closeSync(file);
    }
  }
  return { name: path, chunks };
}

function goneOn(path: string, from: string, onNote: (note: string) => void): { file: number; at: number } {
  const { file, offset, path: now } = findPlace(path, from);
  if (now !== path) onNote(`${path} was moved to ${now}; going on there.`);
  return { file, at: offset };
}

async function opened(
  path: string,
  mayWait: boolean,
  signal: AbortSignal,
  onNote: (note: string) => void,
): Promise<number> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      return openSync(path, 'r');
    } catch (error) {
      const problem = error as NodeJS.ErrnoException;
      if (!mayWait || problem.code !== 'ENOENT') throw new FormatError(path, null, explainSystemError(problem));
      if (isFirst) onNote(`${path} does not exist yet; waiting for it.`);
      await sleep(POLL_MS);
    }
  }
  return -1;
}

const LINE_FEED = 10;
const CHUNK_BYTES = 1 << 18;
const POLL_MS = 50;
const PATIENCE_MS = 10_000;
