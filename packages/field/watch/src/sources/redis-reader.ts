import type { Connection } from '@isolab/collector/queue';
import { createHash } from 'node:crypto';
import { WatchError } from '../stream/errors.ts';
import type { Chunk } from './source.ts';

export type Redis = Connection['redis'];

/** The position in a stream: the last entry, and the number of entries up to it. */
interface Place {
  id: string;
  entries: number;
  /** Hash of that entry; empty if no entry was read or an earlier version saved the position. */
  hash: string;
  /** Whether the position was checked before the first read. */
  isKnown: boolean;
}

export interface StreamChunk extends Chunk {
  readonly key: string;
  readonly position: string;
  /** The reason why nothing after these lines can be read. */
  readonly problem: WatchError | null;
}

/** Reads several Redis streams with one command. Entries that were removed before they were read are a problem. */
export class RedisReader {
  readonly #redis: Redis;
  readonly #places = new Map<string, Place>();

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Starts reading another stream, after the position of an earlier chunk. */
  add(key: string, from: string | null): void {
    const [id = '0-0', entries = '0', hash = ''] = from?.split(' ') ?? [];
    this.#places.set(key, { id, entries: Number(entries), hash, isKnown: false });
  }

  remove(key: string): void {
    this.#places.delete(key);
  }

