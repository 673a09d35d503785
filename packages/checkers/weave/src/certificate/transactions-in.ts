import type { Verdict } from '@isolab/contract';
import type { History } from '@isolab/history';

/** The transactions that the certificates of a violation name, and those whose operations they name. */
export function transactionsIn(
  { anomalies }: Extract<Verdict, { status: 'violated' }>,
  { txnStart }: History,
): Set<number> {
  const named = new Set<number>(anomalies.flatMap(({ transactions }) => transactions));
  const seen = new Set<object>(); // reasons may share edges
  const rest: object[] = anomalies.flatMap(({ certificate }) => certificate ?? []);
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (seen.has(part)) continue;
    seen.add(part);
    for (const [name, value] of Object.entries(part) as [string, unknown][]) {
      if (typeof value === 'object' && value !== null) rest.push(value);
      else if (typeof value !== 'number' || value < 0) continue;
      else if (TRANSACTIONS.has(name)) named.add(value);
      else if (OPERATIONS.has(name)) named.add(transactionOf(value, txnStart));
    }
  }
  return named;
}

const TRANSACTIONS: ReadonlySet<string> = new Set(['from', 'to', 'first', 'second', 'writer']);
const OPERATIONS: ReadonlySet<string> = new Set(['read', 'write', 'other']);

function transactionOf(op: number, txnStart: Int32Array): number {
  let low = 0;
  let high = txnStart.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (txnStart[middle] <= op) low = middle;
    else high = middle - 1;
  }
  return low;
}
