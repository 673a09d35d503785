import { type History, OpKind, Outcome, type ReadFromIndex, transactionOfOperations } from '@isolab/history';

/** Stands for the initial transaction, and for writers that did not happen, where a node is expected. */
export const NOBODY = -1;

/** The transactions that happened, as dense nodes, session by session. */
export interface Model {
  readonly history: History;
  readonly index: ReadFromIndex;
  readonly numNodes: number;
  /** Transaction of each node. */
  readonly txnOf: Int32Array;
  /** Node of each transaction, or NOBODY. */
  readonly nodeOf: Int32Array;
  /** Node of each operation, or NOBODY. */
  readonly nodeOfOp: Int32Array;
  readonly kind: 'list-append' | 'rw-register';
}

export function buildModel(history: History, index: ReadFromIndex): Model {
  const { outcome } = index;
  const nodeOf = new Int32Array(outcome.length).fill(NOBODY);
  let numNodes = 0;
  for (let t = 0; t < outcome.length; t++) if (outcome[t] === Outcome.Happened) nodeOf[t] = numNodes++;
  const txnOf = new Int32Array(numNodes);
  for (let t = 0; t < outcome.length; t++) if (nodeOf[t] >= 0) txnOf[nodeOf[t]] = t;
  const nodeOfOp = transactionOfOperations(history);
  for (let op = 0; op < nodeOfOp.length; op++) nodeOfOp[op] = nodeOf[nodeOfOp[op]];
  return { history, index, numNodes, txnOf, nodeOf, nodeOfOp, kind: kindOf(history) };
}

/** A history holds lists or registers, never both: the checker requires as much. */
const kindOf = ({ opKind }: History): Model['kind'] =>
  opKind.some((kind) => kind === OpKind.Append || kind === OpKind.ListRead) ? 'list-append' : 'rw-register';