  get keys(): string[] {
    return [...this.#places.keys()];
  }

  /** Reads new entries, some of each stream; the first chunk of a stream that continues from its position is empty. */
  async read(): Promise<StreamChunk[]> {
    const { keys } = this;
    const chunks: StreamChunk[] = [];
    try {
      for (let at = 0; at < keys.length; at += AT_ONCE)
        chunks.push(...(await this.#readSome(keys.slice(at, at + AT_ONCE))));
    } catch (error) {
      throw asWatchError(error);
    }
    return chunks;
  }

  async #readSome(keys: readonly string[]): Promise<StreamChunk[]> {
    const places = new Map(keys.map((key) => [key, this.#places.get(key)!]));
    const unknown = [...places].filter(([, { isKnown }]) => !isKnown);
    const looked = await Promise.all(unknown.map(([key, place]) => this.#lookFirst(key, place)));
    const wrong = looked.findIndex((problem) => problem !== null);
    if (wrong >= 0) return [{ key: unknown[wrong]![0], bytes: NOTHING, position: '', problem: looked[wrong]! }];
    const known = unknown.filter(([, { isKnown }]) => isKnown);
    const first = known.map(([key, place]) => ({ key, bytes: NOTHING, position: positionOf(place), problem: null }));
    const ids = keys.map((key) => places.get(key)!.id);
    const answer = await this.#redis.xread('COUNT', MOST_ENTRIES, 'STREAMS', ...keys, ...ids);
    // Entries of streams that were removed in the meantime are no longer wanted.
    const wanted = (answer ?? []).filter(([key]) => this.#places.get(key) === places.get(key));
    return [...first, ...(await Promise.all(wanted.map(([key, some]) => this.#take(key, places.get(key)!, some))))];
  }

  /** Checks that the stream exists and is the stream that was read up to the position. */
  async #lookFirst(key: string, place: Place): Promise<WatchError | null> {
    if ((await this.#redis.exists(key)) === 0) return place.entries > 0 ? isGone(key) : null;
    place.isKnown = true;
    if (place.entries === 0) return this.#lossOf(key, place);
    const [entry] = await this.#redis.xrange(key, place.id, place.id);
    if (entry !== undefined && place.hash !== '' && hashOf(entry) !== place.hash) return isAnother(key);
    const before = entry === undefined ? await this.#redis.xrange(key, '-', place.id, 'COUNT', 1) : [entry];
    return this.#lossOf(key, place, before.length > 0);
  }

  async #take(key: string, place: Place, entries: readonly Entry[]): Promise<StreamChunk> {
    const { bytes, problem, read } = linesOfEntries(key, entries);
    if (read > 0) [place.id, place.hash] = [entries[read - 1]![0], hashOf(entries[read - 1]!)];
    place.entries += read;
    const position = positionOf(place);
    const loss = await this.#lossOf(key, place);
    if (loss !== null) return { key, bytes: NOTHING, position, problem: loss };
    return { key, bytes, position, problem };
  }

  /**
   * From version 7 on, Redis counts all entries that were ever added. Missing entries must have been read before they
   * were removed, and at the end of the stream all entries must have been read. A stream that never had as many entries
   * as were read is a different stream.
   */
  async #lossOf(key: string, { id, entries }: Place, isReadThere = true): Promise<WatchError | null> {
    let told: unknown[];
    try {
      told = (await this.#redis.xinfo('STREAM', key)) as unknown[];
    } catch (error) {
      return asWatchError(error);
    }
    const valueOf = (name: string): unknown => told[told.indexOf(name) + 1];
    const [added, length] = [valueOf('entries-added'), valueOf('length')];
    if (typeof added !== 'number' || typeof length !== 'number')
      return new WatchError(
        `This Redis does not count all entries that ${key} ever had, so unread entries may have been removed; expected Redis 7 or newer.`,
      );
    if (added < entries || (!isReadThere && added - length < entries)) return isAnother(key);
    const lost = Math.max(added - length - entries, valueOf('last-generated-id') === id ? added - entries : 0);
    if (lost <= 0) return null;
    return new WatchError(
      `Entries of the stream ${key} (${lost}) were removed before they were read, so their lines are missing; trim only entries that were read.`,
    );
  }

  /** Finds streams that have been read in part or in full, and no longer exist. */
  async gone(): Promise<{ readonly key: string; readonly problem: WatchError }[]> {
    const keys = [...this.#places].filter(([, { entries }]) => entries > 0).map(([key]) => key);
    const pipeline = this.#redis.pipeline();
    for (const key of keys) pipeline.exists(key);
    const answers = (await pipeline.exec()) ?? [];
    return keys.filter((_, i) => answers[i]?.[1] === 0).map((key) => ({ key, problem: isGone(key) }));
  }
}

const isGone = (key: string): WatchError =>
  new WatchError(`The stream ${key} is gone; the entries read before were watched.`);

const isAnother = (key: string): WatchError =>
  new WatchError(`The stream ${key} is not the stream that was watched before; watch it in another folder.`);

const positionOf = ({ id, entries, hash }: Place): string => `${id} ${entries} ${hash}`;

const hashOf = ([, fields]: Entry): string =>
  createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 16);

/** Converts an error from Redis, or a missing answer. */
function asWatchError(error: unknown): WatchError {
  return error instanceof WatchError ? error : new WatchError(`Redis answered: ${(error as Error).message}.`);
}

type Entry = readonly [id: string, fields: string[]];

/** Extracts the lines of entries, up to an entry without a line. */
export function linesOfEntries(
  key: string,
  entries: readonly Entry[],
): { readonly bytes: Buffer; readonly read: number; readonly problem: WatchError | null } {
  const lines: string[] = [];
  let problem: WatchError | null = null;
  let read = 0;
  for (const [id, fields] of entries) {
    const at = fields.findIndex((name, i) => i % 2 === 0 && name === 'line');
    if (at < 0) {
      problem = noLine(key, id, fields);
      break;
    }
    const text = fields[at + 1]!;
    lines.push(text.endsWith('\n') ? text : `${text}\n`);
    read++;
  }
  return { bytes: Buffer.from(lines.join('')), read, problem };
}

function noLine(key: string, id: string, fields: readonly string[]): WatchError {
  const names = fields.filter((_, i) => i % 2 === 0).join(', ');
  return new WatchError(
    `${key}, entry ${id}: found the fields ${names}, expected a field line, as XADD ${key} * line '{…}' adds.`,
  );
}

const NOTHING = new Uint8Array(0);
const AT_ONCE = 500;
const MOST_ENTRIES = 1000;
