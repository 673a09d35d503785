import { type History, type InternalAnomaly, OpKind, ReadFrom, type ReadFromIndex, countKeys } from '@isolab/history';
import { Relations, happenedIn, nodesInPlace } from '@isolab/relations';
import { prefixSums } from '@isolab/graph';
import { type ListOrder, orderOfLists } from './list-order.ts';
import type { Model } from '../model.ts';
import { optionalTransactions } from './optional.ts';
import { type Several, type Writes, gatherSeveral } from './several.ts';

/**
 * Who wrote and read which version of which key. The versions that transactions wrote come first, in the order of the
 * transactions; then every key's initial one. Reads are external, one a transaction and key; those that may have seen one
 * of several versions stand apart. What a transaction appends to a list is one version.
 */
export interface Versions {
  readonly numTxns: number;
  readonly numKeys: number;
  /** 1 for every transaction that took place. */
  readonly happened: Uint8Array;
  readonly numHappened: number;
  /** 1 for every transaction that may have taken place; null if there are none. */
  readonly optional: Uint8Array | null;
  /** Transactions of unknown outcome that cannot have taken place, with a read that shows it. */
  readonly impossible: ReadonlyMap<number, InternalAnomaly>;
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
  /** Reads that may have seen one of several versions; null if there are none. */
  readonly several: Several | null;
  /** What is known of the order of appends; null if there are no lists. */
  readonly lists: ListOrder | null;
}

/**
 * `order` is that in which the readers of a version shall stand; `narrowed` has what is left, by operation, of the versions
 * that reads may have seen: where one is left, it is certain.
 */
export function gatherVersions(
  history: History,
  index: ReadFromIndex,
  order: Int32Array,
  model: Model,
  narrowed: ReadonlyMap<number, Int32Array> | null = null,
): Versions {
  const { txnStart } = history;
  const numTxns = txnStart.length - 1;
  const numKeys = countKeys(history);
  const happened = happenedIn(index.outcome);
  const open = optionalTransactions(history, index);
  const optional = open?.isOptional ?? null;
  const impossible = open?.impossible ?? new Map<number, InternalAnomaly>();
  const writes = gatherWrites(history, index, happened, optional);
  const { writeStart, writeKey, writer, versionOf } = writes;
  const reads = gatherReads(history, index, happened, writes, narrowed);
  const { readStart, readVersion, updates, readerStart } = reads;

  const { reader, readSlot } = readersInOrder(order, readStart, readVersion, readerStart);
  return {
    numTxns,
    numKeys,
    happened,
    numHappened: happened.reduce((sum, one) => sum + one, 0),
    optional,
    impossible,
    writeStart,
    writeKey,
    writer,
    updates,
    readStart,
    readVersion,
    readSlot,
    readerStart,
    reader,
    several:
      index.ambiguousReads === 0 && optional === null
        ? null
        : gatherSeveral(
            history,
            index,
            { happened, optional, impossible, writeStart, writeKey, writer, versionOf },
            order,
            model,
            narrowed,
          ),
    lists: orderOfLists(history, index, versionOf),
  };
}

function gatherWrites(
  history: History,
  index: ReadFromIndex,
  happened: Uint8Array,
  optional: Uint8Array | null,
): Writes {
  const counts = optional === null ? happened : happened.map((one, t) => one | optional[t]);
  const { start, key, node, rowOf } = new Relations(history, index, nodesInPlace(counts)).writes;
  return { writeStart: start, writeKey: key, writer: node, versionOf: rowOf };
}

/** The readers of each version; turns the counts of `readerStart` into where its readers begin. */
function readersInOrder(order: Int32Array, readStart: Int32Array, readVersion: Int32Array, readerStart: Int32Array) {
  prefixSums(readerStart);
  const cursor = readerStart.slice(0, -1);
  const reader = new Int32Array(readVersion.length);
  const readSlot = new Int32Array(readVersion.length);
  for (let i = 0; i < order.length; i++) {
    const t = order[i];
    for (let read = readStart[t]; read < readStart[t + 1]; read++) {
      const slot = cursor[readVersion[read]]++;
      reader[slot] = t;
      readSlot[read] = slot;
    }
  }
  return { reader, readSlot };
}

/** The reads that saw a certain version; in `readerStart`, shifted by one, how many read each. */
function gatherReads(
  history: History,
  { readFrom }: ReadFromIndex,
  happened: Uint8Array,
  { writeStart, writer, versionOf }: Writes,
  narrowed: ReadonlyMap<number, Int32Array> | null,
) {
  const { txnStart, opKind, opKey } = history;
  const numTxns = happened.length;
  const numKeys = countKeys(history);
  const numWritten = writer.length;
  const readStart = new Int32Array(numTxns + 1);
  const readVersion = new Int32Array(opKind.length);
  const updates = new Uint8Array(numWritten);
  const readerStart = new Int32Array(numWritten + numKeys + 1);
  const stamp = new Int32Array(numKeys).fill(-1);
  const wrote = new Int32Array(numKeys).fill(-1);
  const version = new Int32Array(numKeys); // by key: what the transaction wrote
  let reads = 0;
  for (let t = 0; t < numTxns; t++) {
    readStart[t] = reads;
    if (!happened[t]) continue;
    let write = writeStart[t];
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      const kind = opKind[op];
      if (isWrite(kind)) {
        if (wrote[key] === t) continue;
        wrote[key] = t;
        if (stamp[key] === t) updates[write] = 1;
        version[key] = write++;
      } else if (stamp[key] !== t && (wrote[key] !== t || kind === OpKind.ListRead)) {
        const from = readFrom[op];
        const left = from === ReadFrom.Ambiguous && narrowed !== null ? narrowed.get(op) : undefined;
        if (from < 0 && from !== ReadFrom.Initial && left?.length !== 1) continue; // never learned, or one of several
        stamp[key] = t;
        if (wrote[key] === t) updates[version[key]] = 1; // a list of which it appended the end itself
        const seen = left ? left[0] : from < 0 ? numWritten + key : versionOf[from];
        readVersion[reads++] = seen;
        readerStart[seen + 1]++;
      }
    }
  }
  readStart[numTxns] = reads;
  return { readStart, readVersion: readVersion.slice(0, reads), updates, readerStart };
}

const isWrite = (kind: number): boolean => kind === OpKind.Write || kind === OpKind.Append;
