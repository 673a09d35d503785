import {
  type History,
  type InternalAnomaly,
  OpKind,
  ReadFrom,
  type ReadFromIndex,
  countKeys,
  countTransactions,
} from '@isolab/history';
import { RecentKeys, Relations, happenedIn, nodesInPlace } from '@isolab/graph/relations';
import { prefixSums } from '@isolab/graph';
import { type ListOrder, orderOfLists } from './list-order.ts';
import type { Model } from './model.ts';
import { optionalTransactions } from './optional.ts';
import { type Several, type Writes, gatherSeveral } from './several.ts';

/**
 * Writers and readers of every version of every key. Versions written by transactions come first, in the order of the
 * transactions, then every key's initial version. Reads are external, one for each transaction and key; reads that may
 * have seen one of several versions are kept in `several`. All appends of a transaction to a list form one version.
 */
export interface Versions {
  readonly numTxns: number;
  readonly numKeys: number;
  /** 1 for every transaction that happened. */
  readonly happened: Uint8Array;
  readonly numHappened: number;
  /** 1 for every transaction that may have happened; null if there are none. */
  readonly optional: Uint8Array | null;
  /** Transactions of unknown outcome that cannot have happened, each with a read that shows it. */
  readonly impossible: ReadonlyMap<number, InternalAnomaly>;
  /** First version written by each transaction, with one extra slot, which is also the number of written versions. */
  readonly writeStart: Int32Array;
  readonly writeKey: Int32Array;
  readonly writer: Int32Array;
  /** 1 if the writer of a version also read its key before. */
  readonly updates: Uint8Array;
  /** First read of each transaction, with one extra slot. */
  readonly readStart: Int32Array;
  readonly readKey: Int32Array;
  readonly readVersion: Int32Array;
  /** Place of each read among the readers of its version. */
  readonly readSlot: Int32Array;
  /** Transactions that read each version, in the requested order. */
  readonly readerStart: Int32Array;
  readonly reader: Int32Array;
  /** Reads that may have seen one of several versions; null if there are none. */
  readonly several: Several | null;
  /** Known order of appends; null if there are no lists. */
  readonly lists: ListOrder | null;
}

/** Gathers versions, with readers sorted by `order`. `narrowed` has the remaining candidates of reads, by operation. */
export function gatherVersions(
  history: History,
  index: ReadFromIndex,
  order: Int32Array,
  model: Model,
  narrowed: ReadonlyMap<number, Int32Array> | null = null,
): Versions {
  const numTxns = countTransactions(history);
  const numKeys = countKeys(history);
  const happened = happenedIn(index.outcome);
  const open = optionalTransactions(history, index);
  const optional = open?.isOptional ?? null;
  const impossible = open?.impossible ?? new Map<number, InternalAnomaly>();
  const writes = gatherWrites(history, index, happened, optional);
  const { writeStart, writeKey, writer, versionOf } = writes;
  const { readStart, readKey, readVersion, updates } = new ReadGatherer(
    history,
    index.readFrom,
    writes,
    narrowed,
  ).gather(happened);
  const reads = { readStart, readKey, readVersion };
  const { readerStart, reader, readSlot } = readersInOrder(order, reads, versionOf, writer.length + numKeys);
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
    ...reads,
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

/** Groups readers by version, along `order`, because most reads see a recent write, which is in the cache. */
function readersInOrder(
  order: Int32Array,
  { readStart, readVersion }: Reads,
  versionOf: Int32Array,
  numVersions: number,
) {
  const readerStart = new Int32Array(numVersions + 1);
  const numOps = versionOf.length;
  for (let i = 0; i < order.length; i++) {
    for (let read = readStart[order[i]], end = readStart[order[i] + 1]; read < end; read++) {
      const seen = readVersion[read];
      const version = seen < numOps ? versionOf[seen] : seen - numOps;
      readVersion[read] = version;
      readerStart[version + 1]++;
    }
  }
  prefixSums(readerStart);
  const cursor = readerStart.slice(0, -1);
  const reader = new Int32Array(readVersion.length);
  const readSlot = new Int32Array(readVersion.length);
  for (let i = 0; i < order.length; i++) {
    const t = order[i];
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++) {
      const slot = cursor[readVersion[read]]++;
      reader[slot] = t;
      readSlot[read] = slot;
    }
  }
  return { readerStart, reader, readSlot };
}

