// Slow: needs a Redis, and waits for leases to end.
import { levelsIn } from '@isolab/contract';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectRedis } from '@isolab/collector/queue';
import { type TestRedis, startRedis } from '@isolab/collector/queue/test-redis';
import { check, open, verify } from 'isolab';
import { unless } from '@isolab/needs';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFailed,
  onTestFinished,
  test,
} from 'vitest';
import type { StreamResults } from '../src/index.ts';
import { until } from './until.ts';

const PROGRAM = fileURLToPath(new URL('fixtures/queue-worker.mjs', import.meta.url));
const TIMINGS = { lockMs: 1500, renewMs: 300, stalledMs: 300, lookMs: 200, saveMs: 200 };

const HEADER = '{"isolab":"history","version":1,"initial":0}';
const add = (n: number, session = 1): string => `{"session":${session},"ops":[["r","x",${n}],["w","x",${n + 1}]]}`;
const lost = (n: number): string => `{"session":9,"ops":[["r","x",${n}],["w","x",1000000]]}`;
const ABORTED = ['{"session":7,"ops":[["w","y",1]],"status":"aborted"}', '{"session":8,"ops":[["r","y",1]]}'];
const END = '{"isolab":"end"}';

describe('workers of a queue', unless('redis'), () => {
  let server: TestRedis;
  let redis: Awaited<ReturnType<typeof connectRedis>>;
  let folder: string;
  beforeAll(async () => {
    server = await startRedis();
    redis = await connectRedis(server.address);
  });
  afterAll(() => {
    redis?.disconnect();
    server?.server.kill();
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'isolab-watch-'));
    await redis.flushall();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function startWorker() {
    const words = [PROGRAM, `${server.address}/1`, server.address, 'tenant:*', folder, JSON.stringify(TIMINGS)];
    const child: ChildProcess = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let text = '';
    child.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
    onTestFailed(() => void process.stderr.write(`A worker said: ${text.slice(-2000)}\n`));
    return {
      child,
      said: () => text,
      has: () => Number(/has (\d+)\n(?![\s\S]*has)/.exec(text)?.[1] ?? 0),
      end: async (): Promise<StreamResults> => {
        child.kill('SIGTERM');
        await once(child, 'exit');
        return JSON.parse(/^results (.*)$/m.exec(text)![1]!) as StreamResults;
      },
    };
  }

  /** The lines of a stream: every third one loses an update, every fifth reads an aborted write. */
  function linesOf(stream: number, transactions: number): string[] {
    const lines = [HEADER];
    for (let n = 0; n < transactions; n++) {
      lines.push(add(n, n % 3));
      if (stream % 3 === 0 && n === Math.floor(transactions / 2)) lines.push(lost(n - 3));
      if (stream % 5 === 0 && n === Math.floor(transactions / 3)) lines.push(...ABORTED);
    }
    return [...lines, END];
  }

  test('one of which is killed: every verdict is that of the whole stream, and each alarm is kept once', async () => {
    const [streams, transactions, steps] = [18, 300, 10];
    const all = new Map(Array.from({ length: streams }, (_, i) => [`tenant:${i}`, linesOf(i, transactions)]));
    const workers = [startWorker(), startWorker(), startWorker()];
    for (let step = 0; step < steps; step++) {
      const pipeline = redis.pipeline();
      for (const [stream, lines] of all) {
        const [from, to] = [step, step + 1].map((at) => Math.floor((lines.length * at) / steps));
        for (const line of lines.slice(from, to)) pipeline.xadd(stream, '*', 'line', line);
      }
      await pipeline.exec();
      if (step !== 6) continue;
      // Some streams of it have alarmed, and some have not yet.
      await until(() => workers.every((worker) => worker.has() === streams / 3), 3000);
      await until(() => workers[0]!.said().includes('alarm'), 3000);
      workers[0]!.child.kill('SIGKILL');
    }
    expect(workers[0]!.has()).toBe(streams / 3);
    const store = await connectRedis(`${server.address}/1`);
    const [doneKey] = await waitForKey(store, 'isolab:watch-*:done');
    await until(async () => (await store.scard(doneKey!)) === streams, 10_000);
    await workers[1]!.end();
    const { results } = await workers[2]!.end();
    expect(results).toHaveLength(streams);
    expect(new Set(results.map(({ worker }) => worker)).size).toBeGreaterThan(1);
    for (const { stream, status } of results) {
      const path = join(folder, 'whole.jsonl');
      writeFileSync(
        path,
        all
          .get(stream)!
          .map((line) => `${line}\n`)
          .join(''),
      );
      const { levels } = await check(await open(path), {
        level: ['serializable', 'read-committed'],
        checker: 'weave',
      });
      const violated = levelsIn(levels).filter((level) => levels[level]!.verdict === 'violated');
      expect([stream, status.isEnded, status.transactions]).toEqual([stream, true, all.get(stream)!.length - 2]);
      expect(
        Object.entries(status.levels)
          .filter(([, is]) => is === 'violated')
          .map(([level]) => level),
      ).toEqual(expect.arrayContaining(violated));
      expect(Object.values(status.levels).filter((is) => is === 'stands')).toHaveLength(2 - violated.length);
      expect(status.alarms.map(({ level }) => level).toSorted()).toEqual(violated.toSorted());
      for (const { number } of status.alarms) {
        const part = async (file: string): Promise<string> =>
          (await store.hget(doneKey!.replace(/done$/, 'evidence'), `${number}/${file} ${stream}`))!;
        writeFileSync(path, await part('history.jsonl'));
        expect(verify(await open(path), JSON.parse(await part('certificate.json')))).toMatchObject({ ok: true });
      }
    }
    // Each third loses an update; each fifth reads an aborted write, which violates both levels.
    const alarms = results.reduce((sum, { status }) => sum + status.alarms.length, 0);
    expect(alarms).toBe(all.size / 3 + 2 * Math.ceil(all.size / 5) - Math.ceil(all.size / 15));
    store.disconnect();
  });

  test('workers of a queue share the streams when one joins, and continue with those of one that leaves', async () => {
    for (let i = 0; i < 10; i++)
      for (const line of [HEADER, add(0), add(1)]) await redis.xadd(`tenant:${i}`, '*', 'line', line);
    const first = startWorker();
    await until(() => first.has() === 10, 3000);
    expect(first.has()).toBe(10);
    const second = startWorker();
    await until(() => first.has() === 5 && second.has() === 5, 3000);
    expect([first.has(), second.has()]).toEqual([5, 5]);
    await first.end();
    await until(() => second.has() === 10, 3000);
    for (let i = 0; i < 10; i++)
      for (const line of [add(2), lost(0)]) await redis.xadd(`tenant:${i}`, '*', 'line', line);
    const alarms = (): number => (second.said().match(/^alarm /gm) ?? []).length;
    await until(() => alarms() === 10, 3000);
    const { results } = await second.end();
    expect(results.map(({ status }) => [status.transactions, status.alarms.length])).toEqual(
      Array.from({ length: 10 }, () => [4, 1]),
    );
    expect(readdirSync(folder)).toEqual([]); // logs are not left behind
  });

  test('workers of a queue keep why a stream cannot be watched, and try again when they are started again', async () => {
    for (const line of [HEADER, 'garbage']) await redis.xadd('tenant:a', '*', 'line', line);
    const first = startWorker();
    await until(() => first.said().includes('failed tenant:a'), 3000);
    expect(first.said()).toContain("found 'garbage'");
    await first.end();
    const second = startWorker();
    await until(() => second.said().includes('failed tenant:a'), 3000);
    expect(second.said().match(/failed/g)).toHaveLength(1);
    const { results, failures } = await second.end();
    expect(results).toEqual([]);
    expect(failures).toEqual([{ stream: 'tenant:a', why: expect.stringContaining("found 'garbage'") }]);
  });

  test('workers of a queue take a log over without its dropped lines, and never one that was trimmed', async () => {
    const numbered = (n: number): string => `{"session":1,"number":${n + 1},"ops":[["r","x",${n}],["w","x",${n + 1}]]}`;
    for (const stream of ['tenant:a', 'tenant:b'])
      for (const line of [HEADER, numbered(0), HEADER, numbered(1), numbered(0), numbered(1), numbered(2)])
        await redis.xadd(stream, '*', 'line', line);
    const first = startWorker();
    await until(() => first.has() === 2, 3000);
    const [store] = [await connectRedis(`${server.address}/1`)];
    const [results] = await waitForKey(store, 'isolab:watch-*:results');
    const taken = async (stream: string): Promise<number> =>
      (JSON.parse((await store.hget(results!, stream)) ?? '{"status":{}}') as { status: { transactions?: number } })
        .status.transactions ?? 0;
    await until(async () => (await taken('tenant:a')) === 3 && (await taken('tenant:b')) === 3, 3000);
    store.disconnect();
    await first.end();
    await redis.xtrim('tenant:b', 'MAXLEN', 3); // entries that were read; the log of their worker is gone
    for (const line of [numbered(3), lost(2)])
      for (const stream of ['tenant:a', 'tenant:b']) await redis.xadd(stream, '*', 'line', line);
    const second = startWorker();
    await until(() => /failed tenant:b/.test(second.said()) && /alarm tenant:a/.test(second.said()), 3000);
    const all = await second.end();
    expect(all.failures).toEqual([
      {
        stream: 'tenant:b',
        why: expect.stringMatching(/has \d of the 4 watched lines, .* Do not trim the stream\.$/),
      },
    ]);
    expect(all.results.map(({ stream, status }) => [stream, status.transactions, status.alarms.length])).toEqual(
      expect.arrayContaining([
        ['tenant:a', 5, 1],
        ['tenant:b', 3, 0],
      ]),
    );
  });
});

async function waitForKey(store: Awaited<ReturnType<typeof connectRedis>>, pattern: string): Promise<string[]> {
  await until(async () => (await store.keys(pattern)).length > 0, 3000);
  return store.keys(pattern);
}
