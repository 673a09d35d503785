import { IntList, type Rows, lowerBound, rowsBy } from '@isolab/graph';
import { INITIAL } from '@isolab/graph/relations';
import type { Dependencies } from '../dependencies/dependencies.ts';

/** Versions in the search: those of the entries of `deps.writer`, followed by the initial versions, key by key. */
export interface SearchVersions {
  readonly numWritten: number;
  readonly numKeys: number;
  readonly keyOf: Int32Array;
  /** Number of nodes, except the writer, that read each version. */
  readonly numReaders: Int32Array;
  readonly numWriters: Int32Array;
  /** 1 for versions whose writer reads the key before it writes it. */
  readonly isUpdate: Uint8Array;
  /** Number of nodes that write the key later in the writer's session, by version. */
  readonly later: Int32Array;
  /** The versions that each node writes, and the versions that it reads, without duplicates. */
  readonly written: Rows;
  readonly read: Rows;
}

export const initialVersion = ({ numWritten }: SearchVersions, key: number): number => numWritten + key;

/** If `initialReads` is false, reads of the initial state are left out. */
export function versionsOf(deps: Dependencies, initialReads: boolean): SearchVersions {
  const { numNodes, session, writer, writerStart } = deps;
  const numWritten = writer.length;
  const numKeys = writerStart.length - 1;
  const keyOf = new Int32Array(numWritten + numKeys);
  const numWriters = new Int32Array(numKeys);
  const later = new Int32Array(numWritten);
  for (let key = 0; key < numKeys; key++) {
    const first = writerStart[key];
    const end = writerStart[key + 1];
    keyOf.fill(key, first, end);
    keyOf[numWritten + key] = key;
    numWriters[key] = end - first;
    // Writers of a key are in ascending order, as are the nodes of a session.
    for (let w = end - 2; w >= first; w--)
      if (session[writer[w]] === session[writer[w + 1]]) later[w] = later[w + 1] + 1;
  }
  const written = rowsBy(writer, numNodes);
  const read = readVersions(deps, initialReads);
  const numReaders = new Int32Array(keyOf.length);
  for (let i = 0; i < read.item.length; i++) numReaders[read.item[i]]++;
  const isUpdate = updates(deps, written, read, keyOf);
  return { numWritten, numKeys, keyOf, numReaders, numWriters, isUpdate, later, written, read };
}

function readVersions(deps: Dependencies, initialReads: boolean): Rows {
  const { numNodes, readStart, readKey, source, writer, writerStart } = deps;
  const lastReader = new Int32Array(writer.length + writerStart.length - 1).fill(-1);
  const start = new Int32Array(numNodes + 1);
  const item = new IntList();
  for (let node = 0; node < numNodes; node++) {
    for (let read = readStart[node]; read < readStart[node + 1]; read++) {
      const key = readKey[read];
      const from = source[read];
      if (from === INITIAL && !initialReads) continue;
      const version =
        from === INITIAL ? writer.length + key : lowerBound(writer, writerStart[key], writerStart[key + 1], from);
      if (lastReader[version] === node) continue;
      lastReader[version] = node;
      item.push(version);
    }
    start[node + 1] = item.length;
  }
  return { start, item: item.toArray() };
}

function updates({ numNodes }: Dependencies, written: Rows, read: Rows, keyOf: Int32Array): Uint8Array {
  const isUpdate = new Uint8Array(written.item.length);
  const lastReader = new Int32Array(keyOf.length).fill(-1); // by key
  for (let node = 0; node < numNodes; node++) {
    for (let i = read.start[node]; i < read.start[node + 1]; i++) lastReader[keyOf[read.item[i]]] = node;
    for (let i = written.start[node]; i < written.start[node + 1]; i++) {
      const w = written.item[i];
      if (lastReader[keyOf[w]] === node) isUpdate[w] = 1;
    }
  }
  return isUpdate;
}
