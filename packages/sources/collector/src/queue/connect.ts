/** Loads the client of Redis, an optional package, and finds out whether it is installed. */
import type { ConnectionOptions } from 'bullmq';
import type { Redis } from 'ioredis';

/** Error of a Redis that is absent or unexpected. The message states the remedy. */
class RedisError extends Error {
  override readonly name = 'RedisError';
}

export interface Connection {
  readonly bullmq: typeof import('bullmq');
  readonly redis: Redis;
  /** Options with which the parts of a queue open connections, and close them. */
  readonly connection: ConnectionOptions;
}

/** Commands wait for a connection that was lost, as long as it takes. */
const PATIENT = { maxRetriesPerRequest: null, retryStrategy: (times: number) => Math.min(200 * times, 5000) };

export async function connect(url: string, signal?: AbortSignal): Promise<Connection> {
  const bullmq = await loaded('A queue needs', () => import('bullmq'));
  return { bullmq, redis: await connectRedis(url, signal), connection: { url, ...PATIENT } };
}

/** Connects for commands alone. The signal ends the attempt. */
export async function connectRedis(url: string, signal?: AbortSignal): Promise<Redis> {
  if (!/^rediss?:\/\/./.test(url))
    throw new RedisError(`--queue is ${url}, expected the address of a Redis server, such as redis://localhost:6379.`);
  const { Redis } = await loaded('Redis needs', () => import('ioredis'));
  await probe(() => new Redis(url, { lazyConnect: true, retryStrategy: () => null }), url, signal);
  const redis = new Redis(url, PATIENT);
  redis.on('error', () => {}); // it reconnects by itself; lost requests are sent again
  return redis;
}

async function loaded<T>(what: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new RedisError(`${what} packages that are not installed: npm install bullmq ioredis`);
  }
}

/** Makes one attempt, so that a wrong address is an answer and not a wait. */
async function probe(open: () => Redis, url: string, signal?: AbortSignal): Promise<void> {
  const redis = open();
  let cause: Error | null = null;
  const cut = (): void => redis.disconnect();
  const deadline = setTimeout(() => {
    cause = new Error(`no answer in ${ANSWER_MS / 1000} s`);
    cut();
  }, ANSWER_MS);
  signal?.addEventListener('abort', cut);
  redis.on('error', (error: Error) => (cause = error));
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    const { message } = cause ?? (error as Error);
    throw new RedisError(`There is no Redis server at ${withoutPassword(url)}: ${message || 'no answer'}.`);
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener('abort', cut);
    redis.disconnect();
  }
}

/** Time for a server's first answer. */
const ANSWER_MS = 10_000;

export function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//…@');
}
