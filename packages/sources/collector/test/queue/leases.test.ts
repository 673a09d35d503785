import { Queue } from 'bullmq';
import { unless } from '@isolab/needs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Leases, PREFIX } from '../../dist/queue/index.js';
import { type TestRedis, startRedis } from '../../dist/queue/test-redis.js';

const timings = { lockMs: 3000, renewMs: 300, stalledMs: 300 };

describe('leases', unless('redis'), () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => void server?.server.kill());

  test('leases are of our works alone: a job of another program fails, and is named', async () => {
    const name = 'works';
    const foreign = new Queue(name, { connection: { url: server.address }, prefix: PREFIX });
    const data = [null, 'text', {}, { name: 7 }, { name: 'of another id' }];
    const jobs = await foreign.addBulk(data.map((each) => ({ name: 'work', data: each })));
    const leases = await Leases.open({ url: server.address, name, timings }, () => {});
    await leases.add(['ours']);
    expect(await leases.take()).toMatchObject({ name: 'ours' });
    expect(await leases.take()).toBeNull();
    expect(leases.held).toBe(1);
    const failed = await leases.failed();
    expect(failed.map((each) => each.name).toSorted()).toEqual(jobs.map(({ id }) => `the job ${id}`).toSorted());
    for (const { why } of failed) expect(why).toMatch(/^it does not come from isolab: found /);
    await leases.retryFailed();
    expect(await leases.take()).toBeNull(); // they fail again
    await leases.done('ours');
    await leases.close();
    await foreign.close();
  });
});
