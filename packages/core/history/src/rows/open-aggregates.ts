import type { History } from '../history.ts';
import { OpKind, TxnStatus } from '../operation.ts';

/**
 * Returns scans among the given ones whose aggregates have to be explained: none if all of them are in transactions
 * that need not have happened. Else all but those of aborted transactions, for what explains one may show that others
 * happened.
 */
export function openAggregates(
  history: History,
  scans: readonly number[],
  isPossible: (t: number) => boolean,
): readonly number[] {
  const { txnStart, txnStatus, opKind, opValue } = history;
  const asked = new Set(scans);
  const open: number[] = [];
  let isNeeded = false;
  for (let t = 0; t < txnStatus.length && asked.size > 0; t++) {
    if (txnStatus[t] === TxnStatus.Aborted) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Scan || !asked.has(opValue[op])) continue;
      open.push(opValue[op]);
      isNeeded ||= isPossible(t);
    }
  }
  return isNeeded ? open : [];
}
