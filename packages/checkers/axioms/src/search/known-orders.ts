import { type History, listVersions, type ReadFromIndex } from '@isolab/history';
import type { Facts } from '../facts/facts.ts';
import { rowOfWriter } from '../facts/facts.ts';
import { type Points, versionPoint } from '../facts/order.ts';
import type { KnownOrder } from './order-graph.ts';

/** What is in a known order: writers that a list shows, and at levels about events the two of each transaction. */
export function knownOrders(
  history: History,
  index: ReadFromIndex,
  facts: Facts,
  { kind }: Points,
  ofLists: boolean,
): KnownOrder[] {
  const { keyStart, numShown, longestRead, txn } = listVersions(history, index);
  const nodeOf = new Int32Array(history.txnStatus.length).fill(-1);
  for (let n = 0; n < facts.initial; n++) nodeOf[facts.txnOf[n]] = n;
  const orders: KnownOrder[] = [];
  if (kind === 'events')
    for (let n = 0; n < facts.initial; n++) orders.push({ first: 2 * n, second: 2 * n + 1, read: -1 });
  if (!ofLists) return orders;
  for (let key = 0; key + 1 < keyStart.length; key++) {
    if (numShown[key] === 0) continue;
    const read = longestRead[key];
    const pointAt = (node: number): number => versionPoint(kind, facts.writes, rowOfWriter(facts.writes, key, node));
    const isShown = new Set<number>();
    let last = -1;
    for (let v = keyStart[key]; v < keyStart[key] + numShown[key]; v++) {
      const node = txn[v] < 0 ? -1 : nodeOf[txn[v]];
      if (node < 0 || isShown.has(node)) continue;
      isShown.add(node);
      if (last >= 0) orders.push({ first: pointAt(last), second: pointAt(node), read });
      last = node;
    }
    const { start, node } = facts.writes;
    for (let row = start[key]; row < start[key + 1]; row++)
      if (last >= 0 && !isShown.has(node[row])) orders.push({ first: pointAt(last), second: pointAt(node[row]), read });
  }
  return orders;
}
