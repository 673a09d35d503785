import { placeIn, prefixSums, rowStarts } from '../index.ts';
import { type History, OpKind, countKeys } from '@isolab/history';
import type { Nodes } from './nodes.ts';
import { RecentKeys } from './recent-keys.ts';

const isWrite = (kind: number): boolean => kind === OpKind.Write || kind === OpKind.Append;

/** Nodes that write each key, in ascending order: WT_x. */
export interface Writers {
  /** First writer of each key, with one extra slot. */
  readonly start: Int32Array;
  readonly node: Int32Array;
}

/** Returns the first writer of each key among the writers of all keys, with one extra slot. */
function writerStartsOf(history: History, { numNodes, txnOf, nodeOf }: Nodes): Int32Array {
  const { txnStart, opKind, opKey } = history;
  const numKeys = countKeys(history);
  const start = new Int32Array(numKeys + 1);
  const latest = new Int32Array(numKeys).fill(-1); // by key: the latest node found to write it
  for (let node = 0; node < numNodes; node++) {
    const t = txnOf[node];
    if (nodeOf[t] < 0) continue;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (!isWrite(opKind[op]) || latest[opKey[op]] === node) continue;
      latest[opKey[op]] = node;
      start[opKey[op] + 1]++;
    }
  }
  return prefixSums(start);
}

export function writersOf(history: History, nodes: Nodes): Writers {
  const { numNodes, txnOf, nodeOf } = nodes;
  const start = writerStartsOf(history, nodes);
  const { txnStart, opKind, opKey } = history;
  const numKeys = countKeys(history);
  const cursor = start.slice(0, numKeys);
  const writer = new Int32Array(start[numKeys]);
  for (let node = 0; node < numNodes; node++) {
    const t = txnOf[node];
    if (nodeOf[t] < 0) continue;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (!isWrite(opKind[op])) continue;
      const key = opKey[op];
      if (cursor[key] === start[key] || writer[cursor[key] - 1] !== node) writer[cursor[key]++] = node;
    }
  }
  return { start, node: writer };
}

/** Returns the last write of each node to each key, indexed by place among the writers. */
export function lastWritesOf(history: History, { numNodes, txnOf, nodeOf }: Nodes, writers: Writers): Int32Array {
  const { txnStart, opKind, opKey } = history;
  const write = new Int32Array(writers.node.length);
  const place = writers.start.slice(0, countKeys(history)); // by key: the first writer that is not before the current node
  for (let node = 0; node < numNodes; node++) {
    const t = txnOf[node];
    if (nodeOf[t] < 0) continue;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (!isWrite(opKind[op])) continue;
      const key = opKey[op];
      if (writers.node[place[key]] !== node) place[key]++;
      write[place[key]] = op;
    }
  }
  return write;
}

/** Returns the place of a node among the writers of a key, or −1. */
export function placeOfWriter({ start, node }: Writers, key: number, wanted: number): number {
  return placeIn(node, start[key], start[key + 1], wanted);
}

/** Keys that each node writes, in ascending order. */
export interface WriteSets {
  readonly start: Int32Array;
  readonly key: Int32Array;
}

/** Inverts the map from keys to writers; visiting the keys in order sorts every set. */
export function writeSetsOf({ start: keyStart, node }: Writers, numNodes: number): WriteSets {
  const start = rowStarts(node, numNodes);
  const cursor = start.slice(0, numNodes);
  const key = new Int32Array(node.length);
  for (let k = 0; k + 1 < keyStart.length; k++) {
    for (let i = keyStart[k]; i < keyStart[k + 1]; i++) key[cursor[node[i]]++] = k;
  }
  return { start, key };
}

export function writesKey({ start, key }: WriteSets, node: number, wanted: number): boolean {
  return placeIn(key, start[node], start[node + 1], wanted) >= 0;
}

/** Final write of each node to each key that it writes; one row per node and key. */
export interface Writes {
  /** First row of each node, with one extra slot; a node's rows are in the order of its first writes. */
  readonly start: Int32Array;
  readonly node: Int32Array;
  readonly key: Int32Array;
  /** Last write or append of the node to the key. */
  readonly last: Int32Array;
  /** Row of each operation of a node that writes or appends; −1 for all other operations. */
  readonly rowOf: Int32Array;
}

export function writesOf(history: History, { numNodes, txnOf, nodeOf }: Nodes): Writes {
  const { txnStart, opKind, opKey } = history;
  let capacity = 0;
  for (let op = 0; op < opKind.length; op++) if (isWrite(opKind[op])) capacity++;
  const start = new Int32Array(numNodes + 1);
  const [writer, written, last] = [new Int32Array(capacity), new Int32Array(capacity), new Int32Array(capacity)];
  const rowOf = new Int32Array(opKind.length).fill(-1);
  const keys = new RecentKeys(written, countKeys(history));
  let rows = 0;
  for (let node = 0; node < numNodes; node++) {
    const t = txnOf[node];
    const begin = rows;
    for (let op = txnStart[t], end = nodeOf[t] < 0 ? op : txnStart[t + 1]; op < end; op++) {
      if (!isWrite(opKind[op])) continue;
      const key = opKey[op];
      let row = keys.find(key, begin, rows);
      if (row < 0) {
        row = rows++;
        keys.put(key, begin, row);
        writer[row] = node;
      }
      last[row] = op;
      rowOf[op] = row;
    }
    start[node + 1] = rows;
  }
  return {
    start,
    node: writer.subarray(0, rows),
    key: written.subarray(0, rows),
    last: last.subarray(0, rows),
    rowOf,
  };
}
