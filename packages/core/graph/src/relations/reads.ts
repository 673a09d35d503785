import { type History, OpKind, ReadFrom, type ReadFromIndex, countKeys } from '@isolab/history';
import { INITIAL, type Nodes } from './nodes.ts';

/** Marks an operation that does not read from another node or the initial transaction. */
export const NO_SOURCE = -2;

/** Returns the node that every operation reads from, INITIAL, or NO_SOURCE if the source is not a known node. */
export function sourcesOf({ opKind }: History, { readFrom }: ReadFromIndex, nodeOfOp: Int32Array): Int32Array {
  const source = new Int32Array(opKind.length).fill(NO_SOURCE);
  for (let op = 0; op < opKind.length; op++) {
    if (opKind[op] !== OpKind.Read && opKind[op] !== OpKind.ListRead) continue;
    const from = readFrom[op];
    const node = nodeOfOp[op];
    if (from < ReadFrom.Initial || node < 0) continue;
    if (from < 0) {
      source[op] = INITIAL;
      continue;
    }
    const writer = nodeOfOp[from];
    if (writer >= 0 && writer !== node) source[op] = writer;
  }
  return source;
}

/** External reads, t₁ WR(x) t₃, as rows: one for each reader, key and writer. */
export interface Reads {
  /** First row of each reader, with one extra slot; a reader's rows are in the order of their first operations. */
  readonly start: Int32Array;
  readonly reader: Int32Array;
  readonly key: Int32Array;
  /** A node, or INITIAL. */
  readonly writer: Int32Array;
  /** First and last operation of the reader that reads this key from this writer. */
  readonly first: Int32Array;
  readonly last: Int32Array;
  /** Previous row with the same reader and key, or −1. Any other number means a non-repeatable read. */
  readonly sameKey: Int32Array;
}

export function readsOf(history: History, nodes: Nodes, source: Int32Array): Reads {
  const { txnStart, opKind, opKey } = history;
  const { numNodes, txnOf, nodeOf } = nodes;
  const latestRow = new Int32Array(countKeys(history)).fill(-1); // by key: for this reader or an earlier reader
  const ownWrite = new Int32Array(countKeys(history)).fill(-1); // by key: the latest node found to write it
  const start = new Int32Array(numNodes + 1);
  const capacity = countSources(source);
  const [reader, key, writer] = [new Int32Array(capacity), new Int32Array(capacity), new Int32Array(capacity)];
  const [first, last, sameKey] = [new Int32Array(capacity), new Int32Array(capacity), new Int32Array(capacity)];
  let rows = 0;
  for (let node = 0; node < numNodes; node++) {
    const t = txnOf[node];
    const begin = rows;
    for (let op = txnStart[t], end = nodeOf[t] < 0 ? op : txnStart[t + 1]; op < end; op++) {
      const x = opKey[op];
      if (opKind[op] === OpKind.Write) ownWrite[x] = node;
      const t1 = source[op];
      if (t1 === NO_SOURCE) continue;
      // After writing a register, a transaction sees its own write; a list still shows its earlier contents.
      if (opKind[op] === OpKind.Read && ownWrite[x] === node) continue;
      const previous = latestRow[x] >= begin ? latestRow[x] : -1;
      let row = previous;
      while (row >= 0 && writer[row] !== t1) row = sameKey[row];
      if (row >= 0) {
        last[row] = op;
        continue;
      }
      latestRow[x] = rows;
      reader[rows] = node;
      key[rows] = x;
      writer[rows] = t1;
      first[rows] = op;
      last[rows] = op;
      sameKey[rows++] = previous;
    }
    start[node + 1] = rows;
  }
  return {
    start,
    reader: reader.subarray(0, rows),
    key: key.subarray(0, rows),
    writer: writer.subarray(0, rows),
    first: first.subarray(0, rows),
    last: last.subarray(0, rows),
    sameKey: sameKey.subarray(0, rows),
  };
}

function countSources(source: Int32Array): number {
  let count = 0;
  for (let op = 0; op < source.length; op++) if (source[op] !== NO_SOURCE) count++;
  return count;
}
