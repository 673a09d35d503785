import { FormatError, explainSystemError } from '@isolab/formats';
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { WatchError } from '../stream/errors.ts';
import { type Found, WholeHash, findPlace } from './file-place.ts';
import type { Chunk, Source } from './source.ts';
import { LINE_FEED } from '../stream/whole-lines.ts';

export interface FollowOptions {
  /** Returns whether to wait for more data at the end of the file. */
  readonly isFollowed: () => boolean;
  readonly onNote: (note: string) => void;
  /** The position from which to continue; null for the beginning. */
  readonly from: string | null;
  /** Longest interval between checks of an idle file; 50 ms by default. */
  readonly idleMs?: number;
}

/** Reads a growing file, which may be moved away and replaced by a new file of the same name. */
export function fileSource(path: string, options: FollowOptions): Source {
  async function* chunks(signal: AbortSignal, isWanted: () => boolean = () => true): AsyncGenerator<Chunk> {
    const isFollowed = (): boolean => options.isFollowed() && isWanted();
    const found = await foundAt(path, { ...options, isFollowed }, signal);
    if (found === null) return;
    const reading = new Reading(path, found);
    try {
      yield { bytes: new Uint8Array(0), position: reading.position };
      yield* reading.chunks(signal, isFollowed, options);
    } finally {
      reading.close();
    }
  }
  return { name: path, hasEnd: true, chunks };
}

/** Reads a file, and then the new file of the same name. */
class Reading {
  position: string;
  readonly #path: string;
  #file: number;
  #at: number;
  #hash: WholeHash;

  constructor(path: string, { file, offset, hash }: Found) {
    this.#path = path;
    this.#file = file;
    this.#at = offset;
    this.#hash = hash;
    this.position = hash.place(file);
  }

  async *chunks(
    signal: AbortSignal,
    isFollowed: () => boolean,
    { onNote, idleMs = POLL_MS }: FollowOptions,
  ): AsyncGenerator<Chunk> {
    let missingSince = 0;
    let waitMs = POLL_MS;
    while (!signal.aborted) {
      const isLast = !isFollowed(); // checked before the read, so that all bytes written until then are read
      const bytes = this.#read();
      if (bytes !== null) {
        waitMs = POLL_MS;
        yield { bytes, position: this.position };
        continue;
      }
      const now = statSync(this.#path, { throwIfNoEntry: false });
      if (now !== undefined && now.ino !== fstatSync(this.#file).ino) {
        if (fstatSync(this.#file).size > this.#at) continue; // data written just before the file was moved
        onNote(`${this.#path} was moved away; continuing with the new file.`);
        this.#goOnWithNew();
        missingSince = 0;
        continue;
      }
      if (isLast) return;
      if (now !== undefined) missingSince = 0;
      else if ((missingSince ||= Date.now()) + PATIENCE_MS < Date.now())
        throw new WatchError(`${this.#path} is gone, and no new file appeared within ${PATIENCE_MS / 1000} s.`);
      await sleep(waitMs); // not until the signal: thousands of waits for one signal are slow
      waitMs = Math.min(2 * waitMs, idleMs);
    }
  }

  /** Null if there is no new data. */
  #read(): Uint8Array | null {
    const { size } = fstatSync(this.#file);
    const at = this.#at;
    if (size < at)
      throw new WatchError(
        `${this.#path} was cut to ${size} bytes after ${at} bytes had been read, so the rest is unknown; watch it in another folder.`,
      );
    if (size === at) return null;
    const room = Buffer.allocUnsafe(Math.min(size - at, CHUNK_BYTES));
    const bytes = room.subarray(0, readSync(this.#file, room, 0, room.length, at));
    this.#at += bytes.length;
    this.#hash.take(bytes);
    if (bytes.includes(LINE_FEED)) this.position = this.#hash.place(this.#file);
    return bytes;
  }

  #goOnWithNew(): void {
    closeSync(this.#file);
    this.#file = openSync(this.#path, 'r');
    this.#at = 0;
    this.#hash = new WholeHash();
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Null if the signal was aborted first. */
async function foundAt(
  path: string,
  { isFollowed, onNote, from }: FollowOptions,
  signal: AbortSignal,
): Promise<Found | null> {
  if (from !== null) {
    const found = await findPlace(path, from, signal);
    if (found !== null && found.path !== path) onNote(`${path} was moved to ${found.path}; continuing there.`);
    return found;
  }
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      return { file: openSync(path, 'r'), offset: 0, path, hash: new WholeHash() };
    } catch (error) {
      const problem = error as NodeJS.ErrnoException;
      if (!isFollowed() || problem.code !== 'ENOENT') throw new FormatError(path, null, explainSystemError(problem));
      if (isFirst) onNote(`${path} does not exist yet; waiting for it.`);
      await sleep(POLL_MS);
    }
  }
  return null;
}

const CHUNK_BYTES = 1 << 18;
const POLL_MS = 50;
const PATIENCE_MS = 10_000;
