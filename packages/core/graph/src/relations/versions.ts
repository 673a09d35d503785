import { IntList, rowsBy } from '../index.ts';
import { type ListVersions, OpKind, countKeys } from '@isolab/history';
import { INITIAL } from './nodes.ts';
import type { Relations } from './relations.ts';
import { placeOfWriter } from './writes.ts';

/** Versions of all keys and their readers. Written versions are numbered key by key; initial versions follow. */
export interface KeyVersions {
  /** First written version of each key, with one extra slot. */
  readonly keyStart: Int32Array;
  /** Number of each key's first versions that follow one another in a known order; 0 for registers. */
  readonly numOrdered: Int32Array;
  /** Node that wrote each version, and its last operation that did so. */
  readonly writer: Int32Array;
  readonly write: Int32Array;
  /** First reader of each version, with one extra slot. */
  readonly readerStart: Int32Array;
  /** Nodes other than the writer that read the version, in ascending order, each with its first read of it. */
  readonly reader: Int32Array;
  readonly read: Int32Array;
}

export const initialVersion = ({ writer }: KeyVersions, key: number): number => writer.length + key;

/** Returns the versions of registers, sorted by key and writer. Intermediate reads see no version. */
export function registerVersions({ history, index, reads, writers, lastWrites }: Relations): KeyVersions {
  const numKeys = countKeys(history);
  const numWritten = writers.node.length;
  const version = new Int32Array(reads.key.length);
  for (let row = 0; row < version.length; row++) {
    const key = reads.key[row];
    const t1 = reads.writer[row];
    const place = t1 === INITIAL ? numWritten + key : placeOfWriter(writers, key, t1);
    const isIntermediate = t1 !== INITIAL && lastWrites[place] !== index.readFrom[reads.first[row]];
    version[row] = isIntermediate ? -1 : place;
  }
  return {
    keyStart: writers.start,
    numOrdered: new Int32Array(numKeys),
    writer: writers.node,
    write: lastWrites,
    ...readersOf(version, reads.reader, reads.first, numWritten + numKeys),
  };
}

/** Returns the versions of conflict-free lists: first the shown versions in list order, then all others. */
export function listAppendVersions(relations: Relations, lists: ListVersions): KeyVersions {
  const { history, nodes } = relations;
  const numKeys = countKeys(history);
  const keyStart = new Int32Array(numKeys + 1);
  const numOrdered = new Int32Array(numKeys);
  const writer = new IntList();
  const write = new IntList();
  const versionOf = new Int32Array(lists.append.length).fill(-1); // by element
  for (let key = 0; key < numKeys; key++) {
    const shownEnd = lists.keyStart[key] + lists.numShown[key];
    let lastShown = -1;
    for (let element = lists.keyStart[key]; element < lists.keyStart[key + 1]; element++) {
      const node = lists.txn[element] < 0 ? -1 : nodes.nodeOf[lists.txn[element]];
      if (node < 0) continue;
      // Appends of one node are adjacent. Its appends after the last shown element belong to the same version.
      let version = writer.length - 1;
      if (element >= shownEnd && lastShown >= 0 && writer.items[lastShown] === node) version = lastShown;
      else if (writer.length === keyStart[key] || writer.items[version] !== node) {
        version = writer.length;
        writer.push(node);
        write.push(-1);
      }
      write.items[version] = Math.max(write.items[version], lists.append[element]);
      versionOf[element] = version;
      if (element >= shownEnd) continue;
      lastShown = version;
      numOrdered[key] = version + 1 - keyStart[key];
    }
    keyStart[key + 1] = writer.length;
  }
  const written = { keyStart, numOrdered, writer: writer.toArray(), write: write.toArray() };
  return { ...written, ...readersOfLists(relations, lists, written.writer, versionOf) };
}

function readersOfLists(
  { history, nodes }: Relations,
  { keyStart, seen }: ListVersions,
  writer: Int32Array,
  versionOf: Int32Array,
): Pick<KeyVersions, 'readerStart' | 'reader' | 'read'> {
  const { txnStart, opKind, opKey } = history;
  const { numNodes, txnOf, nodeOf } = nodes;
  const numVersions = writer.length + keyStart.length - 1;
  const lastReader = new Int32Array(numVersions).fill(-1);
  const [versions, readers, reads] = [new IntList(), new IntList(), new IntList()];
  for (let node = 0; node < numNodes; node++) {
    const t = txnOf[node];
    for (let op = txnStart[t], end = nodeOf[t] < 0 ? op : txnStart[t + 1]; op < end; op++) {
      if (opKind[op] !== OpKind.ListRead || seen[op] < 0) continue;
      const key = opKey[op];
      const version = seen[op] === 0 ? writer.length + key : versionOf[keyStart[key] + seen[op] - 1];
      if (version < 0 || lastReader[version] === node || writer[version] === node) continue;
      lastReader[version] = node;
      versions.push(version);
      readers.push(node);
      reads.push(op);
    }
  }
  return readersOf(versions.view(), readers.view(), reads.view(), numVersions);
}

/** Groups reads by the version that they saw. */
function readersOf(
  version: Int32Array,
  reader: Int32Array,
  read: Int32Array,
  numVersions: number,
): Pick<KeyVersions, 'readerStart' | 'reader' | 'read'> {
  const { start, item } = rowsBy(version, numVersions);
  return { readerStart: start, reader: item.map((i) => reader[i]), read: item.map((i) => read[i]) };
}
