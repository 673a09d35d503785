/** Takes groups out of a queue and measures their cells, one after another, until it is told to end. */
import { Keeper, PREFIX, connect } from '@isolab/queue';
import type { Job } from 'bullmq';
import type { ResultRow } from '../row-shape.ts';
import { hostname } from 'node:os';
import process from 'node:process';
import { RefusalError } from '../errors.ts';
import { Measurer, type MeasurerOptions } from '../measure.ts';
import { runGroup } from './group.ts';
import type { GroupJob, GroupReport } from './job.ts';
import { QUEUE, type QueueOptions, WORKERS_LOST_AT_MOST, timingsOf } from './settings.ts';

export interface BenchWorkerOptions extends Omit<MeasurerOptions, 'named'> {
  readonly queue: QueueOptions;
  /** Ends the cell under way and gives its group back. */
  readonly signal: AbortSignal;
  readonly onRow?: (row: ResultRow) => void;
}

/** Returns when the signal says so; throws when this machine cannot do what the queue asks of it. */
export async function benchWorker(options: BenchWorkerOptions): Promise<void> {
  const { queue, signal, onRow } = options;
  const { lockMs, renewMs, stalledMs } = timingsOf(queue);
  const { bullmq, redis, connection } = await connect(queue.url);
  redis.disconnect(); // it was only asked whether it is there
  const measurer = new Measurer({ ...options, named: true });
  let refusal: RefusalError | null = null;
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));

  const run = async (job: Job<GroupJob, GroupReport>, token = '', taken?: AbortSignal): Promise<GroupReport> => {
    const cancelled = AbortSignal.any([signal, taken!]);
    try {
      keeper.keep(job.id!, token);
      return await runGroup({ measurer, job, token, lockMs, cancelled, onRow });
    } catch (error) {
      if (error instanceof RefusalError) {
        refusal = error;
        end();
      } else if (!cancelled.aborted) throw error;
      // Another worker goes on where this one ended; unless the producer has taken the group back.
      await job.moveToWait(token).catch(() => {});
      throw new bullmq.WaitingError();
    } finally {
      keeper.drop(job.id!);
    }
  };
  const keeper = await Keeper.start({ url: queue.url, queue: QUEUE, lockMs, renewMs }, ({ jobId }) =>
    worker.cancelJob(jobId),
  );
  const worker = new bullmq.Worker<GroupJob, GroupReport>(QUEUE, (job, token, taken) => run(job, token, taken), {
    connection,
    prefix: PREFIX,
    name: `${hostname()}-${process.pid}`, // without spaces: Redis takes no others
    concurrency: 1, // cells must not disturb one another
    lockDuration: lockMs,
    skipLockRenewal: true, // which needs this thread to be free
    stalledInterval: stalledMs,
    maxStalledCount: WORKERS_LOST_AT_MOST,
  });
  worker.on('error', () => {}); // the connection comes back; a group that was lost meanwhile is another worker's
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  await ended;
  await worker.close();
  await keeper.close();
  if (refusal) throw refusal;
}
