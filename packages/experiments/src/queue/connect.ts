/** Loads what talks to Redis, which only those need to install who use several machines, and finds out whether it is there. */
import type { ConnectionOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { codeVersion } from '../code-version.ts';
import { BenchError } from '../errors.ts';

export interface Connection {
  readonly bullmq: typeof import('bullmq');
  readonly redis: Redis;
  /** From which the parts of a queue open connections, and close them. */
  readonly connection: ConnectionOptions;
}

export async function connect(url: string): Promise<Connection> {
  if (!/^rediss?:\/\/./.test(url))
    throw new BenchError(`--queue is the address of a Redis, such as redis://localhost:6379, not ${url}.`);
  const [bullmq, { Redis }] = await Promise.all([loaded(() => import('bullmq')), loaded(() => import('ioredis'))]);
  await probe(() => new Redis(url, { lazyConnect: true, retryStrategy: () => null }), url);
  // Commands wait for a connection that was lost, as long as it takes.
  const patient = { maxRetriesPerRequest: null, retryStrategy: (times: number) => Math.min(200 * times, 5000) };
  const redis = new Redis(url, patient);
  redis.on('error', () => {}); // it tries again by itself; what is lost meanwhile is asked for
  return { bullmq, redis, connection: { url, ...patient } };
}

async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new BenchError('A queue needs packages that are not installed: npm install bullmq ioredis');
  }
}

/** One attempt, so that a wrong address is an answer and not a wait. */
async function probe(open: () => Redis, url: string): Promise<void> {
  const redis = open();
  let cause: Error | null = null;
  redis.on('error', (error: Error) => (cause = error));
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    const { message } = cause ?? (error as Error);
    throw new BenchError(`There is no Redis at ${withoutPassword(url)}: ${message || 'no answer'}.`);
  } finally {
    redis.disconnect();
  }
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//…@');
}

/** What both sides of a queue must have the same of: all code that finds, reads, makes and runs. */
export const programVersion = (): string => codeVersion(import.meta.url);
