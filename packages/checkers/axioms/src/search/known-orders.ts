import { placeOfWriter } from '@isolab/graph/relations';
import type { ListVersions } from '@isolab/history';
import type { LevelFacts } from '../facts/facts.ts';
import { type Points, versionPoint } from '../facts/order.ts';
import type { KnownOrder } from './order-graph.ts';

/**
 * Pairs of points in a known order: writers that a list shows and, at levels about events, each begin and its commit.
 */
export function knownOrders(
  { keyStart, numShown, longestRead, txn }: ListVersions,
  facts: LevelFacts,
  { kind }: Points,
  ofLists: boolean,
): KnownOrder[] {
  const orders: KnownOrder[] = [];
  if (kind === 'events')
    for (let n = 0; n < facts.initial; n++) orders.push({ first: 2 * n, second: 2 * n + 1, read: -1 });
  if (!ofLists || longestRead.every((read) => read < 0)) return orders;
  const nodeOf = new Map(Array.from(facts.txnOf, (t, node) => [t, node]));
  for (const [key, name] of facts.keyNames.entries()) {
    if (numShown[name] === 0) continue;
    const read = longestRead[name];
    const pointAt = (node: number): number => versionPoint(kind, facts.writes, placeOfWriter(facts.writes, key, node));
    const isShown = new Set<number>();
    let last = -1;
    for (let v = keyStart[name]; v < keyStart[name] + numShown[name]; v++) {
      const node = nodeOf.get(txn[v]) ?? -1;
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
