import { type History, OpKind, TxnStatus, atomOf, countKeys, foldInitialTransaction } from '@isolab/history';
import type { Loss } from './format.ts';

/**
 * IsoVista begins its files with an explicit initial transaction: transaction 0 of session 0 stands first, alone in its
 * session, and writes 0, which every key is initially, to every key of the file. No client's transaction looks so: a
 * client of these tools writes no value twice, and never the initial one.
 */
export function withoutConventionalInitialTransaction(history: History): History {
  const { sessionNames, txnNames } = history;
  if (!hasConventionalShape(history)) return history;
  if (atomOf(sessionNames, 0) !== 0n || (txnNames !== null && atomOf(txnNames, 0) !== 0n)) return history;
  const folded = foldInitialTransaction(history, 0).history;
  return { ...folded, source: { ...folded.source, notes: { ...folded.source.notes, initialTransactions: 1 } } };
}

/** Adds to the losses a first transaction that would be taken for the initial one. */
export function withMistakableTransaction(losses: readonly Loss[], history: History): readonly Loss[] {
  if (!hasConventionalShape(history)) return losses;
  return [...losses, { name: 'initial-values', count: 1, fate: 'become the initial state, with their transaction' }];
}

function hasConventionalShape(history: History): boolean {
  const { sessionStart, txnStart, txnStatus, txnPosition, opKind, opKey, opValue, values } = history;
  if (txnStatus.length < 2 || sessionStart[1] !== 1 || txnStatus[0] !== TxnStatus.Committed) return false;
  const written = new Set<number>();
  for (let op = 0; op < txnStart[1]!; op++) {
    if (opKind[op] !== OpKind.Write || atomOf(values, opValue[op]!) !== 0n) return false;
    written.add(opKey[op]!);
  }
  return written.size > 0 && written.size === countKeys(history) && !txnPosition.some((at) => at < txnPosition[0]!);
}
