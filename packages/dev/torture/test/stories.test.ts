import { expect, test } from 'vitest';
import { stories } from '../src/stories/stories.ts';
import { Tally } from '../src/suite/tally.ts';

test('recorded histories are reported in every output', async () => {
  const tally = new Tally();
  await stories.run(24, 1, tally);
  expect(tally.failures).toEqual([]);
  expect(tally.total().survived).toBe(24);
});
