import {
  type History,
  OpKind,
  Outcome,
  type ReadFromIndex,
  UNKNOWN_LIST,
  transactionOfOperations,
} from '@isolab/history';
import { IntList } from './int-list.ts';

/** Stands for ⊥, the initial transaction, where a node is expected. */
export const INITIAL = -1;

/**
 * What Plume works on: the transactions that happened, as dense nodes, session by session; WR as rows, one for each
 * reader, key and writer; and WT_x, the writers of each key.
 */
export interface Model {
  readonly history: History;
  readonly numNodes: number;
  readonly numSessions: number;
  /** Transaction of each node; node of each transaction, or -1. */
  readonly txnOf: Int32Array;
  readonly nodeOf: Int32Array;
  /** Session of each node (sessions without nodes are not counted), and its place there, from 1. */
  readonly session: Int32Array;
  readonly position: Int32Array;
  readonly reads: Reads;
  readonly writes: Writes;
  readonly writers: Writers;
}

/** t₁ WR(x) t₃ as rows: those of t₃ lie together, ordered by their first operation. */
export interface Reads {
  /** First row of each node, with one extra slot. */
  readonly start: Int32Array;
  readonly reader: Int32Array;
  readonly key: Int32Array;
  /** Node, or INITIAL. */
  readonly writer: Int32Array;
  /** First and last operation of the reader that reads this key from this writer. */
  readonly first: Int32Array;
  readonly last: Int32Array;
  /** Another row of the same reader and key, with a smaller number, or -1: the reads of that key do not repeat. */
  readonly sameKey: Int32Array;
}

/** The keys that each node writes, ascending. */
export interface Writes {
  readonly start: Int32Array;
  readonly key: Int32Array;
}

/** The nodes that write each key, ascending, in groups of one session. */
export interface Writers {
  /** First group of each key, with one extra slot. */
  readonly groupStart: Int32Array;
  readonly groupSession: Int32Array;
  /** First writer of each group, with one extra slot. */
  readonly start: Int32Array;
  readonly node: Int32Array;
}

export function buildModel(history: History, index: ReadFromIndex, tick: (steps: number) => void): Model {
  const { txnOf, nodeOf, session, position, numSessions } = numberNodes(history, index);
  const reads = collectReads(history, index, txnOf, nodeOf, tick);
  const writes = collectWrites(history, txnOf, tick);
  return {
    history,
    numNodes: txnOf.length,
    numSessions,
    txnOf,
    nodeOf,
    session,
    position,
    reads,
    writes,
    writers: collectWriters(history.keyInitial.length, session, writes),
  };
}

function numberNodes(history: History, { outcome }: ReadFromIndex) {
  const numTxns = outcome.length;
  const nodeOf = new Int32Array(numTxns).fill(-1);
  let numNodes = 0;
  for (let t = 0; t < numTxns; t++) if (outcome[t] === Outcome.Happened) nodeOf[t] = numNodes++;
  const txnOf = new Int32Array(numNodes);
  const session = new Int32Array(numNodes);
  const position = new Int32Array(numNodes);
  let numSessions = 0;
  let last = -1; // session of the history
  for (let t = 0; t < numTxns; t++) {
    const node = nodeOf[t];
    if (node < 0) continue;
    txnOf[node] = t;
    const fresh = numSessions === 0 || history.txnSession[t] !== last;
    if (fresh) numSessions++;
    last = history.txnSession[t];
    session[node] = numSessions - 1;
    position[node] = fresh ? 1 : position[node - 1] + 1;
  }
  return { txnOf, nodeOf, session, position, numSessions };
}

