import { EMPTY_LIST, OpKind, type OperationId, TxnStatus, UNKNOWN_LIST } from '@isolab/history';
import type { AllowedRead, LevelDefinition } from '@isolab/levels';
import { BLIND, listOfOthers } from '../facts/list-tree.ts';
import type { RawFacts } from '../facts/raw-facts.ts';
import { Rank } from '../facts/versions.ts';

/**
 * Returns whether a level allows an external read of a register without a writer, because the level allows reads of
 * some write of its value.
 */
export function mayBeUnexplained(
  { history, txnOf, versions }: RawFacts,
  allows: readonly AllowedRead[],
  read: OperationId,
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
function isBlind({ history, ownWrite }: RawFacts, read: OperationId): boolean {
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
 * Returns whether a level forbids the internal anomaly of a read. Where thin-air reads are allowed, reads that are not
 * blind may count as thin-air reads.
 */
export const isForbiddenRead = (
  facts: RawFacts,
  { allows }: LevelDefinition,
  read: OperationId,
  kind: AllowedRead,
): boolean =>
  isBlind(facts, read) ? !allows.includes('blind-reads') : !allows.includes(kind) && !allows.includes('thin-air-reads');
