// Slow: needs a Redis, a NATS and a Kafka.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { unless } from '@isolab/needs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSource, sourceAddress } from '../src/index.ts';
import { KAFKA } from './servers/kafka.ts';
import { NATS } from './servers/nats.ts';
import { REDIS } from './servers/redis.ts';
import type { RunningServer } from './servers/server.ts';
import { END, HEADER, LOST, add, never, watcherOf } from './servers/watched.ts';
import { until } from './until.ts';

const PROGRAM = fileURLToPath(new URL('fixtures/watch-stream.mjs', import.meta.url));

describe.each([
  ['Redis', REDIS],
  ['NATS', NATS],
  ['Kafka', KAFKA],
])('a stream of %s', (_, { need, kind, isKept, start }) => {
  describe('a stream that is watched', { timeout: 120_000, ...unless(need) }, () => {
    let server: RunningServer;
    beforeAll(async () => {
      server = await start();
    }, 300_000);
    afterAll(() => server?.close());
    beforeEach(() => server.create());
    afterEach(() => server.remove().catch(() => {}));
    const watching = () => watcherOf((options) => server.sourceOf(options));

    test('a stream is watched to its end', async () => {
      await server.put(HEADER, `${add(0)}\n${add(1)}`);
      const { over } = await watching().watch(never());
      await server.put(`${add(2)}\n`, END);
      const { ending, status } = await over;
      expect([ending, status.transactions, status.levels]).toEqual(['ended', 3, { serializable: 'stands' }]);
    });

    test('a stream ends at its last message if it is not followed', async () => {
      await server.put(HEADER, ...Array.from({ length: 2500 }, (__, n) => add(n)));
      const { ending, status } = await watching().again();
      expect([ending, status.transactions, status.levels]).toEqual(['ended', 2500, { serializable: 'stands' }]);
    });

    test('a stream continues behind the checkpoint, whose messages may be removed', async () => {
      const { watch, again } = watching();
      await server.put(HEADER, add(0), add(1));
      const stopping = new AbortController();
      const first = await watch(stopping.signal);
      await until(() => first.watcher.line === 3);
      stopping.abort();
      await first.over;
      await server.trim(3);
      await server.put(add(2), LOST, END);
      const { ending, status } = await again(true);
      expect([ending, status.transactions, status.levels]).toEqual(['ended', 4, { serializable: 'violated' }]);
    });

    test('a stream has ended again when it was watched to its end, until a line follows', async () => {
      const { again } = watching();
      await server.put(HEADER, add(0), END);
      await again();
      for (const isFollowed of [false, true])
        expect(await again(isFollowed)).toMatchObject({ ending: 'ended', status: { transactions: 1 } });
      await server.put(add(1));
      await expect(again()).rejects.toThrow('line 4: found a line after {"isolab":"end"}, expected no line');
    });

    test('a stream loses and doubles nothing when its watcher and its server are killed', async () => {
      const { folder, again } = watching();
      await server.put(HEADER);
      let lines = 1;
      const checkpoint = join(folder, 'checkpoint.json');
      const savedAt = (): number => statSync(checkpoint, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      for (const ending of ['at once', 'after it has saved', 'with the server', 'at once', 'after some time']) {
        const child = spawn(process.execPath, [PROGRAM, folder, server.address], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const exited = once(child, 'exit');
        const [began, before] = [lines, savedAt()];
        let seen = 0;
        child.stdout.on('data', (text: Buffer) => (seen = Number(text.toString().trim().split('\n').at(-1))));
        const mayGo = (): boolean => !/saved|server/.test(ending) || (seen >= began && savedAt() !== before);
        while (lines < began + 200 || !mayGo()) {
          await server.put(add(lines++ - 1));
          await sleep(ending === 'after some time' ? 6 : 2);
        }
        if (ending === 'with the server' && server.restart !== null) {
          await server.restart.stop();
          await server.restart.start();
        }
        child.kill('SIGKILL');
        await exited;
      }
      await server.put(END);
      const { status } = await again(true);
      expect([status.transactions, status.levels]).toEqual([lines - 1, { serializable: 'stands' }]);
    });

    test.each(isKept ? ['killed'] : [])('a stream continues when its server was %s', async () => {
      await server.put(HEADER, add(0));
      const { over, watcher } = await watching().watch(never());
      await until(() => watcher.line === 2);
      await server.restart!.stop();
      await sleep(300);
      await server.restart!.start();
      await server.put(add(1), END);
      const { ending, status } = await over;
      expect([ending, status.transactions, status.levels]).toEqual(['ended', 2, { serializable: 'stands' }]);
    });

    test.each([
      ['one', 1],
      ['some', 3],
      ['all', 4],
    ])('a stream is an error if %s of its messages were removed before they were read', async (__, count) => {
      await server.put(HEADER, add(0), add(1), add(2));
      await server.trim(count);
      await expect(watching().again(true)).rejects.toThrow(/removed before (?:it was|they were) read/);
    });

    test('a stream is an error if it is trimmed behind the checkpoint', async () => {
      const { watch, again } = watching();
      await server.put(HEADER, add(0));
      const stopping = new AbortController();
      const { over, watcher } = await watch(stopping.signal);
      await until(() => watcher.line === 2);
      stopping.abort();
      await over;
      await server.put(add(1), add(2), add(3));
      await server.trim(3);
      await expect(again()).rejects.toThrow(/removed before (?:it was|they were) read/);
    });

    test('a stream drops a repeated message if its line has a number', async () => {
      const numbered = (n: number): string => add(n).replace('"session":1', `"session":1,"number":${n}`);
      await server.put(HEADER, numbered(0), numbered(1), numbered(1), END);
      expect((await watching().again()).status).toMatchObject({
        transactions: 2,
        levels: { serializable: 'stands' },
      });
    });

    test.each([
      ['the same messages', [HEADER, add(0)]],
      ['more messages', [HEADER, add(0), add(1), LOST, END]],
      ['fewer messages', [HEADER]],
      ['none', []],
    ])('a stream is refused if it was replaced by another with %s', async (__, lines) => {
      const { watch, again } = watching();
      await server.put(HEADER, add(0));
      const { over, watcher } = await watch(never());
      await until(() => watcher.line === 2);
      await server.remove();
      await server.create();
      await server.put(...lines);
      const message = /orders (?:is not the stream that was watched|was cut or replaced|is gone|has 0 of the 2 lines)/;
      await expect(over).rejects.toThrow(message);
      await expect(again()).rejects.toThrow(message);
    });

    test('a stream is an error if it goes away', async () => {
      await server.put(HEADER, add(0));
      const { over, watcher } = await watching().watch(never());
      await until(() => watcher.line === 2);
      await server.remove();
      await expect(over).rejects.toThrow(new RegExp(`The ${kind} orders is gone; the \\w+ read before were watched`));
    });

    test('a stream is awaited if it does not exist yet', async () => {
      await server.remove();
      const { over, watcher } = await watching().watch(never());
      await sleep(200);
      await server.create();
      await server.put(HEADER, add(0), END);
      expect((await over).status.transactions).toBe(1);
      expect(watcher.line).toBe(3);
    });

    test('a stream is an error with the number of a line without a transaction', async () => {
      await server.put(HEADER, add(0), 'garbage');
      await expect(watching().again()).rejects.toThrow('line 3');
    });

    test('a stream is an error at once if its server is not there', async () => {
      const scheme = server.address.replace(/:.*/, '');
      const options = { isFollowed: () => true, from: null, onNote: () => {} };
      const source = openSource(sourceAddress(`${scheme}://127.0.0.1:1/orders`), options);
      const next = source.chunks(never())[Symbol.asyncIterator]().next();
      await expect(next).rejects.toThrow(/^There is no (?:Redis|NATS|Kafka)(?: server)? at \w+:\/\/127\.0\.0\.1:1: /);
    });
  });
});
