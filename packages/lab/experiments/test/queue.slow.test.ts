// Slow: needs a Redis, and starts workers in processes of their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import process from 'node:process';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { unless } from '@isolab/needs';
import { afterAll, beforeAll, describe, expect, onTestFailed, onTestFinished, test, vi } from 'vitest';
import { type BenchEvent, placeOf, readRows } from '../src/index.ts';
import { type Laboratory, experimentWith, fixture, laboratory } from './support/laboratory.ts';
import { type TestRedis, startRedis } from '@isolab/collector/queue/test-redis';
import { freePort } from '@isolab/engines';

const timings = { lockMs: 3000, renewMs: 300, stalledMs: 300, askMs: 300, holdMs: 2000 };
const series = [
  { name: 'A', checker: 'quick' },
  { name: 'B', checker: 'quick', level: 'causal' },
];
/** Two groups of two cells. */
const four = experimentWith({ series });
const six = experimentWith({ series, grid: { ci: [2, 3, 4], laptop: [2], paper: [2] } });
const two = experimentWith({ series, grid: { ci: [2], laptop: [2], paper: [2] } });

describe('with a Redis', unless('redis'), () => {
  let redis: TestRedis;
  let databases = 0;
  /** A queue of the test's own. */
  const newQueue = () => ({ url: `${redis.address}/${++databases}`, timings });
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.server.kill());

  test('every cell has exactly one row although a worker is killed in the middle of one', async () => {
    const lab = laboratory();
    const queue = newQueue();
    const workers = [1, 2, 3].map(() => startWorker(queue.url, lab));
    const running = lab.run(six, { queue });
    const first = await Promise.race(workers.map((worker) => worker.rows(1).then(() => worker)));
    first.process.kill('SIGKILL'); // its group has one more cell
    const { summary } = await running;
    expect(summary).toMatchObject({ measured: 6, reused: 0, skipped: 0, unknown: 0, problems: [], interrupted: false });
    const rows = readRows(lab.results);
    expect(rows).toHaveLength(6);
    expect(new Set(rows.map(placeOf)).size).toBe(6);
    for (const { run, verdict } of rows) expect([verdict, typeof run.host]).toEqual(['satisfied', 'string']);
    expect(await keysIn(queue.url)).toEqual([]);

    const again = await lab.run(six, { queue });
    expect(again.summary).toMatchObject({ measured: 0, reused: 6 });
  });

  test('an interruption keeps the received results, and resuming continues; a disagreement stops; Redis is left empty', async () => {
    const lab = laboratory();
    const queue = newQueue();
    startWorker(queue.url, lab);
    const abort = new AbortController();
    const onEvent = ({ kind }: BenchEvent) => kind === 'row' && abort.abort();
    const { summary } = await lab.run(four, { queue, signal: abort.signal, onEvent });
    expect(summary.interrupted).toBe(true);
    const kept = readRows(lab.results).length;
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(4);
    expect(await keysIn(queue.url)).toEqual([]);
    const { summary: rest } = await lab.run(four, { queue, resume: true });
    expect(rest).toMatchObject({ measured: 4 - kept, reused: kept });
    expect(readRows(lab.results)).toHaveLength(4);

    const contrary = { name: 'No', checker: 'quick', variant: 'contrary' };
    const disputed = await lab.run(experimentWith({ series: [series[0]!, contrary] }), { queue });
    expect(disputed.summary.problems).toMatchObject([{ kind: 'disagreement', satisfied: 'A (quick)' }]);
    expect(disputed.summary.measured + disputed.summary.reused).toBeLessThan(4);
    expect(await keysIn(queue.url)).toEqual([]);
  });

  test('a worker that is asked to end gives its group back, and a queue that forgets is asked again', async () => {
    const lab = laboratory();
    const queue = newQueue();
    const first = startWorker(queue.url, lab);
    const running = lab.run(four, { queue });
    await first.rows(1);
    first.process.kill('SIGTERM');
    expect([await first.ended, first.said()]).toEqual([0, expect.not.stringContaining('refused')]);
    const client = new Redis(queue.url);
    await client.flushdb();
    await client.quit();
    startWorker(queue.url, lab);
    expect((await running).summary).toMatchObject({ measured: 4, problems: [] });
    expect(readRows(lab.results)).toHaveLength(4);
  });

  test('a row that came after a producer had died is not lost', async () => {
    const [before, lab] = [laboratory(), laboratory()];
    await before.run(two);
    const queue = newQueue();
    const left = new Queue('cells', { connection: { url: queue.url }, prefix: 'isolab' });
    const job = await left.add('group', {});
    const cells = readRows(before.results).map((row, cell) => ({ cell, row }));
    await job.updateProgress({ attempt: 1, host: 'there', cells });
    await left.close();
    const { summary } = await lab.run(two, { queue }); // without a worker
    expect(summary).toMatchObject({ measured: 0, reused: 2 });
    expect(readRows(lab.results)).toHaveLength(2);
  });

  test('a worker without a program of the producer refuses, and others do its work', async () => {
    const lab = laboratory();
    const queue = newQueue();
    lab.datasets(); // which workers read when they start
    const refuser = startWorker(queue.url, lab, { ISOLAB_TEST_CHECKER: 'absent' });
    startWorker(queue.url, lab);
    await workersAt(queue.url, 2);
    const events: BenchEvent[] = [];
    const running = lab.run(four, { queue, onEvent: (event) => events.push(event) });
    await refuser.rows(1);
    expect(refuser.said()).toMatch(
      /^refused: The job \S+ of the queue cells failed: .*The producer has quick, which this machine lacks/,
    );
    expect((await running).summary).toMatchObject({ measured: 4, problems: [] });
    const notes = events.flatMap((event) => (event.kind === 'note' ? [event.text] : []));
    expect(notes.filter((text) => text.includes('refuses'))).toEqual([
      expect.stringMatching(
        /^The worker \S+ refuses the job: The producer has quick, which this machine lacks: absent checker/,
      ),
    ]);
    refuser.process.kill('SIGTERM');
    expect(await refuser.ended).toBe(0); // it was there until then
  });

  test('a producer whose workers all refuse learns it, and does not wait', async () => {
    const lab = laboratory();
    const queue = newQueue();
    startWorker(queue.url, lab, { ISOLAB_TEST_CHECKER: 'absent' });
    await expect(lab.run(four, { queue })).rejects.toThrow(
      /^All workers refuse the job: The producer has quick, which this machine lacks/,
    );
    expect(await keysIn(queue.url)).toEqual([]);
  });

  test('jobs that are none of ours fail alone and are named; the worker continues', async () => {
    const lab = laboratory();
    const queue = newQueue();
    const foreign = new Queue('cells', { connection: { url: queue.url }, prefix: 'isolab' });
    const data = [null, 7, {}, { program: 'x', commit: 'y', cells: [null] }, { program: 'x', commit: 'y', cells: [] }];
    const jobs = await foreign.addBulk(data.map((each) => ({ name: 'group', data: each })));
    lab.datasets();
    const worker = startWorker(queue.url, lab);
    await vi.waitUntil(async () => (await foreign.getFailedCount()) === data.length, { timeout: 60_000 });
    const failed = await Promise.all(jobs.map(async ({ id }) => (await foreign.getJob(id!))?.failedReason));
    for (const reason of failed.slice(0, 4))
      expect(reason).toMatch(/^it does not come from isolab bench: found .*, expected /);
    expect(failed[4]).toMatch(
      /^refused by \S+: The code of isolab on this machine \(commit .*\) differs from that of the producer \(commit y\)/,
    );
    for (const { id } of jobs) expect(worker.said()).toContain(`The job ${id} of the queue cells failed: `);
    const running = lab.run(four, {
      queue,
      onEvent: ({ kind }) => void (kind === 'row' && foreign.add('group', null)),
    });
    expect((await running).summary).toMatchObject({ measured: 4, problems: [] });
    expect(worker.process.exitCode).toBeNull();
    await foreign.close();
  });

  test('a group that another program answers ends the wait', async () => {
    const lab = laboratory();
    const queue = newQueue();
    const connection = { url: queue.url, maxRetriesPerRequest: null };
    const foreign = new Worker('cells', async () => ({ done: true }), { connection, prefix: 'isolab' });
    await expect(lab.run(four, { queue })).rejects.toThrow(/came back as {"done":true}, expected a worker’s report/);
    await foreign.close();
  });

  test('a second producer is turned away', async () => {
    const lab = laboratory();
    const queue = newQueue();
    const abort = new AbortController();
    const running = lab.run(four, { queue, signal: abort.signal });
    await expect(lab.run(four, { queue })).rejects.toThrow(/^Another isolab bench \(process \d+\) is writing /);
    await vi.waitUntil(async () => (await keysIn(queue.url)).includes('isolab:producer'), { timeout: 60_000 });
    await expect(laboratory().run(four, { queue })).rejects.toThrow(/^.*process \d+ is using the queue\. If it died/);
    abort.abort();
    expect((await running).summary).toMatchObject({ measured: 0, interrupted: true });
  });
});

