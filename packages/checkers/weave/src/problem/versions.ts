import {
  type History,
  type InternalAnomaly,
  OpKind,
  ReadFrom,
  type ReadFromIndex,
  countKeys,
  countTransactions,
} from '@isolab/history';
import { RecentKeys, happenedIn } from '@isolab/graph/relations';
import { prefixSums } from '@isolab/graph';
import { type ListOrder, orderOfLists } from './list-order.ts';
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
  narrowed: ReadonlyMap<number, Int32Array> | null = null,
): Versions {
  const happened = happenedIn(index.outcome);
  const open = optionalTransactions(history, index);
  const optional = open?.isOptional ?? null;
  const impossible = open?.impossible ?? new Map<number, InternalAnomaly>();
  const gatherer = new Gatherer(history, index.readFrom, narrowed).gather(happened, optional);
  const { writeStart, writeKey, writer, versionOf, updates, readStart, readKey, readVersion } = gatherer;
  const isChoice = index.ambiguousReads > 0 || optional !== null;
  const source = { happened, optional, writeStart, writeKey, writer, versionOf };
  return {
    numTxns: countTransactions(history),
    numKeys: countKeys(history),
    happened,
    numHappened: happened.reduce((sum, one) => sum + one, 0),
    optional,
    impossible,
    writeStart,
    writeKey,
    writer,
    updates,
    readStart,
    readKey,
    ...readersInOrder(order, gatherer, countKeys(history)),
    readVersion,
    several: isChoice ? gatherSeveral(history, index, source, order, narrowed) : null,
    lists: orderOfLists(history, index, versionOf),
  };
}

/**
 * Groups readers by version, along `order`. Reads are first partitioned by their writes, because the versions of a
 * partition stay in the cache.
 */
function readersInOrder(
  order: Int32Array,
  { readStart, readVersion, versionOf, writer: { length: numWritten } }: Gatherer,
  numKeys: number,
) {
  const numOps = versionOf.length;
  const numVersions = numWritten + numKeys;
  const cursor = new Int32Array(((numOps + numKeys + numVersions) >> PARTITION) + 2);
  for (let read = 0; read < readVersion.length; read++) cursor[(readVersion[read] >> PARTITION) + 1]++;
  prefixSums(cursor);
  const versionAt = new Int32Array(readVersion.length); // at first the read, then its version
  const readerAt = new Int32Array(readVersion.length);
  for (let i = 0; i < order.length; i++) {
    const t = order[i];
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++) {
      const place = cursor[readVersion[read] >> PARTITION]++;
      versionAt[place] = read;
      readerAt[place] = t;
    }
  }
  const readerStart = new Int32Array(numVersions + 1);
  for (let place = 0; place < versionAt.length; place++) {
    const read = versionAt[place];
    const seen = readVersion[read];
    const initial = seen - numOps;
    const version = initial < 0 ? versionOf[seen] : initial < numKeys ? numWritten + initial : initial - numKeys;
    versionAt[place] = readVersion[read] = version;
    readerStart[version + 1]++;
  }
  prefixSums(readerStart);
  const next = readerStart.slice(0, -1);
  const reader = new Int32Array(readVersion.length);
  for (let place = 0; place < versionAt.length; place++) reader[next[versionAt[place]]++] = readerAt[place];
  return { readerStart, reader };
}

/** Binary logarithm of the number of operations whose versions form a partition. */
const PARTITION = 16;

/**
 * Collects writes and certain reads. `readVersion` is the write; or, after the number of operations, the key whose
 * initial version was read; or, after the number of keys, the version.
 */
class Gatherer implements Writes {
  readonly writeStart: Int32Array;
  readonly readStart: Int32Array;
  readonly versionOf: Int32Array;
  updates: Uint8Array;
  writeKey: Int32Array;
  writer: Int32Array;
  readKey: Int32Array;
  readVersion: Int32Array;
  readonly #history: History;
  readonly #readFrom: Int32Array;
  readonly #narrowed: ReadonlyMap<number, Int32Array> | null;
  readonly #keysRead: RecentKeys;
  readonly #keysWritten: RecentKeys;
  #reads = 0;
  #writes = 0;

  constructor(history: History, readFrom: Int32Array, narrowed: ReadonlyMap<number, Int32Array> | null) {
    const { opKind, txnStart } = history;
    let writes = 0;
    for (let op = 0; op < opKind.length; op++) if (isWrite(opKind[op])) writes++;
    this.#history = history;
    this.#readFrom = readFrom;
    this.#narrowed = narrowed;
    this.writeStart = new Int32Array(txnStart.length);
    this.readStart = new Int32Array(txnStart.length);
    this.versionOf = new Int32Array(opKind.length);
    this.updates = new Uint8Array(writes);
    this.writeKey = new Int32Array(writes);
    this.writer = new Int32Array(writes);
    this.readKey = new Int32Array(opKind.length - writes);
    this.readVersion = new Int32Array(opKind.length - writes);
    this.#keysRead = new RecentKeys(this.readKey, countKeys(history));
    this.#keysWritten = new RecentKeys(this.writeKey, countKeys(history));
  }

  gather(happened: Uint8Array, optional: Uint8Array | null): this {
    for (let t = 0; t < happened.length; t++) {
      if (happened[t] === 1 || optional?.[t] === 1) this.#gatherFrom(t, happened[t] === 1);
      this.writeStart[t + 1] = this.#writes;
      this.readStart[t + 1] = this.#reads;
    }
    this.updates = this.updates.subarray(0, this.#writes);
    this.writeKey = this.writeKey.subarray(0, this.#writes);
    this.writer = this.writer.subarray(0, this.#writes);
    this.readKey = this.readKey.subarray(0, this.#reads);
    this.readVersion = this.readVersion.subarray(0, this.#reads);
    return this;
  }

  #gatherFrom(t: number, isCertain: boolean): void {
    const { txnStart, opKind, opKey } = this.#history;
    const firstRead = this.#reads;
    const firstWrite = this.#writes;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      const kind = opKind[op];
      const own = this.#keysWritten.find(key, firstWrite, this.#writes);
      if (isWrite(kind)) {
        this.versionOf[op] = own < 0 ? this.#writes : own;
        if (own >= 0) continue;
        if (this.#keysRead.find(key, firstRead, this.#reads) >= 0) this.updates[this.#writes] = 1;
        this.writer[this.#writes] = t;
        this.#keysWritten.put(key, firstWrite, this.#writes++);
      } else if (isCertain && (own < 0 || kind === OpKind.ListRead)) {
        const seen = this.#keysRead.find(key, firstRead, this.#reads) < 0 ? this.#seenBy(op, key) : -1;
        if (seen < 0) continue;
        if (own >= 0) this.updates[own] = 1; // a list whose last element this transaction appended itself
        this.readVersion[this.#reads] = seen;
        this.#keysRead.put(key, firstRead, this.#reads++);
      }
    }
  }

  /** Returns the version that a read saw; negative if it is unknown or one of several. */
  #seenBy(op: number, key: number): number {
    const from = this.#readFrom[op];
    if (from >= 0) return from;
    const { opKind, keyInitial } = this.#history;
    if (from === ReadFrom.Initial) return opKind.length + key;
    const left = from === ReadFrom.Ambiguous && this.#narrowed !== null ? this.#narrowed.get(op) : undefined;
    return left?.length === 1 ? opKind.length + keyInitial.length + left[0] : -1;
  }
}

const isWrite = (kind: number): boolean => kind === OpKind.Write || kind === OpKind.Append;
