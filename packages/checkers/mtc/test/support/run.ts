import type { LevelName } from '@isolab/contract';
import { type History, transactionOfOperations } from '@isolab/history';
import { mtc } from '../../src/index.ts';

/** Linearizability is of operations on one key; the oracle is not asked about other transactions. */
export function isOfSingleKeys(history: History): boolean {
  const txnOf = transactionOfOperations(history);
  return history.opKey.every((key, op) => key === history.opKey[history.txnStart[txnOf[op]!]!]);
}

export const levelsOf = (history: History): readonly LevelName[] =>
  isOfSingleKeys(history) ? mtc.info.levels : mtc.info.levels.filter((level) => level !== 'linearizable');
