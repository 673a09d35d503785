import { connectRedis } from '@isolab/queue';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Redis, RedisReader } from '../sources/redis-reader.ts';
import { type Asked, type ManySource, NOTHING, type Part } from './parts.ts';

export interface RedisStreamsOptions {
  readonly url: string;
  /** As of KEYS: `tenant:*`. */
  readonly pattern: string;
  readonly isFollowed: boolean;
}

/** The streams of Redis whose keys match a pattern; those that come later are taken up then. */
export function redisStreams({ url, pattern, isFollowed }: RedisStreamsOptions): ManySource {
  async function* parts(signal: AbortSignal, asked: Asked): AsyncGenerator<Part> {
    const redis = await connectRedis(url);
    signal.addEventListener('abort', () => redis.disconnect());
    try {
      yield* partsOf(redis, signal, asked);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      redis.disconnect();
    }
  }

  async function* partsOf(redis: Redis, signal: AbortSignal, asked: Asked): AsyncGenerator<Part> {
    const reader = new RedisReader(redis);
    const known = new Set<string>();
    for (let lookedAt = -Infinity; !signal.aborted;) {
      if (Date.now() >= lookedAt + LOOK_MS) {
        for (const key of await streamsOf(redis, pattern)) {
          if (!known.has(key)) reader.add(key, asked.placeOf(key));
          known.add(key);
        }
        for (const { key, problem } of await reader.gone()) yield over(reader, key, problem);
        lookedAt = Date.now();
      }
      const chunks = await reader.read();
      for (const { key, bytes, position, problem } of chunks) {
        yield { stream: key, bytes, position, problem: null, isLast: false };
        if (problem !== null) yield over(reader, key, problem);
        else if (asked.isOver(key)) reader.remove(key);
      }
      if (chunks.length > 0) continue;
      if (!isFollowed) {
        for (const key of known) yield over(reader, key, null);
        return;
      }
      await sleep(POLL_MS, null, { signal }).catch(() => null);
    }
  }
  return { name: pattern, beginsAnew: true, parts };
}

function over(reader: RedisReader, stream: string, problem: Error | null): Part {
  reader.remove(stream);
  return { stream, bytes: NOTHING, position: null, problem, isLast: true };
}

/** The keys of streams that match. */
async function streamsOf(redis: Redis, pattern: string): Promise<string[]> {
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
