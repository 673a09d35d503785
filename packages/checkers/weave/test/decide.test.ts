import { expect, test } from 'vitest';
import { type Ordered, type Refuted, decide } from '../src/loop/decide.ts';

const order = (): Ordered => ({ verdict: { status: 'satisfied' } });
const refuted = (): Refuted => ({ verdict: { status: 'violated', anomalies: [] } });

test('an order that a theory puts in the place of another one is examined, too', () => {
  const [first, second, refutation] = [order(), order(), refuted()];
  expect(
    decide<Ordered, Refuted>(
      () => first,
      (one) => (one === first ? second : refutation),
    ),
  ).toBe(refutation);
  expect(
    decide<Ordered, Refuted>(
      () => first,
      () => second,
    ),
  ).toBe(second);
});

test('a search for an order goes on while reads are added or assumptions are dropped', () => {
  const proposals = [order(), refuted(), order(), null];
  let added = 0;
  const decided = decide<Ordered, Refuted>(
    () => proposals.shift()!,
    () => (added++ === 2 ? null : 'added'),
    () => 'retracted',
  );
  expect([decided, added, proposals.length]).toEqual([null, 2, 0]);
});
