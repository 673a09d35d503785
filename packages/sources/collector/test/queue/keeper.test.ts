import { setTimeout as sleep } from 'node:timers/promises';
import { unless } from '@isolab/needs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connection, Keeper, PREFIX, connect } from '../../dist/queue/index.js';
import { type TestRedis, startRedis } from '../../dist/queue/test-redis.js';

const QUEUE = 'kept';
const [lockMs, renewMs] = [1000, 100];

describe('a keeper', unless('redis'), () => {
  let server: TestRedis;
  let connection: Connection;
  beforeAll(async () => {
    server = await startRedis();
    connection = await connect(server.address);
  });
  afterAll(() => {
    connection?.redis.disconnect();
    server?.server.kill();
  });

  test('a keeper keeps several jobs while this thread is blocked, reports which was lost, and lets go of others', async () => {
    // Before there are locks: on a busy machine a thread may take longer to start than a lock lasts.
    const lost: string[] = [];
    const keeper = await Keeper.start({ url: server.address, queue: QUEUE, lockMs, renewMs }, ({ jobId }) =>
      lost.push(jobId),
    );
    const options = { connection: connection.connection, prefix: PREFIX };
    const queue = new connection.bullmq.Queue(QUEUE, options);
    for (const jobId of ['job-a', 'job-b', 'job-c']) await queue.add('job', {}, { jobId });
    const worker = new connection.bullmq.Worker(QUEUE, null, {
      ...options,
      lockDuration: lockMs,
      skipStalledCheck: true,
    });
    const jobs = [];
    for (const token of ['1', '2', '3']) jobs.push((await worker.getNextJob(token))!);
    for (const job of jobs) keeper.keep(job.id!, job.token!);
    await sleep(50);
    for (const end = Date.now() + 2 * lockMs; Date.now() < end;);
    const isLocked = ({ id }: { id?: string | undefined }): Promise<number> =>
      connection.redis.exists(queue.toKey(`${id}:lock`));
    expect(await Promise.all(jobs.map(isLocked))).toEqual([1, 1, 1]);
    await connection.redis.set(queue.toKey('job-b:lock'), 'of another worker', 'PX', 60_000);
    keeper.drop('job-c');
    await sleep(2 * lockMs);
    expect(lost).toEqual(['job-b']);
    expect(await Promise.all(jobs.map(isLocked))).toEqual([1, 1, 0]);
    await keeper.close();
    await worker.close();
    await queue.close();
  });
});
