import { expect, test } from 'vitest';
import { Versions } from '../src/workload/workload.ts';

test('versions are counted for each key by itself, of any kind', () => {
  const versions = new Versions();
  const keys = [0, 16, 32, -16, 3.5, 3, '0', '16', 1e12, Number.MAX_SAFE_INTEGER];
  for (const count of [1, 2, 3]) expect(keys.map((key) => versions.next(key))).toEqual(keys.map(() => count));
});
