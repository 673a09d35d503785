// Slow: needs a Redis.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectRedis } from '@isolab/collector/queue';
import { type TestRedis, startRedis } from '@isolab/collector/queue/test-redis';
import { unless } from '@isolab/needs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULTS, keepInFolder, openMany, redisSource, redisStreams, runMany } from '../src/index.ts';
import { END, HEADER, LOST, add, never, watcherOf } from './servers/watched.ts';
import { until } from './until.ts';

describe('a stream of Redis', unless('redis'), () => {
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
  const watching = () => watcherOf((options) => redisSource({ ...options, url: server.address, key: 'orders' }));

  test('a stream of Redis is no other one with the same entries but the last', async () => {
    const all = async (...lines: readonly string[]): Promise<void> => {
      for (const [i, line] of lines.entries()) await redis.xadd('orders', `${i + 1}-0`, 'line', line);
    };
    const { again } = watching();
    await all(HEADER, add(0));
    await again();
    await redis.del('orders');
    await all(HEADER, LOST);
    await expect(again()).rejects.toThrow('is not the stream that was watched before');
  });

  test('a stream of Redis is no other one that replaces it while it is watched', async () => {
    await put(HEADER, add(0));
    const { over, watcher } = await watching().watch(never());
    await until(() => watcher.line === 2);
    await redis.multi().del('orders').xadd('orders', '*', 'line', add(0)).exec();
    await expect(over).rejects.toThrow('is not the stream that was watched before');
  });

  test('a stream of Redis is one of many, which are watched together, also those that come later', async () => {
    const to = async (stream: string, ...lines: readonly string[]): Promise<void> => {
      for (const line of lines) await redis.xadd(stream, '*', 'line', line);
    };
    const alarms: string[] = [];
    const failures: string[] = [];
    const begin = async () => {
      const source = redisStreams({ url: server.address, pattern: 'tenant:*', isFollowed: true });
      const many = await openMany(source, keepInFolder(folder, { ...DEFAULTS, levels: ['serializable'] }), {
        onAlarm: (stream) => alarms.push(stream),
        onFailure: (stream, why) => failures.push(`${stream}: ${why}`),
        parkMs: 100,
      });
      const stop = new AbortController();
      const over = runMany(source, many, { intervalMs: 1e9, onStatus: () => {}, signal: stop.signal });
      return { all: many.streams.all, stop: () => (stop.abort(), over) };
    };
    for (let i = 0; i < 520; i++) await to(`tenant:${i}`, HEADER, add(0), ...(i % 100 === 7 ? [LOST] : []));
    await to('other', 'garbage');
    await redis.set('tenant:text', 'x');
    const { all, stop } = await begin();
    await until(() => all.size === 520 && [...all.values()].every((each) => each.status !== null && !each.isOpen), 500);
    await to('tenant:new', HEADER, add(0), END);
    await redis.xadd('tenant:5', '*', 'text', 'x');
    await redis.del('tenant:6');
    await until(() => all.get('tenant:new')?.ending === 'ended' && failures.length === 2, 500);
    await stop();
    expect([all.get('tenant:1')!.ending, all.get('tenant:new')!.ending]).toEqual(['interrupted', 'ended']);
    expect(alarms.toSorted()).toEqual([1, 2, 3, 4, 5, 0].map((i) => `tenant:${i === 0 ? 7 : `${i}07`}`).toSorted());
    expect(failures.toSorted()).toEqual([
      expect.stringMatching(/^tenant:5: tenant:5, entry .*: found the fields text, expected a field line/),
      'tenant:6: The stream tenant:6 is gone; the entries read before were watched.',
    ]);
    await redis.xtrim('tenant:1', 'MAXLEN', 0); // behind its checkpoint
    await to('tenant:1', add(1), LOST, END);
    const again = await begin();
    await until(() => again.all.get('tenant:1')?.ending === 'ended', 500);
    await again.stop();
    expect(again.all.get('tenant:1')!.status).toMatchObject({ transactions: 3, levels: { serializable: 'violated' } });
    expect(alarms).toHaveLength(7);
  });

  test('a stream of Redis has a field line in each entry', async () => {
    await put(HEADER);
    await redis.xadd('orders', '7777777777777-0', 'session', '1', 'ops', '[]');
    const { over, watcher } = await watching().watch(never());
    await expect(over).rejects.toThrow(
      'orders, entry 7777777777777-0: found the fields session, ops, expected a field line, as XADD orders *',
    );
    expect(watcher.line).toBe(1);
  });

  test('a stream of Redis is no other key', async () => {
    await redis.set('orders', 'x');
    await expect((await watching().watch(never())).over).rejects.toThrow(
      'orders is a string in Redis; expected a stream',
    );
  });
});
