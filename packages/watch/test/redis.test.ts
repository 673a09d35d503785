import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectRedis } from '@isolab/queue';
import { type TestRedis, hasRedis, startRedis } from '@isolab/queue/test-redis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULTS, redisSource, runWatch, watchFolder } from '../src/index.ts';
import { until } from './until.ts';

const HEADER = '{"isolab":"history","version":1,"initial":0}';
const add = (n: number): string => `{"session":1,"ops":[["r","x",${n}],["w","x",${n + 1}]]}`;
const LOST = '{"session":2,"ops":[["r","x",0],["w","x",1000000]]}';
const PROGRAM = fileURLToPath(new URL('fixtures/watch-redis.mjs', import.meta.url));
const END = '{"isolab":"end"}';

describe.skipIf(!hasRedis)('a stream of Redis', { timeout: 30_000 }, () => {
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

  const put = async (...lines: readonly string[]): Promise<void> => {
    for (const line of lines) await redis.xadd('orders', '*', 'line', line);
  };

  async function watch(stop: AbortSignal, isFollowed = true) {
    const folderOf = await watchFolder(folder, { ...DEFAULTS, name: 'orders', levels: ['serializable'] });
    const from = folderOf.position;
    if (folderOf.lines > 0) folderOf.watcher.skipTaken(from?.lines);
    const source = redisSource({
      url: server.address,
      key: 'orders',
      isFollowed: () => isFollowed,
      from: from?.at ?? null,
    });
    const over = runWatch(source, folderOf, { intervalMs: 1e9, signal: stop, onStatus: () => {} });
    over.catch(() => {});
    return { over, watcher: folderOf.watcher };
  }

  test('is watched to its end', async () => {
    await put(HEADER, `${add(0)}\n${add(1)}`);
    const { over } = await watch(new AbortController().signal);
    await put(`${add(2)}\n`, END);
    const { ending, status } = await over;
    expect([ending, status.transactions, status.levels]).toEqual(['ended', 3, { serializable: 'stands' }]);
  });

  test('is gone on with behind the checkpoint, of which the entries may be removed', async () => {
    await put(HEADER, add(0), add(1));
    const stop = new AbortController();
    const first = await watch(stop.signal);
    await until(() => first.watcher.line === 3);
    stop.abort();
    await first.over;
    await redis.xtrim('orders', 'MAXLEN', 0);
    await put(add(2), LOST, END);
    const { ending, status } = await (await watch(new AbortController().signal)).over;
    expect([ending, status.transactions, status.levels]).toEqual(['ended', 4, { serializable: 'violated' }]);
  });

  test('loses and doubles nothing when its watcher is killed at any moment', async () => {
    await put(HEADER);
    const random = randomOf(7);
    let lines = 1;
    for (let round = 0; round < 6; round++) {
      const watching = spawn(process.execPath, [PROGRAM, folder, server.address, 'orders'], { stdio: 'inherit' });
      const upTo = lines + 150 + 100 * random();
      for (; lines < upTo; lines++) {
        await put(add(lines - 1));
        await sleep(random() * 8);
      }
      watching.kill('SIGKILL');
      await once(watching, 'exit');
    }
    expect(existsSync(join(folder, 'checkpoint.json'))).toBe(true);
    await put(END);
    const { status } = await (await watch(new AbortController().signal)).over;
    expect([status.transactions, status.levels]).toEqual([lines - 1, { serializable: 'stands' }]);
  });

  test('ends at its end if it is not followed', async () => {
    await put(HEADER, add(0));
    const { ending, status } = await (await watch(new AbortController().signal, false)).over;
    expect([ending, status.transactions]).toEqual(['ended', 1]);
  });

  test('whose entries were removed before they were read is an error', async () => {
    await put(HEADER, add(0), add(1));
    await redis.xtrim('orders', 'MAXLEN', 2);
    await expect((await watch(new AbortController().signal)).over).rejects.toThrow(
      'Entries of the stream orders (1) were removed before they were read',
    );
  });

  test('that is trimmed meanwhile is an error', async () => {
    await put(HEADER, add(0));
    const stop = new AbortController();
    const { over, watcher } = await watch(stop.signal);
    await until(() => watcher.line === 2);
    stop.abort();
    await over;
    await put(add(1), add(2), add(3));
    await redis.xtrim('orders', 'MAXLEN', 2);
    await expect((await watch(new AbortController().signal)).over).rejects.toThrow(
      'Entries of the stream orders (1) were removed before they were read',
    );
  });

  test('that goes away is an error', async () => {
    await put(HEADER, add(0));
    const { over, watcher } = await watch(new AbortController().signal);
    await until(() => watcher.line === 2);
    await redis.del('orders');
    await expect(over).rejects.toThrow('The stream orders is gone; what it had was watched.');
  });

  test('has a field line in each entry', async () => {
    await put(HEADER);
    await redis.xadd('orders', '7777777777777-0', 'session', '1', 'ops', '[]');
    const { over, watcher } = await watch(new AbortController().signal);
    await expect(over).rejects.toThrow(
      'orders, entry 7777777777777-0: found the fields session, ops, expected a field line, as XADD orders *',
    );
    expect(watcher.line).toBe(1);
  });

  test('is no other key', async () => {
    await redis.set('orders', 'x');
    await expect((await watch(new AbortController().signal)).over).rejects.toThrow(
      'orders is a string in Redis; expected a stream',
    );
  });
});

test('a Redis that is not there is said at once', async () => {
  const source = redisSource({ url: 'redis://127.0.0.1:1', key: 'orders', isFollowed: () => true, from: null });
  const chunks = source.chunks(new AbortController().signal)[Symbol.asyncIterator]();
  await expect(chunks.next()).rejects.toThrow('There is no Redis at redis://127.0.0.1:1: connect ECONNREFUSED');
});

/** Numbers below 1 that are the same in every run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
