import { type PlainOperation, atomOf, fromPlain } from '@isolab/history';
import { expect, test } from 'vitest';
import { readFacts } from '../src/facts/facts.ts';

test('a range reads absent registers in the order of their keys, but neither lists nor keys that are only compared', () => {
  const writes = (['c', 10n, 'b', 9n, 'a'] as const).map((key): PlainOperation => ({ kind: 'write', key, value: 1n }));
  const others: PlainOperation[] = [
    { kind: 'append', key: 'list', value: 1n },
    { kind: 'compare-and-set', key: 'compared', observed: 5n, written: 6n, failed: true },
  ];
  const range: PlainOperation = {
    kind: 'range-read',
    low: null,
    high: null,
    rows: [{ key: 'b', value: 1n, dead: false }],
  };
  const history = fromPlain({
    initial: 0n,
    sessions: [[...writes, ...others], [range]].map((operations, s) => ({
      name: BigInt(s),
      transactions: [{ status: 'committed', operations }],
    })),
  });
  const { reads } = readFacts(history).attempts[1]!.ways[0]!;
  expect(reads.map(({ key }) => atomOf(history.keys, key))).toEqual(['b', 9n, 10n, 'a', 'c']);
});
