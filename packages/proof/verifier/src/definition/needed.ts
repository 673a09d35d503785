import { EMPTY_LIST, OpKind, type OperationId, TxnStatus, UNKNOWN_LIST, UNKNOWN_VALUE } from '@isolab/history';
import { refuse } from '../verdict/flaw.ts';
import { type RawFacts, isInitial } from '../facts/raw-facts.ts';

/**
 * Refuses if a transaction of unknown outcome is omitted although only it can have written a value that was read. Such
 * a writer happened, even where a level allows reads without a writer.
 */
export function refuseUnlessTheyHappened(facts: RawFacts): void {
  const { history, txnOf, happened, ownWrite } = facts;
  const { opKind, opKey, opValue, lists } = history;
  for (let op = 0; op < opKind.length; op++) {
    if (happened[txnOf[op]] === 0) continue;
    if (opKind[op] === OpKind.Read) {
      const seesOwn = ownWrite[op] >= 0 && opValue[ownWrite[op]] === opValue[op];
      if (opValue[op] !== UNKNOWN_VALUE && !seesOwn && !isInitial(history, opKey[op], opValue[op]))
        refuseUnlessWritten(facts, op, opValue[op]);
    } else if (opKind[op] === OpKind.ListRead && opValue[op] !== UNKNOWN_LIST)
      for (let node = opValue[op]; node !== EMPTY_LIST; node = lists.parent[node])
        refuseUnlessWritten(facts, op, lists.element[node]);
  }
}

function refuseUnlessWritten({ history, txnOf, happened, versions }: RawFacts, read: OperationId, value: number): void {
  const writers = Array.from(versions.writesOf(history.opKey[read], value), (write) => txnOf[write]);
  if (writers.some((t) => happened[t] === 1)) return;
  const missing = writers.find((t) => history.txnStatus[t] === TxnStatus.Unknown);
  if (missing !== undefined) refuse(`operation ${read} saw a write of transaction ${missing}, which is left out`);
}
