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
  while (drawn.size < most) {
    const left = [...lengths];
    const order: number[] = [];
    for (let all = left.reduce((sum, one) => sum + one, 0); all > 0; all--) {
      let at = random.fraction() * all;
      const of = left.findIndex((one) => (at -= one) < 0);
      left[of]!--;
      order.push(of);
    }
    drawn.set(order.join(), order);
  }
  return [...drawn.values()];
}

/** Park and Miller's generator. Its numbers only need to be reproducible. */
function numbers(): () => number {
  let state = 48271;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}
