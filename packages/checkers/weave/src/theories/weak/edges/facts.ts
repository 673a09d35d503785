import { type History, OpKind, type ReadFromIndex } from '@isolab/history';
import { Relations, happenedIn, nodesInPlace } from '@isolab/graph/relations';

/**
 * Facts of a history that the weak levels need: the writer that each read saw, and the last writers of each key, in
 * rows. Transactions keep their numbers, session by session, so earlier transactions of a session have smaller numbers.
 */
export interface EdgeFacts {
  readonly history: History;
  readonly happened: Uint8Array;
  readonly relations: Relations;
  /** Transaction that each operation reads from, INITIAL_TXN, or NO_SOURCE. */
  readonly source: Int32Array;
  /** Last transaction before each transaction in its session that happened, or −1. */
  readonly previous: Int32Array;
}

export function gatherFacts(history: History, index: ReadFromIndex): EdgeFacts {
  const happened = happenedIn(index.outcome);
  const relations = new Relations(history, index, nodesInPlace(happened));
  return { history, happened, relations, source: relations.source, previous: relations.neighbours.previous };
}

/** Counts the transactions that happened. */
export function countHappened({ happened }: Pick<EdgeFacts, 'happened'>): number {
  let count = 0;
  for (let t = 0; t < happened.length; t++) count += happened[t];
  return count;
}

/** Returns the last write of a key by a transaction. */
export function lastWriteOf({ txnStart, opKind, opKey }: History, t: number, key: number): number {
  let op = txnStart[t + 1] - 1;
  while (opKind[op] !== OpKind.Write || opKey[op] !== key) op--;
  return op;
}
