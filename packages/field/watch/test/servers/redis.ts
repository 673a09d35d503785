/** Streams of a Redis that is protected by a password and keeps nothing on disk. */
import { connectRedis } from '@isolab/collector/queue';
import { startRedis } from '@isolab/collector/queue/test-redis';
import { redisSource } from '../../src/index.ts';
import type { StreamServer } from './server.ts';

export const REDIS: StreamServer = {
  need: 'redis',
  kind: 'stream',
  isKept: false,
  async start() {
    const { address, server } = await startRedis();
    const redis = await connectRedis(address);
    return {
      address: `${address}/orders`,
      sourceOf: (options) => redisSource({ ...options, url: address, key: 'orders' }),
      put: async (...lines) => {
        for (const line of lines) await redis.xadd('orders', '*', 'line', line);
      },
      create: async () => {},
      remove: async () => void (await redis.del('orders')),
      trim: async (count) => void (await redis.xtrim('orders', 'MAXLEN', (await redis.xlen('orders')) - count)),
      restart: null,
      close: async () => {
        redis.disconnect();
        server.kill();
      },
    };
  },
};
