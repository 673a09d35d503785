import { IntList } from '@isolab/graph';
import type { Versions } from '../../problem/versions.ts';

/** Accesses of transactions to keys, in columns by access. Keys without a read are left out. */
export interface Accesses {
  /** First access of each transaction, with one extra slot. */
  readonly accessStart: Int32Array;
  readonly txn: Int32Array;
  readonly key: Int32Array;
  /** Value that each access reads and writes, or −1. */
  readonly reads: Int32Array;
  readonly writes: Int32Array;
  readonly initial: Int32Array;
  readonly numValues: number;
}

/** Numbers values as versions, except that versions with equal values share the number of their class. */
export function accessesOf(versions: Versions): Accesses {
  const { numTxns, numKeys, happened, writeStart, writeKey, readStart, readVersion, several } = versions;
  const numVersions = writeKey.length + numKeys;
  const valueOf = (version: number): number => {
    const c = several === null ? -1 : several.classOf[version];
    return c < 0 ? version : numVersions + c;
  };
  const keyOf = (version: number): number =>
    version < writeKey.length ? writeKey[version] : version - writeKey.length;
  const isRead = new Uint8Array(numKeys);
  for (const version of readVersion) isRead[keyOf(version)] = 1;
  if (several !== null) for (const c of several.readClass) isRead[several.classKey[c]] = 1;

  const accessStart = new Int32Array(numTxns + 1);
  const [txn, key, reads, writes] = [new IntList(), new IntList(), new IntList(), new IntList()];
  const accessOf = new Int32Array(numKeys).fill(-1);
  const add = (t: number, k: number, read: number): void => {
    accessOf[k] = txn.length;
    txn.push(t);
    key.push(k);
    reads.push(read);
    writes.push(-1);
  };
  for (let t = 0; t < numTxns; t++) {
    const first = txn.length;
    // Reads of optional transactions do not matter here.
    if (happened[t] === 1) {
      for (let i = readStart[t]; i < readStart[t + 1]; i++) add(t, keyOf(readVersion[i]), valueOf(readVersion[i]));
      if (several !== null)
        for (let i = several.readStart[t]; i < several.readStart[t + 1]; i++)
          add(t, several.classKey[several.readClass[i]], numVersions + several.readClass[i]);
    }
    for (let version = writeStart[t]; version < writeStart[t + 1]; version++) {
      const k = writeKey[version];
      if (isRead[k] === 0) continue;
      if (accessOf[k] < first) add(t, k, -1);
      writes.items[accessOf[k]] = valueOf(version);
    }
    accessStart[t + 1] = txn.length;
  }
  return {
    accessStart,
    txn: txn.toArray(),
    key: key.toArray(),
    reads: reads.toArray(),
    writes: writes.toArray(),
    initial: Int32Array.from({ length: numKeys }, (_, k) => valueOf(writeKey.length + k)),
    numValues: numVersions + (several?.classKey.length ?? 0),
  };
}