test('an address without a Redis is said at once, without its password', async () => {
  const port = await freePort();
  const lab = laboratory();
  await expect(lab.run(four, { queue: { url: `redis://me:secret@127.0.0.1:${port}` } })).rejects.toThrow(
    `There is no Redis server at redis://…@127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}.`,
  );
  await expect(lab.run(four, { queue: { url: 'localhost:6379' } })).rejects.toThrow(
    '--queue is localhost:6379, expected the address of a Redis server, such as redis://localhost:6379.',
  );
});

test('an address that accepts connections and never answers is said after ten seconds', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  await expect(laboratory().run(four, { queue: { url: `redis://127.0.0.1:${port}` } })).rejects.toThrow(
    `There is no Redis server at redis://127.0.0.1:${port}: no answer in 10 s.`,
  );
});

interface TestWorker {
  readonly process: ChildProcess;
  readonly ended: Promise<number | string>;
  /** Waits until it has reported that many rows. */
  rows(many: number): Promise<void>;
  said(): string;
}

function startWorker(url: string, { folder }: Laboratory, env: NodeJS.ProcessEnv = {}): TestWorker {
  const words = [fixture('worker.mjs'), url, folder, JSON.stringify(timings)];
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  onTestFailed(() => void process.stderr.write(`A worker said: ${text}\n`));
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    process: child,
    ended: once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string),
    rows: async (many) => {
      while (text.split('\n').length <= many) await once(child.stdout, 'data');
    },
    said: () => text,
  };
}

/** Waits until this many workers wait for work: each is then given some. */
async function workersAt(url: string, many: number): Promise<void> {
  const queue = new Queue('cells', { connection: { url }, prefix: 'isolab' });
  while ((await queue.getWorkersCount()) < many) await new Promise((resolve) => setTimeout(resolve, 50));
  await queue.close();
}

/** Keys that are left in Redis, but for the notes of workers that continue waiting. */
async function keysIn(url: string): Promise<string[]> {
  const client = new Redis(url);
  const keys = await client.keys('*');
  await client.quit();
  return keys.filter((key) => !/:(stalled-check|meta)$/.test(key));
}
