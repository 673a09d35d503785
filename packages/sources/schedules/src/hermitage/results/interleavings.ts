import type { CaseStep } from '../cases/case.ts';

/** Counts the interleavings of transactions that keep the statement order of each transaction. */
export function countInterleavings(lengths: readonly number[]): number {
  let placed = 0;
  let count = 1;
  for (const length of lengths) for (let i = 1; i <= length; i++) count = (count * ++placed) / i;
  return Math.round(count);
}

/**
 * Returns interleavings that keep the statement order of each transaction: all if there are at most `most`, otherwise
 * `most` different ones, in a reproducible choice by default. BEGIN comes directly before the first statement.
 */
export function interleavings(
  transactions: readonly (readonly CaseStep[])[],
  most: number,
  random: { fraction(): number } = { fraction: numbers() },
): readonly (readonly CaseStep[])[] {
  const units = transactions.map(([begin, first, ...rest]) => [[begin!, first!], ...rest.map((step) => [step])]);
  const lengths = units.map(({ length }) => length);
  const orders = countInterleavings(lengths) <= most ? allOrders(lengths) : drawnOrders(lengths, most, random);
  return orders.map((order) => {
    const next = units.map(() => 0);
    return order.flatMap((of) => units[of]![next[of]!++]!);
  });
}

function allOrders(lengths: readonly number[]): readonly (readonly number[])[] {
  if (lengths.every((length) => length === 0)) return [[]];
  return lengths.flatMap((length, of) =>
    length === 0 ? [] : allOrders(lengths.with(of, length - 1)).map((rest) => [of, ...rest]),
  );
}

function drawnOrders(
  lengths: readonly number[],
  most: number,
  random: { fraction(): number },
): readonly (readonly number[])[] {
  const drawn = new Map<string, readonly number[]>();
  const add = (order: readonly number[]): void => void drawn.set(order.join(), order);
  for (const order of nestedOrders(lengths, Math.ceil(NESTED * most), random)) add(order);
  while (drawn.size < most) {
    const left = [...lengths];
    const order: number[] = [];
    for (let all = left.reduce((sum, one) => sum + one, 0); all > 0; all--) {
      let at = random.fraction() * all;
      const of = left.findIndex((one) => (at -= one) < 0);
      left[of]!--;
      order.push(of);
    }
    add(order);
  }
  return [...drawn.values()];
}

/** Share of orders in which the other transactions run while one stands still, as in most published anomalies. */
const NESTED = 2 / 3;

/** Returns at most `most` orders in which one transaction stands still once, while the others run one by one. */
function nestedOrders(
  lengths: readonly number[],
  most: number,
  random: { fraction(): number },
): readonly (readonly number[])[] {
  const all = lengths.flatMap((length, of) =>
    Array.from({ length: Math.max(0, length - 1) }, (_, before) => {
      const others = shuffled(
        [...lengths.keys()].filter((other) => other !== of),
        random,
      );
      return [
        ...repeated(of, before + 1),
        ...others.flatMap((other) => repeated(other, lengths[other]!)),
        ...repeated(of, length - before - 1),
      ];
    }),
  );
  return shuffled(all, random).slice(0, most);
}

const repeated = (of: number, times: number): number[] => Array.from({ length: times }, () => of);

function shuffled<T>(given: readonly T[], random: { fraction(): number }): T[] {
  const drawn = given.map((each) => ({ each, at: random.fraction() }));
  return drawn.toSorted((a, b) => a.at - b.at).map(({ each }) => each);
}

/** Park and Miller's generator. Its numbers only need to be reproducible. */
function numbers(): () => number {
  let state = 48271;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}
