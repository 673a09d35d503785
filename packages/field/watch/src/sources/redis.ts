import type { FollowOptions } from './file.ts';
import { connectRedis } from '@isolab/collector/queue';
import { setTimeout as sleep } from 'node:timers/promises';
import { WatchError } from '../stream/errors.ts';
import { type Redis, RedisReader } from './redis-reader.ts';
import type { Chunk, Source } from './source.ts';

export interface RedisOptions extends Pick<FollowOptions, 'isFollowed' | 'from'> {
  readonly url: string;
  readonly key: string;
}

/** Reads a Redis stream whose entries each have a field `line`. */
export function redisSource({ url, key, isFollowed, from }: RedisOptions): Source {
  async function* chunks(signal: AbortSignal, isWanted: () => boolean = () => true): AsyncGenerator<Chunk> {
    const redis = await connectRedis(url);
    signal.addEventListener('abort', () => redis.disconnect());
    try {
      await insistOnStream(redis, key);
      const reader = new RedisReader(redis);
      reader.add(key, from);
      let lookedAt = Date.now();
      while (!signal.aborted) {
        const isLast = !isFollowed() || !isWanted(); // checked before the read, so that all entries added until then are read
        const found = await reader.read();
        for (const chunk of found) {
          yield chunk;
          if (chunk.problem !== null) throw chunk.problem;
        }
        if (found.length > 0) continue;
        if (isLast) return;
        if (Date.now() > lookedAt + LOOK_MS) {
          for (const { problem } of await reader.gone()) throw problem;
          lookedAt = Date.now();
        }
        await sleep(POLL_MS, null, { signal }).catch(() => null);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      redis.disconnect();
    }
  }
  return { name: key, hasEnd: true, chunks };
}

async function insistOnStream(redis: Redis, key: string): Promise<void> {
  const type = await redis.type(key);
  if (type !== 'stream' && type !== 'none')
    throw new WatchError(`${key} is a ${type} in Redis; expected a stream, as XADD ${key} * line '{…}' makes one.`);
}

const POLL_MS = 20;
const LOOK_MS = 1000;
