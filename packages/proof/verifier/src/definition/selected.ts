import type { History, IdColumn, TransactionId } from '@isolab/history';
import { type BaseRelation, levelSelectedBy } from '@isolab/levels';

/** Returns whether a relation about stated levels selects a transaction or a read; false for all other relations. */
export function isSelected(
  { txnLevels }: History,
  name: BaseRelation,
  thing: number,
  txnOf: IdColumn<TransactionId>,
): boolean {
  const selected = levelSelectedBy(name);
  if (selected === null || txnLevels === null) return false;
  const place = txnLevels.of[selected.isOfReads ? txnOf[thing] : thing];
  return place > 0 && txnLevels.names[place - 1] === selected.level;
}
