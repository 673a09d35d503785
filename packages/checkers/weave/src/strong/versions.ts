import { type History, Outcome, OpKind, ReadFrom, type ReadFromIndex, countKeys } from '@isolab/history';

/**
 * Who wrote and read which version of which key. The versions that transactions wrote come first, in the order of the
 * transactions; then every key's initial one. Reads are external, one a transaction and key.
 */
export interface Versions {
  readonly numTxns: number;
  readonly numKeys: number;
  /** 1 for every transaction that took place. */
  readonly happened: Uint8Array;
  readonly numHappened: number;
  /** The first version that each transaction wrote, with one extra slot; also the number of versions written. */
  readonly writeStart: Int32Array;
  readonly writeKey: Int32Array;
  readonly writer: Int32Array;
  /** 1 if the writer of a version also read its key before. */
  readonly updates: Uint8Array;
  /** The first read of each transaction, with one extra slot. */
  readonly readStart: Int32Array;
  readonly readVersion: Int32Array;
  /** Where each read stands among the readers of its version. */
  readonly readSlot: Int32Array;
  /** The transactions that read each version, in the order that was asked for. */
  readonly readerStart: Int32Array;
  readonly reader: Int32Array;
}

/** `order` is that in which the readers of a version shall stand. */
export function gatherVersions(history: History, index: ReadFromIndex, order: Int32Array): Versions {
  const { txnStart, opKind, opKey } = history;
  const { readFrom } = index;
  const numTxns = txnStart.length - 1;
  const numKeys = countKeys(history);
  const happened = index.outcome.map((outcome) => (outcome === Outcome.Happened ? 1 : 0));

  let writes = 0;
  for (let op = 0; op < opKind.length; op++) if (opKind[op] === OpKind.Write) writes++;
  const writeStart = new Int32Array(numTxns + 1);
  const writeKey = new Int32Array(writes);
  const writer = new Int32Array(writes);
  const versionOf = new Int32Array(opKind.length); // of every write
  const stamp = new Int32Array(numKeys).fill(-1);
  const latest = new Int32Array(numKeys);
  let version = 0;
  for (let t = 0; t < numTxns; t++) {
    writeStart[t] = version;
    if (!happened[t]) continue;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      const key = opKey[op];
      if (stamp[key] !== t) {
        stamp[key] = t;
        writeKey[version] = key;
        writer[version] = t;
        latest[key] = version++;
      }
      versionOf[op] = latest[key];
    }
  }
  writeStart[numTxns] = version;

  const readStart = new Int32Array(numTxns + 1);
  const readVersion = new Int32Array(opKind.length - writes);
  const updates = new Uint8Array(version);
  const readerStart = new Int32Array(version + numKeys + 1);
  stamp.fill(-1);
  const wrote = new Int32Array(numKeys).fill(-1);
  let reads = 0;
  for (let t = 0; t < numTxns; t++) {
    readStart[t] = reads;
    if (!happened[t]) continue;
    let write = writeStart[t];
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      if (opKind[op] === OpKind.Write) {
        if (wrote[key] === t) continue;
        wrote[key] = t;
        if (stamp[key] === t) updates[write] = 1;
        write++;
      } else if (stamp[key] !== t && wrote[key] !== t) {
        const from = readFrom[op];
        if (from < 0 && from !== ReadFrom.Initial) continue; // a result that was never learned
        stamp[key] = t;
        const seen = from < 0 ? version + key : versionOf[from];
        readVersion[reads++] = seen;
        readerStart[seen + 1]++;
      }
    }
  }
  readStart[numTxns] = reads;

  for (let v = 0; v < version + numKeys; v++) readerStart[v + 1] += readerStart[v];
  const cursor = readerStart.slice(0, version + numKeys);
  const reader = new Int32Array(reads);
  const readSlot = new Int32Array(reads);
  for (let i = 0; i < numTxns; i++) {
    const t = order[i];
    for (let read = readStart[t]; read < readStart[t + 1]; read++) {
      const slot = cursor[readVersion[read]]++;
      reader[slot] = t;
      readSlot[read] = slot;
    }
  }
  return {
    numTxns,
    numKeys,
    happened,
    numHappened: happened.reduce((sum, one) => sum + one, 0),
    writeStart,
    writeKey: writeKey.subarray(0, version),
    writer: writer.subarray(0, version),
    updates,
    readStart,
    readVersion: readVersion.subarray(0, reads),
    readSlot,
    readerStart,
    reader,
  };
}
