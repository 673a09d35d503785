/** One producer at a time has a queue: another one would clear it away. The hold of one that died ends by itself. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import type { Redis } from 'ioredis';
import { BenchError } from '../errors.ts';
import { PREFIX, type Timings } from './settings.ts';

export interface Hold {
  renew(): Promise<void>;
  release(): Promise<void>;
}

const KEY = `${PREFIX}:producer`;
const RENEW = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0`;
const RELEASE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

export async function holdQueue(redis: Redis, { holdMs }: Timings): Promise<Hold> {
  const own = `${hostname()}, process ${process.pid} (${randomUUID()})`;
  const take = async (): Promise<boolean> => (await redis.set(KEY, own, 'PX', holdMs, 'NX')) === 'OK';
  if (!(await take())) {
    const [other = 'another process'] = ((await redis.get(KEY)) ?? '').split(' (');
    const seconds = Math.ceil((await redis.pttl(KEY)) / 1000);
    throw new BenchError(
      `The queue is in use by ${other}. If that one has died, it is free in ${seconds} s; for two at once, take databases of their own: redis://HOST/1, redis://HOST/2.`,
    );
  }
  return {
    renew: async () => {
      if ((await redis.eval(RENEW, 1, KEY, own, holdMs)) === 1 || (await take())) return;
      throw new BenchError('Another isolab bench has taken the queue over; what was measured until then is kept.');
    },
    release: async () => void (await redis.eval(RELEASE, 1, KEY, own)),
  };
}
