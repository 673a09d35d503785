/** Takes groups from a queue and measures their cells, one after another, until it is stopped. */
import { Keeper, PREFIX, connect } from '@isolab/collector/queue';
import type { Job } from 'bullmq';
import type { ResultRow } from '../measurement/row-shape.ts';
import { hostname } from 'node:os';
import process from 'node:process';
import { RefusalError } from '../experiment/errors.ts';
import { Measurer, type MeasurerOptions } from '../measurement/measure.ts';
import { runGroup } from './group.ts';
import { type GroupJob, type GroupReport, refusalText, whyNoGroup } from './job.ts';
import { QUEUE, type QueueOptions, WORKERS_LOST_AT_MOST, timingsOf } from '../measurement/settings.ts';

export interface BenchWorkerOptions extends Omit<MeasurerOptions, 'named'> {
  readonly queue: QueueOptions;
  /** Ends the current cell and returns its group. */
  readonly signal: AbortSignal;
  readonly onRow?: (row: ResultRow) => void;
  /** Called for each job that this machine cannot do or that is not isolab's; only that job fails. */
  readonly onRefusal?: (why: string) => void;
}

/** Works until the signal fires. */
export async function benchWorker(options: BenchWorkerOptions): Promise<void> {
  const { queue, signal, onRow, onRefusal } = options;
  const { lockMs, renewMs, stalledMs } = timingsOf(queue);
  const connected = await connect(queue.url, signal).catch((error: Error) => {
    if (!signal.aborted) throw error;
  });
  if (!connected) return;
  const { bullmq, redis, connection } = connected;
  redis.disconnect(); // this connection was only a test
  const measurer = new Measurer({ ...options, named: true });
  const own = `${hostname()}-${process.pid}`; // Redis accepts no spaces in names
  let rest: NodeJS.Timeout | undefined;
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));

  const run = async (job: Job<GroupJob, GroupReport>, token = '', taken?: AbortSignal): Promise<GroupReport> => {
    const cancelled = AbortSignal.any([signal, taken!]);
    const fail = (reason: string): Error => {
      onRefusal?.(`The job ${job.id} of the queue ${QUEUE} failed: ${reason}`);
      return new bullmq.UnrecoverableError(reason);
    };
    const foreign = whyNoGroup(job.data);
    if (foreign !== null) throw fail(`it does not come from isolab bench: ${foreign}`);
    try {
      keeper.keep(job.id!, token);
      return await runGroup({ measurer, job, token, lockMs, cancelled, onRow });
    } catch (error) {
      if (error instanceof RefusalError) {
        // Gives other workers time to take the job that this machine would refuse again.
        await worker.pause(true);
        rest = setTimeout(() => worker.resume(), stalledMs);
        throw fail(refusalText({ worker: own, why: error.message }));
      }
      if (!cancelled.aborted) throw error;
      // Another worker continues the group, unless the producer has removed it.
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
    name: own,
    concurrency: 1, // cells must not disturb one another
    lockDuration: lockMs,
    skipLockRenewal: true, // the Keeper renews locks; renewal here would need this thread to be free
    stalledInterval: stalledMs,
    maxStalledCount: WORKERS_LOST_AT_MOST,
  });
  worker.on('error', () => {}); // the connection comes back; a group that was lost meanwhile belongs to another worker
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  await ended;
  clearTimeout(rest);
  await worker.close();
  await keeper.close();
}
