// Slow: needs a Redis.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectRedis } from '@isolab/collector/queue';
import { type TestRedis, startRedis } from '@isolab/collector/queue/test-redis';
import { unless } from '@isolab/needs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DEFAULTS,
  keepInFolder,
  openMany,
  redisSource,
  redisStreams,
  runMany,
  runWatch,
  watchFolder,
} from '../src/index.ts';
import { until } from './until.ts';

const HEADER = '{"isolab":"history","version":1,"initial":0}';
const add = (n: number): string => `{"session":1,"ops":[["r","x",${n}],["w","x",${n + 1}]]}`;
const LOST = '{"session":2,"ops":[["r","x",0],["w","x",1000000]]}';
const PROGRAM = fileURLToPath(new URL('fixtures/watch-redis.mjs', import.meta.url));
const END = '{"isolab":"end"}';

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

  async function watch(stop: AbortSignal, isFollowed = true) {
    const options = { ...DEFAULTS, name: 'orders', levels: ['serializable'] as const, isReadAgain: true };
    const folderOf = await watchFolder(folder, options);
    const from = folderOf.position;
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

  test('a stream of Redis is watched to its end', async () => {
    await put(HEADER, `${add(0)}\n${add(1)}`);
    const { over } = await watch(new AbortController().signal);
    await put(`${add(2)}\n`, END);
    const { ending, status } = await over;
    expect([ending, status.transactions, status.levels]).toEqual(['ended', 3, { serializable: 'stands' }]);
  });

  test('a stream of Redis continues behind the checkpoint, whose entries may be removed', async () => {
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

  test('a stream of Redis loses and doubles nothing when its watcher is killed at any moment', async () => {
    await put(HEADER);
    const random = randomOf(7);
    let lines = 1;
    const isSaved = (): boolean => existsSync(join(folder, 'checkpoint.json'));
    for (let round = 0; round < 6; round++) {
      const watching = spawn(process.execPath, [PROGRAM, folder, server.address, 'orders'], { stdio: 'inherit' });
      const upTo = lines + 150 + 100 * random();
      // One is killed after it has saved, however long it takes to start; the next ones continue from there.
      const mayGo = round === 2 ? isSaved : () => true;
      while (lines < upTo || !mayGo()) {
        await put(add(lines++ - 1));
        await sleep(random() * 8);
      }
      watching.kill('SIGKILL');
      await once(watching, 'exit');
    }
    await put(END);
    const { status } = await (await watch(new AbortController().signal)).over;
    expect([status.transactions, status.levels]).toEqual([lines - 1, { serializable: 'stands' }]);
  });

  test('a stream of Redis ends at its end if it is not followed', async () => {
    await put(HEADER, add(0));
    const { ending, status } = await (await watch(new AbortController().signal, false)).over;
    expect([ending, status.transactions]).toEqual(['ended', 1]);
  });

  describe('a stream of Redis that was watched to its end is no other one', () => {
    const again = async (isFollowed = false) => (await watch(new AbortController().signal, isFollowed)).over;

    test.each([false, true])(
      'a stream of Redis that was watched to its end has ended again, followed: %s',
      async (isFollowed) => {
        await put(HEADER, add(0), END);
        await again();
        expect(await again(isFollowed)).toMatchObject({ ending: 'ended', status: { transactions: 1 } });
        await put(add(1));
        await expect(again(isFollowed)).rejects.toThrow(
          'line 4: found a line after {"isolab":"end"}, expected no line',
        );
      },
    );

    test.each([
      ['of fewer entries', [HEADER, add(0)], 'is not the stream that was watched before'],
      ['of more entries', [HEADER, add(0), add(1), LOST, END], 'is not the stream that was watched before'],
      ['of none', [], 'The stream orders is gone; the entries read before were watched.'],
    ])(
      'a stream of Redis that was watched to its end is no other one where its name is that of one %s now',
      async (_, lines, message) => {
        await put(HEADER, add(0), END);
        await again();
        await redis.del('orders');
        await put(...lines);
        await expect(again()).rejects.toThrow(message);
      },
    );

    test('a stream of Redis that was watched to its end is no other one where a stream with the same entries but the last has its name', async () => {
      const all = async (...lines: readonly string[]): Promise<void> => {
        for (const [i, line] of lines.entries()) await redis.xadd('orders', `${i + 1}-0`, 'line', line);
      };
      await all(HEADER, add(0));
      await again();
      await redis.del('orders');
      await all(HEADER, LOST);
      await expect(again()).rejects.toThrow('is not the stream that was watched before');
    });

    test('a stream of Redis that was watched to its end is no other one where it is replaced while it is watched', async () => {
      await put(HEADER, add(0));
      const { over, watcher } = await watch(new AbortController().signal);
      await until(() => watcher.line === 2);
      await redis.multi().del('orders').xadd('orders', '*', 'line', add(0)).exec();
      await expect(over).rejects.toThrow('is not the stream that was watched before');
    });
  });

  test('a stream of Redis whose entries were removed before they were read is an error', async () => {
    await put(HEADER, add(0), add(1));
    await redis.xtrim('orders', 'MAXLEN', 2);
    await expect((await watch(new AbortController().signal)).over).rejects.toThrow(
      'Entries of the stream orders (1) were removed before they were read',
    );
  });

  test('a stream of Redis that is trimmed meanwhile is an error', async () => {
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

  test('a stream of Redis that goes away is an error', async () => {
    await put(HEADER, add(0));
    const { over, watcher } = await watch(new AbortController().signal);
    await until(() => watcher.line === 2);
    await redis.del('orders');
    await expect(over).rejects.toThrow('The stream orders is gone; the entries read before were watched.');
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
    const { over, watcher } = await watch(new AbortController().signal);
    await expect(over).rejects.toThrow(
      'orders, entry 7777777777777-0: found the fields session, ops, expected a field line, as XADD orders *',
    );
    expect(watcher.line).toBe(1);
  });

  test('a stream of Redis is no other key', async () => {
    await redis.set('orders', 'x');
    await expect((await watch(new AbortController().signal)).over).rejects.toThrow(
      'orders is a string in Redis; expected a stream',
    );
  });
});

test('a Redis that is not there is said at once', async () => {
  const source = redisSource({ url: 'redis://127.0.0.1:1', key: 'orders', isFollowed: () => true, from: null });
  const chunks = source.chunks(new AbortController().signal)[Symbol.asyncIterator]();
  await expect(chunks.next()).rejects.toThrow('There is no Redis server at redis://127.0.0.1:1: connect ECONNREFUSED');
});

/** Numbers below 1 that are the same in every run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
