import { LOCK_TIMINGS, Leases, type LockTimings, connectRedis } from '@isolab/collector/queue';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ManyStatuses } from '../many/status.ts';
import type { StreamOptions } from '../many/keep.ts';
import type { ManySource } from '../many/parts.ts';
import { partsOf, streamsOf } from '../many/redis-streams.ts';
import { type Many, type RunManyOptions, runMany } from '../many/run.ts';
import { Streams } from '../many/streams.ts';
import { type Redis, RedisReader } from '../sources/redis-reader.ts';
import type { Alarm } from '../watcher/status.ts';
import { type StreamResults, Store, resultsIn } from './store.ts';

export interface QueueOptions {
  readonly url: string;
  readonly timings?: Partial<QueueTimings>;
  /** The pattern of the streams, and the address of their Redis. */
  readonly source: { readonly url: string; readonly pattern: string };
  readonly options: StreamOptions;
  /** Folder for the logs of streams that this worker watches. */
  readonly folder: string;
  readonly onAlarm: (stream: string, alarm: Alarm) => void;
  readonly onFailure: (stream: string, why: string) => void;
}

export interface QueueTimings extends LockTimings {
  /** Interval at which a worker looks for streams and for its share of them. */
  readonly lookMs: number;
  /** Interval between checkpoints of an active stream. */
  readonly saveMs: number;
}

const TIMINGS: QueueTimings = { ...LOCK_TIMINGS, lookMs: 2000, saveMs: 10_000 };

/** A worker that shares the streams of a pattern with others: each stream has one worker at a time. */
export class QueueWorker {
  readonly many: Many;
  readonly #leases: Leases;
  readonly #store: Store;
  readonly #redis: Redis;
  readonly #reader: RedisReader;
  readonly #folder: string;
  readonly #options: QueueOptions;
  readonly #timings: QueueTimings;
  readonly #lost: Set<string>;
  readonly #failed = new Map<string, string>();
  readonly #tokens = new Map<string, string>();
  readonly #known = new Set<string>();
  #lookedAt = -Infinity;

  static async open(options: QueueOptions): Promise<QueueWorker> {
    const timings = { ...TIMINGS, ...options.timings };
    const lost = new Set<string>();
    const name = nameOf(options);
    const leases = await Leases.open({ url: options.url, name, timings }, (stream) => lost.add(stream));
    try {
      await leases.retryFailed();
      return new QueueWorker(options, timings, leases, await connectRedis(options.source.url), lost);
    } catch (error) {
      await leases.close();
      throw error;
    }
  }

  private constructor(options: QueueOptions, timings: QueueTimings, leases: Leases, redis: Redis, lost: Set<string>) {
    this.#options = options;
    this.#timings = timings;
    this.#leases = leases;
    this.#redis = redis;
    this.#lost = lost;
    this.#reader = new RedisReader(redis);
    this.#folder = mkdtempSync(join(options.folder, 'isolab-watch-'));
    this.#store = new Store(leases, redis, this.#folder, options.options);
    const streams = new Streams({
      keep: this.#store,
      beginsAnew: true,
      onAlarm: options.onAlarm,
      onFailure: (stream, why) => this.#failed.set(stream, why),
      accepts: ({ stream, lease }) => lease !== null && this.#tokens.get(stream) === lease,
      saveMs: timings.saveMs,
    });
    this.many = { streams, statuses: new ManyStatuses(options.source.pattern, streams) };
  }

  /** Watches until the signal is aborted. Returns the results of all streams from all workers. */
  async run(options: Omit<RunManyOptions, 'onTurn'>): Promise<StreamResults> {
    try {
      await runMany(this.#source, this.many, { ...options, onTurn: () => this.#look() });
      for (const stream of this.#tokens.keys()) await this.#letGo(stream, () => this.#leases.giveBack(stream));
      return await resultsIn(this.#leases);
    } finally {
      this.#redis.disconnect();
      await this.#leases.close();
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  get #source(): ManySource {
    const parts: ManySource['parts'] = (signal, asked) => {
      const leaseOf = (stream: string): string | null => this.#tokens.get(stream) ?? null;
      return partsOf(this.#reader, { asked, signal, look: async () => {}, isFollowed: true, leaseOf });
    };
    return { name: this.#options.source.pattern, beginsAnew: true, parts };
  }

  /** Works between judgements: releases streams that are lost, finished, or too many, and acquires free streams. */
  async #look(): Promise<void> {
    for (const stream of this.#lost) await this.#letGo(stream, async () => {});
    this.#lost.clear();
    for (const [stream, why] of this.#failed) await this.#fail(stream, why);
    this.#failed.clear();
    for (const { name, ending } of this.many.streams.all.values())
      if (ending === 'ended') await this.#letGo(name, () => this.#leases.done(name));
    if (Date.now() < this.#lookedAt + this.#timings.lookMs) return;
    this.#lookedAt = Date.now();
    await this.#addNew();
    const share = await this.#leases.share();
    for (const stream of [...this.#tokens.keys()].slice(share)) await this.#giveBack(stream);
    while (this.#tokens.size < share && (await this.#take()));
  }

  async #addNew(): Promise<void> {
    const news = (await streamsOf(this.#redis, this.#options.source.pattern)).filter((key) => !this.#known.has(key));
    await this.#leases.add(news);
    for (const key of news) this.#known.add(key);
  }

  async #take(): Promise<boolean> {
    const lease = await this.#leases.take();
    if (lease === null) return false;
    // The stream may have been lost and become free before this worker noticed.
    if (this.#tokens.has(lease.name)) await this.#letGo(lease.name, async () => {});
    this.#lost.delete(lease.name);
    await this.#store.begin(lease);
    this.#tokens.set(lease.name, lease.token);
    this.#reader.add(lease.name, this.many.streams.placeOf(lease.name));
    return true;
  }

  async #giveBack(stream: string): Promise<void> {
    await this.many.streams.release(stream, false);
    await this.#letGo(stream, () => this.#leases.giveBack(stream));
  }

  /** Losing a stream during a write is not a failure. */
  async #fail(stream: string, why: string): Promise<void> {
    if (!(await this.#leases.isOurs(stream))) return this.#letGo(stream, async () => {});
    this.#options.onFailure(stream, why);
    await this.#letGo(stream, () => this.#leases.fail(stream, why));
  }

  async #letGo(stream: string, leave: () => Promise<void>): Promise<void> {
    this.#tokens.delete(stream);
    this.#reader.remove(stream);
    await this.many.streams.release(stream, true);
    this.#store.end(stream);
    await leave();
  }
}

/** Returns the name of the queue. Workers with equal options share a queue. */
function nameOf({ source: { pattern }, options }: QueueOptions): string {
  const { levels, horizon, values } = options;
  const told = JSON.stringify([pattern, levels.toSorted(), horizon.transactions, horizon.ms, values]);
  return `watch-${createHash('sha256').update(told).digest('hex').slice(0, 16)}`;
}
