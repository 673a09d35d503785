/** The thread of a keeper. */
import { parentPort, workerData } from 'node:worker_threads';
import { connect } from './connect.ts';
import { PREFIX, QUEUE } from './settings.ts';

export interface KeeperData {
  readonly url: string;
  readonly lockMs: number;
  readonly renewMs: number;
}

export interface KeeperTask {
  readonly jobId: string;
  readonly token: string;
}

const { url, lockMs, renewMs } = workerData as KeeperData;
const { bullmq, redis, connection } = await connect(url);
redis.disconnect();
const queue = new bullmq.Queue(QUEUE, { connection, prefix: PREFIX });
queue.on('error', () => {}); // the connection comes back
let kept: KeeperTask | null = null;
parentPort!.on('message', (task: KeeperTask | null) => {
  kept = task;
});
setInterval(() => void renew().catch(() => {}), renewMs); // what fails is tried again
tell('');

async function renew(): Promise<void> {
  const asked = kept;
  if (asked === null) return;
  const job = await queue.getJob(asked.jobId);
  const isOurs = job !== undefined && (await job.extendLock(asked.token, lockMs)) === 1;
  if (isOurs || kept !== asked) return;
  kept = null;
  tell(asked.jobId);
}

function tell(lost: string): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has none
  parentPort!.postMessage(lost);
}
