import {
  type History,
  type TransactionId,
  TxnStatus,
  countTransactions,
  levelOf,
  locateTransaction,
  nameTransaction,
} from '@isolab/history';
import { type LevelName, STATABLE } from '@isolab/levels';

/** Reason why the transactions of a history cannot be judged at the levels that they state; null if they can be. */
export function whyNotStated(history: History): string | null {
  for (let t = 0 as TransactionId; t < countTransactions(history); t++) {
    if (history.txnStatus[t] === TxnStatus.Aborted) continue;
    const level = levelOf(history, t);
    if (level !== null && STATABLE.some((name) => name === level)) continue;
    const found = level === null ? 'states no level' : `states the level ${JSON.stringify(level)}`;
    return `${nameTransaction(history, t)} (${locateTransaction(history, t)}) ${found}, expected ${STATABLE.join(', ')}. ${level === null ? 'The field "level" of the header is the level of transactions that state none.' : 'The field "levels" of the header explains other names, such as {"read committed":"read-committed"}.'}`;
  }
  return null;
}

/** Returns the only level that the transactions of a history state; null if they state several levels, or none. */
export function onlyStated({ txnLevels, txnStatus }: History): LevelName | null {
  if (txnLevels === null) return null;
  const stated = new Set(txnLevels.of.filter((_, t) => txnStatus[t] !== TxnStatus.Aborted));
  const [only] = stated;
  return stated.size === 1 ? (STATABLE.find((name) => name === txnLevels.names[only - 1]) ?? null) : null;
}
