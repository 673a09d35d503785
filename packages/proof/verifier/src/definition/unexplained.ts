import { EMPTY_LIST, OpKind, TxnStatus, UNKNOWN_LIST } from '@isolab/history';
import type { AllowedRead, LevelDefinition } from '@isolab/levels';
import { BLIND, listOfOthers } from '../facts/list-tree.ts';
import type { RawFacts } from '../facts/raw-facts.ts';
import { Rank } from '../facts/versions.ts';

/**
 * Returns whether a level allows an external read of a register to have no writer: some write of its value may be read
 * at the level.
 */
export function mayBeUnexplained(
  { history, txnOf, versions }: RawFacts,
  allows: readonly AllowedRead[],
  read: number,
): boolean {
  if (allows.length === 0) return false;
  if (allows.includes('thin-air-reads')) return true;
  return versions.writesOf(history.opKey[read], history.opValue[read]).some((write) => {
    const t = txnOf[write];
    if (t === txnOf[read]) return allows.includes('future-reads');
    if (history.txnStatus[t] === TxnStatus.Aborted) return allows.includes('aborted-reads');
    return versions.rank[write] === Rank.InPassing && allows.includes('intermediate-reads');
  });
}

/** Returns whether a read does not show earlier writes or appends of its own transaction. */
function isBlind({ history, ownWrite }: RawFacts, read: number): boolean {
  const { opKind, opValue } = history;
  if (opKind[read] === OpKind.Read) return ownWrite[read] >= 0 && opValue[ownWrite[read]] !== opValue[read];
  return (
    opKind[read] === OpKind.ListRead &&
    opValue[read] !== UNKNOWN_LIST &&
    (opValue[read] !== EMPTY_LIST || ownWrite[read] >= 0) &&
    listOfOthers(history, ownWrite, read) === BLIND
  );
}

/**
 * Returns whether a level forbids that a read shows an anomaly by itself. Reads other than blind ones may count as out
 * of thin air, where those are allowed.
 */
export const isForbiddenRead = (
  facts: RawFacts,
  { allows }: LevelDefinition,
  read: number,
  kind: AllowedRead,
): boolean =>
  isBlind(facts, read) ? !allows.includes('blind-reads') : !allows.includes(kind) && !allows.includes('thin-air-reads');
