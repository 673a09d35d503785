// Slow: needs a NATS server.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unless } from '@isolab/needs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { natsSource } from '../src/index.ts';
import { type RunningNats, startNats } from './servers/nats.ts';
import { END, HEADER, LOST, add, never, watcherOf } from './servers/watched.ts';

describe('a stream of NATS', { timeout: 60_000, ...unless('nats') }, () => {
  let server: RunningNats;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server?.close());
  beforeEach(() => server.create());
  afterEach(() => server.remove());

  test.each([
    ['in the middle', 2],
    ['at the end', 4],
  ])('a message of NATS that was removed unread %s is an error', async (_, number) => {
    await server.put(HEADER, add(0), add(1), add(2));
    await server.api('MSG.DELETE', { seq: number });
    await expect(watcherOf(server.sourceOf).again(true)).rejects.toThrow(
      `Message ${number} of the stream orders was removed before it was read`,
    );
  });

  test('a stream of NATS that forgot messages in a crash is refused', async () => {
    const [store, copy] = [join(server.place, 'store'), join(server.place, 'copy')];
    const { again } = watcherOf(server.sourceOf);
    const { stop, start } = server.restart!;
    await server.put(HEADER, add(0));
    await stop();
    cpSync(store, copy, { recursive: true });
    await start();
    await server.put(add(1));
    expect((await again()).status.transactions).toBe(2);
    await stop();
    rmSync(store, { recursive: true });
    cpSync(copy, store, { recursive: true });
    await start();
    await server.put(LOST, END);
    await expect(again()).rejects.toThrow('The stream orders was cut or replaced after it was watched');
  });

  test('a wrong password, and a server without JetStream, are errors at once', async () => {
    const url = server.address.replace(/\/orders$/, '');
    const open = (address: string) => {
      const source = natsSource({ url: address, name: 'orders', isFollowed: () => true, from: null });
      return source.chunks(never())[Symbol.asyncIterator]().next();
    };
    await expect(open(url.replace('secret', 'wrong'))).rejects.toThrow('no NATS server at nats://…@127.0.0.1:');
    await server.restart!.stop();
    await server.startWith();
    await expect(open(url)).rejects.toThrow(
      'This NATS server has no JetStream, which keeps messages; start it with -js.',
    );
    await server.restart!.stop();
    await server.restart!.start();
  });
});
