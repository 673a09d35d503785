import { type History, countTransactions } from '@isolab/history';
import { groupBy } from '../csr.ts';
import { IntList } from '../int-list.ts';

/**
 * One order of `txns` that agrees with SO and with the orders of all parts. There is one: a shortest cycle of their
 * union would stay within a single part, whose order is total (proof of Theorem 5.2).
 */
export function mergeOrders(history: History, txns: Int32Array, orders: readonly Int32Array[]): Int32Array {
  const n = countTransactions(history);
  const from = new IntList();
  const to = new IntList();
  const indegree = new Int32Array(n);
  const connect = (a: number, b: number): void => {
    from.push(a);
    to.push(b);
    indegree[b]++;
  };
  for (let i = 1; i < txns.length; i++) {
    if (history.txnSession[txns[i - 1]] === history.txnSession[txns[i]]) connect(txns[i - 1], txns[i]);
  }
  for (const order of orders) for (let i = 1; i < order.length; i++) connect(order[i - 1], order[i]);

  const { start, target } = groupBy(from.toArray(), n);
  const merged = new Int32Array(txns.length);
  let placed = 0;
  for (const t of txns) if (indegree[t] === 0) merged[placed++] = t;
  for (let next = 0; next < placed; next++) {
    const a = merged[next];
    for (let i = start[a]; i < start[a + 1]; i++) {
      const b = to.at(target[i]);
      if (--indegree[b] === 0) merged[placed++] = b;
    }
  }
  if (placed < txns.length)
    throw new Error(`Orders of parts contradict one another at ${txns.length - placed} places.`);
  return merged;
}
