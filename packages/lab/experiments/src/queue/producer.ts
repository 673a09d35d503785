/** Queues the groups of an experiment and collects their rows; regularly requests missing reports. */
import type { Job, Queue, QueueEvents } from 'bullmq';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { hostname } from 'node:os';
import process from 'node:process';
import { type Connection, PREFIX, connect } from '@isolab/collector/queue';
import type { Redis } from 'ioredis';
import type { ResultRow } from '../measurement/row-shape.ts';
import type { BenchEvent, BenchOutcome, Runner } from '../measurement/bench-options.ts';
import type { Group } from '../measurement/cells.ts';
import { BenchError } from '../experiment/errors.ts';
import { hostId, hostOf } from '../measurement/results.ts';
import { Judge, type ExperimentProblem, type ReadyCell, type Session } from '../measurement/session.ts';
import type { Host } from '../measurement/task.ts';
import { Collection } from './collection.ts';
import { type CellReport, type GroupJob, type Refusal, isReport, refusalIn, shortened } from './job.ts';
import { programVersion } from './program-version.ts';
import { QUEUE, type QueueOptions, type Timings, timingsOf } from '../measurement/settings.ts';

export interface Producer {
  readonly run: Runner;
  /** Removes all data from Redis; workers drop their work. */
  close(): Promise<void>;
}

export async function openProducer(
  session: Session,
  options: QueueOptions,
  signal: AbortSignal | undefined,
  onEvent: ((event: BenchEvent) => void) | undefined,
): Promise<Producer> {
  const timings = timingsOf(options);
  const connection = await connect(options.url);
  let hold: Hold;
  try {
    hold = await holdQueue(connection.redis, timings);
  } catch (error) {
    connection.redis.disconnect();
    throw error;
  }
  const { Queue: QueueOf } = connection.bullmq;
  const queue = new QueueOf<GroupJob>(QUEUE, { connection: connection.connection, prefix: PREFIX });
  queue.on('error', () => {}); // the connection comes back, or the next request fails
  await adoptLeftOvers(queue, session);
  await queue.obliterate({ force: true });
  const workers = `isolab bench worker --queue ${options.url}`;
  const common = { session, connection, queue, hold, timings, workers, signal, onEvent };
  return {
    run: (_, groups) => new QueuedRun(common).run(groups),
    close: async () => {
      await queue.obliterate({ force: true });
      await queue.close();
      await hold.release();
      await connection.redis.quit();
    },
  };
}

/** A producer that ended without cleaning up may have left uncollected rows. */
async function adoptLeftOvers(queue: Queue<GroupJob>, { results }: Session): Promise<void> {
  for (const { progress, returnvalue } of await queue.getJobs(['completed', 'active', 'waiting'])) {
    const report: unknown = returnvalue ?? progress;
    if (!isReport(report)) continue;
    for (const { row } of report.cells) if (row && !results.withKey(row.key)) results.add(row);
  }
}

interface Common {
  readonly session: Session;
  readonly connection: Connection;
  readonly queue: Queue<GroupJob>;
  readonly hold: Hold;
  readonly timings: Timings;
  /** Command that starts a worker. */
  readonly workers: string;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: ((event: BenchEvent) => void) | undefined;
}

class QueuedRun {
  readonly #common: Common;
  readonly #collection = new Collection();
  readonly #cells = new Map<string, readonly ReadyCell[]>();
  readonly #jobs = new Map<string, GroupJob>();
  readonly #rows: ResultRow[] = [];
  readonly #judge = new Judge();
  readonly #program = programVersion();
  /** Name of this run, so that a late worker cannot treat its group as a group of another run. */
  readonly #name = randomUUID();
  /** Workers that have refused a group. */
  readonly #refusers = new Set<string>();
  #problem: ExperimentProblem | null = null;
  #failure: Error | null = null;
  #allAdded = false;
  #toldOfWorkers = false;
  #end: () => void = () => {};

  constructor(common: Common) {
    this.#common = common;
  }

