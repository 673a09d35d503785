import type { CheckerVerdict } from '@isolab/contract';
import type { History } from '@isolab/history';

/** Returns the transactions that the certificates of a violation name directly or through operations. */
export function transactionsIn(
  { anomalies }: Extract<CheckerVerdict, { status: 'violated' }>,
  { txnStart }: History,
): Set<number> {
  const named = new Set<number>(anomalies.flatMap(({ transactions }) => transactions));
  for (const [name, value] of numbersIn(anomalies.flatMap(({ certificate }) => certificate ?? []))) {
    if (value < 0) continue;
    if (TRANSACTIONS.has(name)) named.add(value);
    else if (OPERATIONS.has(name)) named.add(transactionOf(value, txnStart));
  }
  return named;
}

/** Yields the numbers in certificates with the names of their fields, or of their lists. */
export function* numbersIn(certificates: readonly object[]): Generator<readonly [name: string, value: number]> {
  const seen = new Set<object>(); // reasons may share edges
  const rest = [...certificates];
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (seen.has(part)) continue;
    seen.add(part);
    for (const [name, value] of Object.entries(part) as [string, unknown][]) {
      for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
        if (typeof each === 'number') yield [name, each];
        else if (typeof each === 'object' && each !== null) rest.push(each);
      }
    }
  }
}

const TRANSACTIONS: ReadonlySet<string> = new Set(['from', 'to', 'first', 'second', 'writer']);
const OPERATIONS: ReadonlySet<string> = new Set(['read', 'reads', 'write', 'other']);

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
