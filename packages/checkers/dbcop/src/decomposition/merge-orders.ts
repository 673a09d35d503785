import { IntList, digraphOf } from '@isolab/graph';

/**
 * One order of `items` that agrees with session order and with the orders of all parts: of transactions, or of begins and
 * commits. They ascend, and follow session order where they are of one session.
 *
 * There is such an order: Where a shortest cycle of the union left a part and came back, it would do so through one
 * session, since parts meet in single sessions. The two items of that session are ordered as on the way outside, for the
 * order of the part outside contains session order; so session order is a shortcut, and the cycle stays within a part,
 * whose order is total (proof of Theorem 5.2). And it is right: what a read sees, and which writers exclude each other,
 * depends on the items of one key only, which are all of one part, in that part's order.
 */
export function mergeOrders(
  items: Int32Array,
  sessionOf: (item: number) => number,
  orders: readonly Int32Array[],
): Int32Array {
  const n = items.length === 0 ? 0 : items[items.length - 1] + 1;
  const from = new IntList();
  const to = new IntList();
  const indegree = new Int32Array(n);
  const connect = (a: number, b: number): void => {
    from.push(a);
    to.push(b);
    indegree[b]++;
  };
  for (let i = 1; i < items.length; i++)
    if (sessionOf(items[i - 1]) === sessionOf(items[i])) connect(items[i - 1], items[i]);
  for (const order of orders) for (let i = 1; i < order.length; i++) connect(order[i - 1], order[i]);

  const { start, target } = digraphOf(n, from.view(), to.view());
  const merged = new Int32Array(items.length);
  let placed = 0;
  for (const item of items) if (indegree[item] === 0) merged[placed++] = item;
  for (let next = 0; next < placed; next++) {
    const a = merged[next];
    for (let i = start[a]; i < start[a + 1]; i++) {
      const b = target[i];
      if (--indegree[b] === 0) merged[placed++] = b;
    }
  }
  if (placed < items.length)
    throw new Error(`Orders of parts contradict one another at ${items.length - placed} places.`);
  return merged;
}