function collectReads(
  history: History,
  { readFrom }: ReadFromIndex,
  txnOf: Int32Array,
  nodeOf: Int32Array,
  tick: (steps: number) => void,
): Reads {
  const { txnStart, opKind, opKey, opValue, keyInitial } = history;
  const txnOfOp = transactionOfOperations(history);
  const numKeys = keyInitial.length;
  const numNodes = txnOf.length;
  const start = new Int32Array(numNodes + 1);
  const columns = { reader: new IntList(), key: new IntList(), writer: new IntList(), first: new IntList() };
  const last = new IntList();
  const sameKey = new IntList();
  const latestRow = new Int32Array(numKeys).fill(-1); // by key: its latest row, of this reader or of an earlier one
  const ownWrite = new Int32Array(numKeys).fill(-1); // by key: the latest node that was seen writing it

  for (let node = 0; node < numNodes; node++) {
    const t = txnOf[node];
    const begin = columns.reader.length;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const kind = opKind[op];
      const key = opKey[op];
      if (kind === OpKind.Write) ownWrite[key] = node;
      // A register that the transaction has written shows its own write; a list always shows what was there before.
      const isRead =
        kind === OpKind.Read ? ownWrite[key] !== node : kind === OpKind.ListRead && opValue[op] !== UNKNOWN_LIST;
      if (!isRead) continue;
      const from = readFrom[op];
      if (from < INITIAL) continue; // out of thin air
      const writer = from < 0 ? INITIAL : nodeOf[txnOfOp[from]];
      if (from >= 0 && (writer < 0 || writer === node)) continue; // aborted, or the reader's own future

      let row = latestRow[key];
      const previous = row >= begin ? row : -1;
      row = previous;
      while (row >= 0 && columns.writer.view()[row] !== writer) row = sameKey.view()[row];
      if (row >= 0) {
        last.view()[row] = op;
        continue;
      }
      latestRow[key] = columns.reader.length;
      columns.reader.push(node);
      columns.key.push(key);
      columns.writer.push(writer);
      columns.first.push(op);
      last.push(op);
      sameKey.push(previous);
    }
    start[node + 1] = columns.reader.length;
    tick(1);
  }
  return {
    start,
    reader: columns.reader.view(),
    key: columns.key.view(),
    writer: columns.writer.view(),
    first: columns.first.view(),
    last: last.view(),
    sameKey: sameKey.view(),
  };
}

function collectWrites(history: History, txnOf: Int32Array, tick: (steps: number) => void): Writes {
  const { txnStart, opKind, opKey, keyInitial } = history;
  const start = new Int32Array(txnOf.length + 1);
  const key = new IntList();
  const writtenBy = new Int32Array(keyInitial.length).fill(-1);
  for (let node = 0; node < txnOf.length; node++) {
    const t = txnOf[node];
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] !== OpKind.Write && opKind[op] !== OpKind.Append) continue;
      if (writtenBy[opKey[op]] === node) continue;
      writtenBy[opKey[op]] = node;
      key.push(opKey[op]);
    }
    start[node + 1] = key.length;
    key.view().subarray(start[node]).sort();
    tick(1);
  }
  return { start, key: key.view() };
}

function collectWriters(numKeys: number, session: Int32Array, writes: Writes): Writers {
  const keyStart = new Int32Array(numKeys + 1);
  for (let i = 0; i < writes.key.length; i++) keyStart[writes.key[i] + 1]++;
  for (let key = 0; key < numKeys; key++) keyStart[key + 1] += keyStart[key];
  const cursor = keyStart.slice(0, numKeys);
  const node = new Int32Array(writes.key.length);
  for (let t = 0; t < session.length; t++) {
    for (let i = writes.start[t]; i < writes.start[t + 1]; i++) node[cursor[writes.key[i]]++] = t;
  }

  const groupStart = new Int32Array(numKeys + 1);
  const groupSession = new IntList();
  const start = new IntList();
  for (let key = 0; key < numKeys; key++) {
    let previous = -1;
    for (let i = keyStart[key]; i < keyStart[key + 1]; i++) {
      if (session[node[i]] === previous) continue;
      previous = session[node[i]];
      groupSession.push(previous);
      start.push(i);
    }
    groupStart[key + 1] = start.length;
  }
  start.push(node.length);
  return { groupStart, groupSession: groupSession.view(), start: start.view(), node };
}

/** The group of a key's writers of this session, or -1. */
export function groupOf({ groupStart, groupSession }: Writers, key: number, session: number): number {
  let low = groupStart[key];
  let high = groupStart[key + 1] - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (groupSession[middle] === session) return middle;
    if (groupSession[middle] < session) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Whether a node writes a key. */
export function writesKey({ start, key }: Writes, node: number, wanted: number): boolean {
  let low = start[node];
  let high = start[node + 1] - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (key[middle] === wanted) return true;
    if (key[middle] < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
