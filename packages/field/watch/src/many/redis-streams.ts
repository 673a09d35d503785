import { connectRedis } from '@isolab/collector/queue';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Redis, RedisReader } from '../sources/redis-reader.ts';
import { type Asked, type ManySource, type StreamPart, emptyPart } from './parts.ts';

export interface RedisStreamsOptions {
  readonly url: string;
  /** A pattern as in the KEYS command: `tenant:*`. */
  readonly pattern: string;
  readonly isFollowed: boolean;
}

/** Reads the Redis streams whose keys match a pattern; streams that are created later are added then. */
export function redisStreams({ url, pattern, isFollowed }: RedisStreamsOptions): ManySource {
  async function* parts(signal: AbortSignal, asked: Asked): AsyncGenerator<StreamPart> {
    const redis = await connectRedis(url);
    signal.addEventListener('abort', () => redis.disconnect());
    const reader = new RedisReader(redis);
    const known = new Set<string>();
    const look = async (): Promise<void> => {
      for (const key of await streamsOf(redis, pattern)) {
        if (!known.has(key)) reader.add(key, asked.placeOf(key));
        known.add(key);
      }
    };
    try {
      yield* partsOf(reader, { asked, signal, look, isFollowed });
      if (!signal.aborted) for (const key of known) yield over(reader, key, null);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      redis.disconnect();
    }
  }
  return { name: pattern, beginsAnew: true, parts };
}

export interface Reading {
  readonly asked: Pick<Asked, 'isOver'>;
  readonly signal: AbortSignal;
  readonly look: () => Promise<void>;
  readonly isFollowed: boolean;
  readonly leaseOf?: (stream: string) => string | null;
}

export async function* partsOf(
  reader: RedisReader,
  { asked, signal, look, isFollowed, leaseOf = () => null }: Reading,
): AsyncGenerator<StreamPart> {
  for (let lookedAt = -Infinity; !signal.aborted;) {
    if (Date.now() >= lookedAt + LOOK_MS) {
      await look();
      for (const { key, problem } of await reader.gone()) yield { ...over(reader, key, problem), lease: leaseOf(key) };
      lookedAt = Date.now();
    }
    const leases = new Map(reader.keys.map((key) => [key, leaseOf(key)]));
    const chunks = await reader.read();
    for (const { key, bytes, position, problem } of chunks) {
      const lease = leases.get(key) ?? null;
      yield { stream: key, bytes, position, problem: null, lease, isLast: false };
      if (problem !== null) yield { ...over(reader, key, problem), lease };
      else if (asked.isOver(key)) reader.remove(key);
    }
    if (chunks.length > 0) continue;
    if (!isFollowed) return;
    await sleep(POLL_MS, null, { signal }).catch(() => null);
  }
}

function over(reader: RedisReader, stream: string, problem: Error | null): StreamPart {
  reader.remove(stream);
  return emptyPart(stream, true, problem);
}

export async function streamsOf(redis: Redis, pattern: string): Promise<string[]> {
  const keys = new Set<string>();
  let cursor = '0';
  do {
    const [next, some] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1000, 'TYPE', 'stream');
    for (const key of some) keys.add(key);
    cursor = next;
  } while (cursor !== '0');
  return [...keys].toSorted();
}

const POLL_MS = 50;
const LOOK_MS = 2000;
