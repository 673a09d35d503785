import type { FoundAnomaly } from '@isolab/contract';
import {
  type History,
  OpKind,
  type OperationId,
  countOperations,
  countTransactions,
  transactionOfOperations,
  valueWritten,
} from '@isolab/history';
import { withNeighbours } from '../shrink/named.ts';
import { partsOf } from '../shrink/part.ts';
import type { Violates } from '../shrink/result.ts';
import { shrink } from '../shrink/shrink.ts';
import { inWhole } from './renumber.ts';

/**
 * Returns the smallest violation among a few transactions, in the numbers of the history; null if they do not violate
 * the level by themselves. Of `context`, and of the transactions that they read from, only the writes count, and the
 * versions that these replaced.
 */
export function smallestAmong(
  history: History,
): (
  transactions: ReadonlySet<number>,
  context: ReadonlySet<number>,
  violates: Violates,
) => Promise<FoundAnomaly | null> {
  const keep = partsOf(history);
  const txnOf = transactionOfOperations(history);
  const { opKey, opKind } = history;
  const isWrite = (op: number): boolean => valueWritten(history, op as OperationId) >= 0;
  const isReplaced = (op: number): boolean =>
    opKind[op] === OpKind.Read && opKey[op] === opKey[op + 1] && txnOf[op] === txnOf[op + 1] && isWrite(op + 1);
  return async (transactions, context, violates) => {
    const kept = new Uint8Array(countTransactions(history));
    for (const t of withNeighbours(history, new Set([...transactions, ...context]))) kept[t] = 1;
    const ops = new Uint8Array(countOperations(history));
    for (let op = 0; op < ops.length; op++)
      if (kept[txnOf[op]] === 1 && (transactions.has(txnOf[op]) || isWrite(op) || isReplaced(op))) ops[op] = 1;
    const part = keep(kept, ops);
    const judgement = await violates(part.history);
    if (!judgement || judgement === true || judgement === 'unknown') return null;
    const small = await shrink(part.history, violates, { anomaly: judgement, retries: 0 });
    if (small.anomaly === null) return null;
    const inPart = inWhole(small, part.history, small.anomaly);
    return inWhole(part, history, { ...inPart, transactions: Array.from(small.txnOf) });
  };
}
