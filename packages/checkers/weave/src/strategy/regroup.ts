import type { History, IdColumn, TransactionId } from '@isolab/history';

/** Transactions that each have some operations of one transaction of a history, session by session. */
export interface Groups {
  readonly sessionStart: readonly number[];
  /** Original transaction of each transaction. */
  readonly txnOf: ArrayLike<number>;
  readonly txnStart: readonly number[];
  /** Original operation of each operation. */
  readonly opOf: ArrayLike<number>;
}

/** Returns the history of these transactions, with the calls and returns of the original transactions. */
export function regrouped(history: History, { sessionStart, txnOf, txnStart, opOf }: Groups): History {
  const txnSession = new Int32Array(txnOf.length);
  for (let s = 0; s + 1 < sessionStart.length; s++) txnSession.fill(s, sessionStart[s], sessionStart[s + 1]);
  return {
    ...history,
    sessionStart: Int32Array.from(sessionStart) as IdColumn<TransactionId>,
    txnStart: Int32Array.from(txnStart),
    txnSession,
    txnStatus: pick(history.txnStatus, txnOf),
    txnPosition: pick(history.txnPosition, txnOf),
    txnNames: null,
    txnLevels: null,
    txnBegin: history.txnBegin && pick(history.txnBegin, txnOf),
    txnBegun: null,
    txnCommitting: null,
    txnEnd: history.txnEnd && pick(history.txnEnd, txnOf),
    txnStartTs: null,
    txnCommitTs: null,
    opKind: pick(history.opKind, opOf),
    opKey: pick(history.opKey, opOf),
    opValue: pick(history.opValue, opOf),
    opPosition: null,
    opVersion: null,
    opStatement: history.opStatement && pick(history.opStatement, opOf),
  };
}

function pick<Column extends Int32Array | Uint8Array | Float64Array | BigInt64Array>(
  column: Column,
  numbers: ArrayLike<number>,
): Column {
  const picked = new (column.constructor as new (length: number) => Column)(numbers.length);
  for (let i = 0; i < numbers.length; i++) picked[i] = column[numbers[i]!]!;
  return picked;
}
