// Slow: needs Java, and a Kafka that Maven fetches.
import { unless } from '@isolab/needs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type RunningKafka, startKafka } from './servers/kafka.ts';
import { END, HEADER, LOST, add, watcherOf } from './servers/watched.ts';

describe('a topic of Kafka', { timeout: 60_000, ...unless('kafka') }, () => {
  let server: RunningKafka;
  beforeAll(async () => {
    server = await startKafka();
  }, 300_000);
  afterAll(() => server?.close());
  afterEach(() => server.remove());

  test('a topic of Kafka has no messages of aborted transactions, and those of committed ones once', async () => {
    await server.create();
    await server.put(HEADER);
    await server.putTogether('commit', add(0), add(1));
    await server.putTogether('abort', LOST, 'garbage');
    await server.put(add(2));
    await server.putTogether('commit', add(3), END);
    const { again } = watcherOf(server.sourceOf);
    const expected = { ending: 'ended', status: { transactions: 4, levels: { serializable: 'stands' } } };
    expect(await again()).toMatchObject(expected);
    expect(await again()).toMatchObject(expected);
  });

  test.each([
    [
      'several partitions',
      { partitions: 3 },
      'The topic orders has 3 partitions, between which messages have no order',
    ],
    [
      'compaction',
      { configs: [{ name: 'cleanup.policy', value: 'compact' }] },
      'The topic orders is compacted, so messages vanish without a trace; expected cleanup.policy=delete.',
    ],
  ])('a topic of Kafka with %s is refused', async (_, settings, message) => {
    await server.createWith(settings);
    await expect(watcherOf(server.sourceOf).again(true)).rejects.toThrow(message);
  });
});
