/** The thread of a keeper. */
import { parentPort, workerData } from 'node:worker_threads';
import { connect } from './connect.ts';
import { PREFIX } from './settings.ts';

export interface KeeperData {
  readonly url: string;
  readonly queue: string;
  readonly lockMs: number;
  readonly renewMs: number;
}

/** A job, and the token by which its worker owns it; without a token it is released. */
export interface KeeperTask {
  readonly jobId: string;
  readonly token: string | null;
}

/** A job that its worker has no more by that token. */
export interface LostJob {
  readonly jobId: string;
  readonly token: string;
}

const { url, queue: name, lockMs, renewMs } = workerData as KeeperData;
const { bullmq, redis, connection } = await connect(url);
redis.disconnect();
const queue = new bullmq.Queue(name, { connection, prefix: PREFIX });
queue.on('error', () => {}); // the connection comes back
const kept = new Map<string, string>();
parentPort!.on('message', ({ jobId, token }: KeeperTask) => {
  if (token === null) kept.delete(jobId);
  else kept.set(jobId, token);
});
setInterval(() => {
  for (const [jobId, token] of kept) void renew(jobId, token).catch(() => {}); // failed calls are tried again
}, renewMs);
tell({ jobId: '', token: '' });

async function renew(jobId: string, token: string): Promise<void> {
  const job = await queue.getJob(jobId);
  const isOurs = job !== undefined && (await job.extendLock(token, lockMs)) === 1;
  if (isOurs || kept.get(jobId) !== token) return;
  kept.delete(jobId);
  tell({ jobId, token });
}

function tell(lost: LostJob): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has none
  parentPort!.postMessage(lost);
}
