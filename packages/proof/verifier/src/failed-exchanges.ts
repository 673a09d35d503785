import { Exchange, type History, OpKind, type OperationId, UNKNOWN_VALUE } from '@isolab/history';
import { refuse } from './verdict/flaw.ts';

// A failed compare-and-set found another value than expected. Only linearizability considers it: it is ordered among
// the other operations of its key like a read with an unknown result.

/** Returns the history with failed compare-and-sets as reads with unknown results. */
export function withFailedAsReads(history: History): History {
  const { opKind, opValue } = history;
  if (!opKind.some((_, op) => isFailed(history, op))) return history;
  return {
    ...history,
    opKind: opKind.map((kind, op) => (isFailed(history, op) ? OpKind.Read : kind)),
    opValue: opValue.map((value, op) => (isFailed(history, op) ? UNKNOWN_VALUE : value)),
  };
}

/** Refuses if a failed compare-and-set would have found its expected value in an order of transactions. */
export function verifyFailedExchanges(history: History, order: Iterable<number>): void {
  const { txnStart, opKind, opKey, opValue, exchanges, keyInitial } = history;
  const held = keyInitial.slice();
  for (const t of order) {
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const [key, x] = [opKey[op], opValue[op]];
      if (opKind[op] === OpKind.Write) held[key] = x;
      else if (!isExchange(history, op)) continue;
      else if (!isFailed(history, op)) held[key] = exchanges.written[x];
      else if (exchanges.observed[x] === held[key] && held[key] !== UNKNOWN_VALUE)
        refuse(
          `operation ${op} of the history, in transaction ${t}, failed, but finds its expected value in the order`,
        );
    }
  }
}

const isExchange = ({ opKind }: History, op: OperationId): boolean =>
  opKind[op] === OpKind.CompareAndSet || opKind[op] === OpKind.Insert || opKind[op] === OpKind.Delete;

const isFailed = (history: History, op: OperationId): boolean =>
  isExchange(history, op) && (history.exchanges.flags[history.opValue[op]] & Exchange.Failed) !== 0;
