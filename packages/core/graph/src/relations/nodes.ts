import {
  type History,
  type IdColumn,
  Outcome,
  type TransactionId,
  countTransactions,
  happenedTransactions,
} from '@isolab/history';

/** Represents the initial transaction where a node is expected. It is not a node: nothing precedes it. */
export const INITIAL = -1;

/** Transactions that count, under numbers in the order of the history. */
export interface Nodes {
  readonly numNodes: number;
  readonly txnOf: IdColumn<TransactionId>;
  /** Node of each transaction; −1 if it does not count. */
  readonly nodeOf: Int32Array;
}

/** Numbers the transactions that happened 0, 1, … */
export const nodesThatHappened = (outcome: Uint8Array): Nodes =>
  nodesAmong(happenedTransactions(outcome), outcome.length);

/** Assigns the numbers 0, 1, … to transactions given in ascending order */
export function nodesAmong(txns: IdColumn<TransactionId>, numTxns: number): Nodes {
  const nodeOf = new Int32Array(numTxns).fill(-1);
  for (let node = 0; node < txns.length; node++) nodeOf[txns[node]] = node;
  return { numNodes: txns.length, txnOf: txns, nodeOf };
}

/** Makes nodes of all transactions under their own numbers. `counts` is 1 for the transactions that count. */
export function nodesInPlace(counts: Uint8Array): Nodes {
  const txnOf = new Int32Array(counts.length) as IdColumn<TransactionId>;
  const nodeOf = new Int32Array(counts.length);
  for (let t = 0 as TransactionId; t < counts.length; t++) {
    txnOf[t] = t;
    nodeOf[t] = counts[t] === 1 ? t : -1;
  }
  return { numNodes: counts.length, txnOf, nodeOf };
}

/** Makes nodes of the transactions that happened, under their own numbers. */
export const transactionsThatHappened = (outcome: Uint8Array): Nodes => nodesInPlace(happenedIn(outcome));

export function happenedIn(outcome: Uint8Array): Uint8Array {
  const happened = new Uint8Array(outcome.length);
  for (let t = 0; t < outcome.length; t++) if (outcome[t] === Outcome.Happened) happened[t] = 1;
  return happened;
}

/** Sessions that have nodes, numbered 0, 1, … */
export interface Sessions {
  readonly numSessions: number;
  readonly session: Int32Array;
  /** Place of each node in its session, counted from 1; 0 for a transaction that does not count. */
  readonly position: Int32Array;
}

export function sessionsOf({ txnSession }: History, { numNodes, txnOf, nodeOf }: Nodes): Sessions {
  const session = new Int32Array(numNodes);
  const position = new Int32Array(numNodes);
  let numSessions = 0;
  let place = 0;
  let last = -1; // number of the session in the history
  for (let node = 0; node < numNodes; node++) {
    const t = txnOf[node];
    if (nodeOf[t] < 0) continue;
    if (txnSession[t] !== last) {
      last = txnSession[t];
      numSessions++;
      place = 0;
    }
    session[node] = numSessions - 1;
    position[node] = ++place;
  }
  return { numSessions, session, position };
}

/** Nodes directly before and after each node in its session, or −1. */
export interface Neighbours {
  readonly previous: Int32Array;
  readonly next: Int32Array;
}

export function neighboursOf({ txnSession }: History, { numNodes, txnOf, nodeOf }: Nodes): Neighbours {
  const previous = new Int32Array(numNodes).fill(-1);
  const next = new Int32Array(numNodes).fill(-1);
  let last = -1;
  for (let node = 0; node < numNodes; node++) {
    const t = txnOf[node];
    if (nodeOf[t] < 0) continue;
    if (last >= 0 && txnSession[txnOf[last]] === txnSession[t]) {
      previous[node] = last;
      next[last] = node;
    }
    last = node;
  }
  return { previous, next };
}

/** Returns the node of every operation; −1 for operations of transactions that do not count. */
export function nodesOfOperations(history: History, { nodeOf }: Nodes): Int32Array {
  const { txnStart, opKind } = history;
  const nodeOfOp = new Int32Array(opKind.length);
  const numTxns = countTransactions(history);
  // Most transactions are too short for a call of `fill`.
  for (let t = 0, op = 0; t < numTxns; t++) for (const end = txnStart[t + 1]; op < end; op++) nodeOfOp[op] = nodeOf[t];
  return nodeOfOp;
}
