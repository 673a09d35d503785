import type { Job, Queue, Worker } from 'bullmq';
import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import type { Redis } from 'ioredis';
import { connect } from './connect.ts';
import { Keeper } from './keeper.ts';
import { type LockTimings, PREFIX } from './settings.ts';

/** Proof that a task belongs to this worker, until the task is released, completed or lost. */
export interface Lease {
  readonly name: string;
  /** Lock of the task. Writes for the task check that {@link lockKey} still holds this token. */
  readonly lockKey: string;
  readonly token: string;
}

interface Held extends Lease {
  readonly job: Job<Work>;
}

interface Work {
  readonly name: string;
}

/**
 * Long or endless tasks, divided among the available workers. Each task has one worker at a time, and soon another
 * worker if that worker disappears.
 */
export class Leases {
  readonly redis: Redis;
  readonly worker = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  readonly #queue: Queue<Work>;
  readonly #worker: Worker<Work>;
  readonly #keeper: Keeper;
  readonly #held: Map<string, Held>;
  readonly #timings: LockTimings;

  /** `onLost` receives the name of a task that moved to another worker. */
  static async open(
    { url, name, timings }: { readonly url: string; readonly name: string; readonly timings: LockTimings },
    onLost: (name: string) => void,
  ): Promise<Leases> {
    const { bullmq, redis, connection } = await connect(url);
    const options = { connection, prefix: PREFIX };
    const queue = new bullmq.Queue<Work>(name, options);
    const worker = new bullmq.Worker<Work>(name, null, {
      ...options,
      lockDuration: timings.lockMs,
      stalledInterval: timings.stalledMs,
      maxStalledCount: 1e9, // a search of several weeks may lose many workers
    });
    queue.on('error', () => {}); // the connection is restored
    worker.on('error', () => {});
    await worker.startStalledCheckTimer();
    const held = new Map<string, Held>();
    const lost = ({ jobId, token }: { readonly jobId: string; readonly token: string }): void => {
      const lease = held.get(jobId);
      if (lease?.token !== token) return; // the job was taken again
      held.delete(jobId);
      onLost(lease.name);
    };
    const { lockMs, renewMs } = timings;
    const keeper = await Keeper.start({ url, queue: name, lockMs, renewMs }, lost);
    return new Leases({ redis, queue, worker, keeper, held, timings });
  }

  private constructor(parts: {
    readonly redis: Redis;
    readonly queue: Queue<Work>;
    readonly worker: Worker<Work>;
    readonly keeper: Keeper;
    readonly held: Map<string, Held>;
    readonly timings: LockTimings;
  }) {
    this.redis = parts.redis;
    this.#queue = parts.queue;
    this.#worker = parts.worker;
    this.#keeper = parts.keeper;
    this.#held = parts.held;
    this.#timings = parts.timings;
  }

  /** Number of tasks that this worker holds. */
  get held(): number {
    return this.#held.size;
  }

  /** Adds tasks. Existing tasks stay unchanged, including those that are completed or failed. */
  async add(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const areDone = await this.redis.smismember(this.key('done'), ...names);
    const news = names.filter((_, i) => areDone[i] !== 1);
    const jobs = news.map((name) => ({
      name: 'work',
      data: { name },
      opts: { jobId: jobIdOf(name), removeOnComplete: true },
    }));
    if (jobs.length > 0) await this.#queue.addBulk(jobs);
  }

  /** Returns the fair share of a worker: the number of open tasks per worker. */
  async share(): Promise<number> {
    const key = this.key('machines');
    const now = Date.now();
    await this.redis.zadd(key, now, this.worker);
    await this.redis.zremrangebyscore(key, 0, now - this.#timings.lockMs);
    const workers = await this.redis.zcard(key);
    const { active = 0, waiting = 0 } = await this.#queue.getJobCounts('active', 'waiting');
    return Math.ceil((active + waiting) / Math.max(1, workers));
  }

  /** Takes a free task, or returns null. */
  async take(): Promise<Lease | null> {
    const token = randomUUID();
    const job = await this.#worker.getNextJob(token, { block: false });
    if (job === undefined) return null;
    const name = nameIn(job);
    if (name === null) {
      const found = JSON.stringify(job.data)?.slice(0, LONGEST_TEXT);
      await job.moveToFailed(new Error(`it does not come from isolab: found ${found}`), token, false).catch(() => {});
      return this.take();
    }
    const lease: Held = { name, lockKey: this.key(`${job.id}:lock`), token, job };
    this.#held.set(job.id!, lease);
    this.#keeper.keep(job.id!, token);
    return lease;
  }

  async giveBack(name: string): Promise<void> {
    await this.#end(name, ({ job, token }) => job.moveToWait(token));
  }

  async done(name: string): Promise<void> {
    await this.redis.sadd(this.key('done'), name);
    await this.#end(name, ({ job, token }) => job.moveToCompleted(null, token, false));
  }

  async fail(name: string, why: string): Promise<void> {
    await this.#end(name, ({ job, token }) => job.moveToFailed(new Error(why), token, false));
  }

  /** Returns the tasks of all workers that failed and were not retried, with the reasons. */
  async failed(): Promise<{ readonly name: string; readonly why: string }[]> {
    const jobs = await this.#queue.getFailed();
    return jobs.map((job) => ({ name: nameIn(job) ?? `the job ${job.id}`, why: job.failedReason }));
  }

  async retryFailed(): Promise<void> {
    for (const job of await this.#queue.getFailed()) await job.retry().catch(() => {}); // another worker retries it
  }

  async isOurs(name: string): Promise<boolean> {
    const held = this.#held.get(jobIdOf(name));
    return held !== undefined && (await this.redis.get(held.lockKey)) === held.token;
  }

  /** Returns a Redis key beside those of the queue. */
  key(word: string): string {
    return this.#queue.toKey(word);
  }

  async #end(name: string, act: (held: Held) => Promise<unknown>): Promise<void> {
    const id = jobIdOf(name);
    const held = this.#held.get(id);
    if (held === undefined) return; // the task was lost
    this.#held.delete(id);
    this.#keeper.drop(id);
    await act(held).catch(() => {}); // the task was lost just now, or soon will be
  }

  /** Stops the worker. Tasks that were not released move to other workers when their locks expire. */
  async close(): Promise<void> {
    await this.redis.zrem(this.key('machines'), this.worker).catch(() => {});
    await this.#keeper.close();
    await this.#worker.close();
    await this.#queue.close();
    this.redis.disconnect();
  }
}

/** Returns the name of a task, or null for a job that another program created. */
function nameIn({ id, data }: Job<Work>): string | null {
  const { name } = (data ?? {}) as Partial<Work>;
  return typeof name === 'string' && id === jobIdOf(name) ? name : null;
}

const LONGEST_TEXT = 80;

/** Names may contain any characters, but job ids may not. */
const jobIdOf = (name: string): string => `work-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
