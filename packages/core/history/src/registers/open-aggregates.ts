import type { History } from '../history/history.ts';
import { OpKind, TxnStatus } from '../columns/operation.ts';
import type { TransactionId } from '../columns/ids.ts';

/**
 * Returns the given scans whose aggregates must be explained: all except scans of aborted transactions, because an
 * explanation may show that other transactions happened. Returns none if no transaction with such a scan may have
 * happened.
 */
export function openAggregates(
  history: History,
  scans: readonly number[],
  isPossible: (t: TransactionId) => boolean,
): readonly number[] {
  const { txnStart, txnStatus, opKind, opValue } = history;
  const asked = new Set(scans);
  const open: number[] = [];
  let isNeeded = false;
  for (let t = 0 as TransactionId; t < txnStatus.length && asked.size > 0; t++) {
    if (txnStatus[t] === TxnStatus.Aborted) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Scan || !asked.has(opValue[op])) continue;
      open.push(opValue[op]);
      isNeeded ||= isPossible(t);
    }
  }
  return isNeeded ? open : [];
}