  async run(groups: readonly Group[]): Promise<BenchOutcome> {
    const { connection, queue, timings, signal } = this.#common;
    const { QueueEvents: EventsOf } = connection.bullmq;
    // Reads from the beginning of the queue, which is empty: no event between the first group and the first request is
    // missed.
    const events = new EventsOf(QUEUE, { connection: connection.connection, prefix: PREFIX, lastEventId: '0' });
    const ended = new Promise<void>((resolve) => (this.#end = resolve));
    const over = new AbortController();
    const asking = this.#askRegularly(timings.askMs, over.signal);
    signal?.addEventListener('abort', this.#end);
    this.#listen(events);
    try {
      await this.#addAll(groups);
      this.#endIfDone();
      await ended;
      over.abort();
      await asking;
      if (signal?.aborted) await this.#ask(); // received rows stay
    } finally {
      signal?.removeEventListener('abort', this.#end);
      over.abort();
      await events.close();
      await queue.obliterate({ force: true });
    }
    if (this.#failure) throw this.#failure;
    return { rows: this.#rows, problem: this.#problem };
  }

  get #isOver(): boolean {
    return this.#problem !== null || this.#failure !== null || this.#common.signal?.aborted === true;
  }

  #listen(events: QueueEvents): void {
    events.on('progress', ({ jobId, data }) => this.#take(jobId, data));
    events.on('completed', ({ jobId, returnvalue }) => this.#take(jobId, returnvalue));
    events.on('failed', ({ jobId, failedReason }) => this.#giveUp(jobId, failedReason));
    events.on('error', () => {});
  }

  async #addAll(groups: readonly Group[]): Promise<void> {
    for (const [number, group] of groups.entries()) {
      if (this.#isOver) break;
      const cells: ReadyCell[] = [];
      for (const cell of group) {
        const prospect = await this.#common.session.prepare(cell);
        if (prospect.kind === 'ready') cells.push(prospect);
        else this.#rows.push(prospect.row);
      }
      const host = this.#hostThatKnows(cells);
      if (host) for (const cell of cells) this.#reuse(cell, host);
      else await this.#add(`${this.#name}-${number}`, cells);
    }
    this.#allAdded = true;
  }

  /** The cells of a point are compared with one another: known rows count only if all are from one host. */
  #hostThatKnows(cells: readonly ReadyCell[]): Host | undefined {
    const { session } = this.#common;
    return session.results.hosts.find((host) => session.knownTogether(cells, host)?.size === cells.length);
  }

  async #add(id: string, cells: readonly ReadyCell[]): Promise<void> {
    const { session, queue } = this.#common;
    const { hosts } = session.results;
    const job: GroupJob = {
      program: this.#program,
      commit: session.measurer.commit,
      cells: cells.map((cell) => ({
        task: cell.task,
        history: cell.history.sha256,
        code: cell.engine.code,
        known: hosts.filter((host) => session.knownTogether(cells, host)?.has(cell)).map(hostId),
      })),
    };
    this.#cells.set(id, cells);
    this.#jobs.set(id, job);
    this.#collection.expect(id, cells.length);
    await queue.add('group', job, { jobId: id });
  }

  #take(id: string, report: unknown): void {
    const cells = this.#cells.get(id);
    if (!cells || !isReport(report) || this.#problem || this.#failure) return;
    const news = this.#collection.take(id, report);
    for (const told of news.cells) {
      const cell = cells[told.cell];
      if (cell) this.#settle(cell, told, news.host);
    }
    this.#endIfDone();
  }

  #settle(cell: ReadyCell, { row }: CellReport, host: string): void {
    const { results } = this.#common.session;
    if (row) this.#accept(cell, results.add(row));
    else {
      const known = hostOf(host);
      if (known) this.#reuse(cell, known);
      else this.#fail(new BenchError('A worker did not report its machine.'));
    }
  }

  #reuse(cell: ReadyCell, host: Host): void {
    const { session } = this.#common;
    const known = session.known(cell, host);
    if (known) this.#accept(cell, session.results.reuse(cell.task, known));
    else
      this.#fail(
        new BenchError(`A worker omitted ${cell.task.series.name} at ${cell.task.x}, whose result is not known.`),
      );
  }

  #accept(cell: ReadyCell, row: ResultRow): void {
    this.#rows.push(row);
    this.#problem ??= this.#judge.problemOf(row, cell);
    if (this.#problem) this.#end();
  }

  /** A group that lost its workers too often gets rows with that reason; any other failure stops the whole run. */
  #giveUp(id: string, reason: string): void {
    const cells = this.#cells.get(id);
    if (!cells || this.#isOver) return;
    const refusal = refusalIn(reason);
    if (refusal !== null) return void this.#passOn(id, refusal).catch(this.#fail);
    if (!/stalled/.test(reason)) return this.#fail(new BenchError(`A worker failed: ${reason}`));
    const { measurer, results } = this.#common.session;
    for (const cell of this.#collection.missingOf(id))
      this.#accept(cells[cell]!, results.add(measurer.lostRow(cells[cell]!.task, 'its workers were lost repeatedly')));
    this.#collection.close(id);
    this.#endIfDone();
  }

  /** Returns a group that a worker refused to the queue for another worker; fails if all workers have refused it. */
  async #passOn(id: string, { worker, why }: Refusal): Promise<void> {
    const { queue, onEvent } = this.#common;
    const job = await queue.getJob(id);
    if (!job || !(await job.isFailed())) return; // the group has been returned already
    if (!this.#refusers.has(worker)) onEvent?.({ kind: 'note', text: `The worker ${worker} refuses the job: ${why}` });
    this.#refusers.add(worker);
    const others = (await queue.getWorkers()).filter(
      ({ rawname = '' }) => !this.#refusers.has(rawname.slice(rawname.lastIndexOf(NAMED) + NAMED.length)),
    );
    if (others.length === 0) throw new BenchError(`All workers refuse the job: ${why}`);
    await job.retry('failed').catch(() => {}); // the group has just been returned
  }

  async #askRegularly(askMs: number, over: AbortSignal): Promise<void> {
    try {
      while (!over.aborted) {
        await sleep(askMs, undefined, { signal: over }).catch(() => {});
        if (!over.aborted) await this.#ask();
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  async #ask(): Promise<void> {
    const { queue, hold } = this.#common;
    await hold.renew();
    for (const id of this.#collection.missing) {
      const job = await queue.getJob(id);
      if (!job && !this.#isOver) await this.#addAgain(id);
      else if (!job) continue;
      else if (!(await job.isFailed())) this.#takeFrom(id, job);
      else if (job.failedReason !== undefined) this.#giveUp(id, job.failedReason); // else it failed after it was read
    }
    await this.#tellOfWorkers();
  }

  #takeFrom(id: string, { returnvalue, progress, finishedOn, failedReason }: Job<GroupJob>): void {
    this.#take(id, returnvalue ?? progress);
    if (failedReason !== undefined && returnvalue === null) return; // the group has failed and was returned after it was read
    if (finishedOn === undefined || this.#isOver || !this.#collection.missing.includes(id)) return;
    this.#fail(new BenchError(`The group ${id} came back as ${shortened(returnvalue)}, expected a worker’s report.`));
  }

  /** Adds a group that Redis has lost, for example in a restart; attempts count from 1 again. */
  async #addAgain(id: string): Promise<void> {
    this.#collection.forgetAttempts(id);
    await this.#common.queue.add('group', this.#jobs.get(id)!, { jobId: id });
  }

  async #tellOfWorkers(): Promise<void> {
    const { queue, workers, onEvent } = this.#common;
    const isAlone = (await queue.getWorkersCount()) === 0;
    if (isAlone && !this.#isOver && !this.#toldOfWorkers)
      onEvent?.({ kind: 'note', text: `There are no workers. Start them on machines with the same code: ${workers}` });
    this.#toldOfWorkers = isAlone;
  }

  readonly #fail = (error: unknown): void => {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
    this.#end();
  };

  #endIfDone(): void {
    if (this.#allAdded && this.#collection.missing.length === 0) this.#end();
  }
}

/** Separator before the worker's name in the name of its connection. */
const NAMED = ':w:';

/**
 * Hold on the queue. A queue has one producer at a time, because a second one would clear it. The hold of a dead
 * producer expires.
 */

interface Hold {
  renew(): Promise<void>;
  release(): Promise<void>;
}

const KEY = `${PREFIX}:producer`;
const RENEW = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0`;
const RELEASE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

async function holdQueue(redis: Redis, { holdMs }: Timings): Promise<Hold> {
  const own = `${hostname()}, process ${process.pid} (${randomUUID()})`;
  const take = async (): Promise<boolean> => (await redis.set(KEY, own, 'PX', holdMs, 'NX')) === 'OK';
  if (!(await take())) {
    const [other = 'another process'] = ((await redis.get(KEY)) ?? '').split(' (');
    const seconds = Math.ceil((await redis.pttl(KEY)) / 1000);
    throw new BenchError(
      `${other} is using the queue. If it died, the queue is free in ${seconds} s. To run two producers at once, give them different databases: redis://HOST/1, redis://HOST/2.`,
    );
  }
  return {
    renew: async () => {
      if ((await redis.eval(RENEW, 1, KEY, own, holdMs)) === 1 || (await take())) return;
      throw new BenchError('Another isolab bench has taken over the queue; the measurements until then are kept.');
    },
    release: async () => void (await redis.eval(RELEASE, 1, KEY, own)),
  };
}
