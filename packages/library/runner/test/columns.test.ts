import { countOperations } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { putTogether, share, takeApart } from '../src/columns.ts';
import { smallHistory } from './support/moody.ts';

const data = (): { columns: object; rest: object } => ({
  columns: {
    bytes: Uint8Array.of(1, 2, 255),
    ids: Int32Array.of(-1, 2 ** 31 - 1),
    positions: Uint32Array.of(2 ** 32 - 1),
    times: BigInt64Array.of(-(2n ** 63n), 5n),
    empty: new Float64Array(0),
    part: new Int32Array([1, 2, 3, 4]).subarray(1, 3),
  },
  rest: { text: 'é', none: null, list: [1, 'two', { three: 3 }], column: 7 },
});

describe('columns', () => {
  test('columns are shared once: the same data again gives the same memory', () => {
    const history = smallHistory();
    const first = share(history);
    expect(first.opKey.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect([...first.opKey]).toEqual([...history.opKey]);
    expect(share(history).opKey).toBe(first.opKey);
    expect(share(first).opKey).toBe(first.opKey);
    expect(countOperations(history)).toBe(6);
  });

  test.each([
    ['plain', data()],
    ['shared', share(data())],
  ])('columns that are taken apart and put together are unchanged: %s', (_, given) => {
    const { skeleton, columns } = takeApart(given);
    expect(skeleton.byteLength).toBe(3 + 8 + 4 + 16 + 0 + 8);
    let next = 0;
    const again = putTogether(structuredClone(skeleton), (bytes) => {
      const { buffer, byteOffset, byteLength } = columns[next++]!;
      bytes.set(new Uint8Array(buffer, byteOffset, byteLength));
    });
    expect(again).toEqual(data());
  });

  test('columns of an unknown type are refused', () => {
    expect(() => share({ a: new Float32Array(1) })).toThrow('A column is a Float32Array, expected one of Uint8Array');
  });
});
