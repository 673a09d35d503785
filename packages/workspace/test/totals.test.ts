import { expect, test } from 'vitest';

test('the pipeline runs tests', () => {
  expect(1 + 1).toBe(2);
});
