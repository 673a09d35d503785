import { Outcome, type ReadFromIndex } from '@isolab/history';

/**
 * All transactions in one order: those that happened as they are in an order in which everything certain holds, and each
 * other one behind the one that the pace of sessions has before it.
 */
export function guessedOrder({ outcome }: ReadFromIndex, order: Int32Array, byPace: Int32Array): Int32Array {
  if (order.length === byPace.length) return order;
  const others = new Map<number, number[]>(); // by the transaction that they come behind
  let last = -1;
  for (const t of byPace) {
    if (outcome[t] === Outcome.Happened) last = t;
    else if (others.has(last)) others.get(last)!.push(t);
    else others.set(last, [t]);
  }
  const all = [...(others.get(-1) ?? [])];
  for (const t of order) {
    all.push(t);
    for (const other of others.get(t) ?? []) all.push(other);
  }
  return Int32Array.from(all);
}
