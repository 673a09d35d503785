import { type Atoms, countAtoms } from '../columns/atoms.ts';
import { type History, countOperations, countTransactions } from './history.ts';
import type { IdColumn, OperationId, TransactionId } from '../columns/ids.ts';

/** Parts that a slice keeps: 1 for each transaction or operation that stays; null keeps all of them. */
export interface Kept {
  readonly txns?: Uint8Array | null;
  readonly ops?: Uint8Array | null;
}

/**
 * Part of a history with the same keys, values, lists and sessions; `txnOf` and `opOf` map it to the whole. A
 * transaction stays, even if it becomes empty, unless it is removed itself.
 */
export interface Slice {
  readonly history: History;
  readonly txnOf: IdColumn<TransactionId>;
  readonly opOf: IdColumn<OperationId>;
}

export function slice(history: History, { txns = null, ops = null }: Kept): Slice {
  const { txnStart, sessionStart, txnNames } = history;
  const txnOf: number[] = [];
  const opOf: number[] = [];
  const newTxnStart = [0];
  const newSessionStart = new Int32Array(sessionStart.length);
  for (let s = 0; s + 1 < sessionStart.length; s++) {
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      if (txns && txns[t] === 0) continue;
      txnOf.push(t);
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (!ops || ops[op] !== 0) opOf.push(op);
      newTxnStart.push(opOf.length);
    }
    newSessionStart[s + 1] = txnOf.length;
  }
  return {
    history: {
      ...history,
      sessionStart: newSessionStart as IdColumn<TransactionId>,
      txnStart: Int32Array.from(newTxnStart) as IdColumn<OperationId>,
      txnSession: pick(history.txnSession, txnOf),
      txnStatus: pick(history.txnStatus, txnOf),
      txnPosition: pick(history.txnPosition, txnOf),
      txnNames: txnNames && pickAtoms(txnNames, txnOf),
      txnLevels: history.txnLevels && { ...history.txnLevels, of: pick(history.txnLevels.of, txnOf) },
      txnBegin: history.txnBegin && pick(history.txnBegin, txnOf),
      txnBegun: history.txnBegun && pick(history.txnBegun, txnOf),
      txnCommitting: history.txnCommitting && pick(history.txnCommitting, txnOf),
      txnEnd: history.txnEnd && pick(history.txnEnd, txnOf),
      txnStartTs: history.txnStartTs && pick(history.txnStartTs, txnOf),
      txnCommitTs: history.txnCommitTs && pick(history.txnCommitTs, txnOf),
      opKind: pick(history.opKind, opOf),
      opKey: pick(history.opKey, opOf),
      opValue: pick(history.opValue, opOf),
      opPosition: ops ? pick(positions(history), opOf) : history.opPosition && pick(history.opPosition, opOf),
      opVersion: history.opVersion && pick(history.opVersion, opOf),
      opStatement: history.opStatement && pick(history.opStatement, opOf),
    },
    txnOf: Int32Array.from(txnOf) as IdColumn<TransactionId>,
    opOf: Int32Array.from(opOf) as IdColumn<OperationId>,
  };
}

/** Returns the distance of every operation from its transaction's position. */
function positions(history: History): Uint32Array {
  if (history.opPosition) return history.opPosition;
  const { txnStart, source } = history;
  const position = new Uint32Array(countOperations(history));
  for (let t = 0; t < countTransactions(history); t++) {
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) position[op] = (op - txnStart[t]) * source.opStride;
  }
  return position;
}

type Column = Uint8Array | Int32Array | Uint32Array | Float64Array | BigInt64Array;

function pick<C extends Column>(column: C, rows: readonly number[]): C {
  const picked = new (column.constructor as new (length: number) => C)(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = column[rows[i]!]!;
  return picked;
}

const pickAtoms = (atoms: Atoms, rows: readonly number[]): Atoms =>
  rows.length === countAtoms(atoms)
    ? atoms
    : { ...atoms, type: pick(atoms.type, rows), lo: pick(atoms.lo, rows), hi: pick(atoms.hi, rows) };