interface Reads {
  readonly readStart: Int32Array;
  readonly readKey: Int32Array;
  readonly readVersion: Int32Array;
}

/** Collects reads of a certain version. `readVersion` is the write, or the version plus the number of operations. */
class ReadGatherer implements Reads {
  readonly readStart: Int32Array;
  readonly updates: Uint8Array;
  readonly #readKey: Int32Array;
  readonly #readVersion: Int32Array;
  readonly #history: History;
  readonly #readFrom: Int32Array;
  readonly #writes: Writes;
  readonly #narrowed: ReadonlyMap<number, Int32Array> | null;
  readonly #keysRead: RecentKeys;
  readonly #keysWritten: RecentKeys;
  #reads = 0;

  constructor(
    history: History,
    readFrom: Int32Array,
    writes: Writes,
    narrowed: ReadonlyMap<number, Int32Array> | null,
  ) {
    const { opKind } = history;
    const { writeStart, writeKey } = writes;
    let most = 0;
    for (let op = 0; op < opKind.length; op++) if (!isWrite(opKind[op])) most++;
    this.#history = history;
    this.#readFrom = readFrom;
    this.#writes = writes;
    this.#narrowed = narrowed;
    this.readStart = new Int32Array(writeStart.length);
    this.updates = new Uint8Array(writeKey.length);
    this.#readKey = new Int32Array(most);
    this.#readVersion = new Int32Array(most);
    this.#keysRead = new RecentKeys(this.#readKey, countKeys(history));
    this.#keysWritten = new RecentKeys(writeKey, countKeys(history));
  }

  get readKey(): Int32Array {
    return this.#readKey.subarray(0, this.#reads);
  }

  get readVersion(): Int32Array {
    return this.#readVersion.subarray(0, this.#reads);
  }

  gather(happened: Uint8Array): this {
    for (let t = 0; t < happened.length; t++) {
      if (happened[t] === 1) this.#gatherFrom(t);
      this.readStart[t + 1] = this.#reads;
    }
    return this;
  }

  #gatherFrom(t: number): void {
    const { txnStart, opKind, opKey } = this.#history;
    const { writeStart, versionOf } = this.#writes;
    const firstRead = this.#reads;
    const firstWrite = writeStart[t];
    let write = firstWrite;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      const kind = opKind[op];
      if (isWrite(kind)) {
        if (versionOf[op] < write) continue;
        if (this.#keysRead.find(key, firstRead, this.#reads) >= 0) this.updates[write] = 1;
        this.#keysWritten.put(key, firstWrite, write++);
      } else if (this.#keysRead.find(key, firstRead, this.#reads) < 0) {
        const own = this.#keysWritten.find(key, firstWrite, write);
        if (own >= 0 && kind !== OpKind.ListRead) continue;
        const seen = this.#seenBy(op, key);
        if (seen < 0) continue;
        if (own >= 0) this.updates[own] = 1; // a list whose last element this transaction appended itself
        this.#readVersion[this.#reads] = seen;
        this.#keysRead.put(key, firstRead, this.#reads++);
      }
    }
  }

  /** Returns the version that a read saw; negative if it is unknown or one of several. */
  #seenBy(op: number, key: number): number {
    const from = this.#readFrom[op];
    if (from >= 0) return from;
    const numOps = this.#history.opKind.length;
    if (from === ReadFrom.Initial) return numOps + this.#writes.writer.length + key;
    const left = from === ReadFrom.Ambiguous && this.#narrowed !== null ? this.#narrowed.get(op) : undefined;
    return left?.length === 1 ? numOps + left[0] : -1;
  }
}

const isWrite = (kind: number): boolean => kind === OpKind.Write || kind === OpKind.Append;
