import { expect, test } from 'vitest';
import { RecentKeys } from '../../src/relations/index.ts';

test('recent keys are found exactly in the part that has them, however long the part is', () => {
  const numKeys = 50;
  const column = new Int32Array(400).fill(-1);
  const keys = new RecentKeys(column, numKeys);
  let end = 0;
  for (const length of [3, 40, 0, 33, 32, 50, 1, 48, 31]) {
    const from = end;
    for (let i = 0; i < length; i++) keys.put((7 * i + length) % numKeys, from, end++);
    for (let key = 0; key < numKeys; key++) {
      const place = column.indexOf(key, from);
      expect(keys.find(key, from, end)).toBe(place < end ? place : -1);
    }
  }
});
