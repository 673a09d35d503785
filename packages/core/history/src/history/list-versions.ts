import { type History, countKeys, countOperations, transactionOf, transactionOfOperations } from './history.ts';
import type { Lists } from '../columns/lists.ts';
import { EMPTY_LIST, OpKind, UNKNOWN_LIST } from '../columns/operation.ts';
import { Outcome, type ReadFromIndex } from './read-from.ts';
import type { IdColumn, KeyId, OperationId, TransactionId } from '../columns/ids.ts';

/**
 * Order of the appends to each key, as list reads show it. The *versions* of a key are first the appends that some list
 * shows, in the order of the longest list, then the other appends, whose order is unknown.
 * Only transactions that happened count. A transaction's own appends at the end of a read's result are ignored, because
 * their final place is unknown, and a read that does not end with them is ignored entirely. Such reads, elements
 * without an append, and elements of aborted transactions are handled as internal anomalies.
 */
export interface ListVersions {
  /** First version of each key, with one extra slot. */
  readonly keyStart: Int32Array;
  /** Number of shown versions of each key; they come first. The remaining versions are unordered. */
  readonly numShown: Int32Array;
  /** First read of each key's longest list, which shows numShown versions; −1 if there is none. */
  readonly longestRead: IdColumn<OperationId>;
  /** Operation that appended each version; ReadFrom.ThinAir or ReadFrom.Ambiguous if the append is unknown. */
  readonly append: IdColumn<OperationId>;
  /** Transaction of `append`, or −1. */
  readonly txn: IdColumn<TransactionId>;
  /** Version of each append; −1 if only incompatible lists show it, or if no list shows it and it did not happen. */
  readonly versionOf: Int32Array;
  /**
   * Number of versions that each list read shows: `keyStart[key] + seen[read]` is the first hidden version. −1 for a
   * read that did not happen, whose result is unknown, that does not end with its transaction's own appends, or that is
   * incompatible with the longest list.
   */
  readonly seen: Int32Array;
  /** Conflicts that no order of the appends can explain. */
  readonly conflicts: readonly ListConflict[];
}

export type ListConflict =
  /**
   * Two lists of a key, neither of them a prefix of the other; `read` returned the longest list. Each other list gives
   * one conflict.
   */
  | { readonly kind: 'incompatible'; readonly key: KeyId; readonly read: OperationId; readonly other: OperationId }
  /**
   * The list shows the append twice: either two copies of a single append, or a second copy outside the reader's own
   * appends.
   */
  | { readonly kind: 'duplicate'; readonly key: KeyId; readonly read: OperationId; readonly append: OperationId }
  /**
   * A transaction appends `append` and then `next`, but they are not adjacent in the list, or it shows only one of
   * them.
   */
  | {
      readonly kind: 'scattered';
      readonly key: KeyId;
      readonly read: OperationId;
      readonly append: OperationId;
      readonly next: OperationId;
    };

/** Finds the version order of every key with appends, in linear time and memory. */
export function listVersions(history: History, index: ReadFromIndex): ListVersions {
  const shown = findShown(history, index);
  const isPrefix = new Uint8Array(history.lists.parent.length); // 1 for the lists that are prefixes of a longest one
  isPrefix[EMPTY_LIST] = 1;
  for (let key = 0; key < shown.longest.length; key++) {
    for (let n = shown.longest[key]; isPrefix[n] === 0; n = history.lists.parent[n]) isPrefix[n] = 1;
  }
  const conflicts: ListConflict[] = [];
  const seen = placeReads(history, shown, isPrefix, conflicts);
  for (const read of shown.ownTwice) findOwnTwice(history, index, shown, read, conflicts);
  if (shown.isSuspect) findDuplicates(history, index, shown, conflicts);
  const versions = numberVersions(history, index, shown);
  findScattered(history, index, versions, shown, conflicts);
  const { longestRead } = shown;
  return { ...versions, longestRead, seen, conflicts };
}

/** Lists that reads show, without the readers' own elements. */
interface Shown {
  /** Shown list of each read; −1 for all other operations. */
  readonly listOf: Int32Array;
  /** First read that shows each list or an extension of it; −1 for none. */
  readonly reader: IdColumn<OperationId>;
  readonly isShown: Uint8Array;
  /** Whether two lists end with the same append: otherwise no list can show an append twice. */
  readonly isSuspect: boolean;
  /** Reads that may also show an append of their own transaction among foreign appends. */
  readonly ownTwice: readonly OperationId[];
  /** Longest list of each key, and the first read that shows it. */
  readonly longest: Int32Array;
  readonly longestRead: IdColumn<OperationId>;
}

function findShown(history: History, { outcome, nodeAppend }: ReadFromIndex): Shown {
  const { txnStart, txnStatus, opKind, opKey, opValue, lists } = history;
  const { parent, length } = lists;
  const ownBefore = new Int32Array(countOperations(history)); // by append: the previous append of the transaction, or −1
  const own = new Int32Array(countKeys(history)).fill(-1); // by key: the latest append
  const listOf = new Int32Array(countOperations(history)).fill(-1);
  const reader = new Int32Array(parent.length).fill(-1) as IdColumn<OperationId>;
  const isShown = new Uint8Array(countOperations(history));
  const longest = new Int32Array(countKeys(history)).fill(EMPTY_LIST);
  const longestRead = new Int32Array(countKeys(history)).fill(-1) as IdColumn<OperationId>;
  const shallowest = shallowestNodes(history, nodeAppend);
  const ownTwice: OperationId[] = [];
  let isSuspect = false;
  for (let t = 0; t < txnStatus.length; t++) {
    if (outcome[t] !== Outcome.Happened) continue;
    const first = txnStart[t];
    for (let op = first, end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      if (opKind[op] === OpKind.Append) {
        ownBefore[op] = own[key] >= first ? own[key] : -1;
        own[key] = op;
      }
      if (opKind[op] !== OpKind.ListRead || opValue[op] === UNKNOWN_LIST) continue;
      let list = opValue[op];
      const last = own[key] >= first ? own[key] : -1;
      let append = last;
      for (; append >= 0 && list !== EMPTY_LIST && lists.element[list] === opValue[append]; append = ownBefore[append])
        list = parent[list];
      if (append >= 0) continue;
      listOf[op] = list;
      if (last >= 0 && showsAmong(last, ownBefore, shallowest, length[list])) ownTwice.push(op);
      if (longestRead[key] < 0 || length[list] > length[longest[key]]) {
        longest[key] = list;
        longestRead[key] = op;
      }
      for (let n = list; n !== EMPTY_LIST && reader[n] < 0; n = parent[n]) {
        reader[n] = op;
        const shown = nodeAppend[n];
        if (shown < 0) continue;
        if (isShown[shown] === 1) isSuspect = true;
        isShown[shown] = 1;
      }
    }
  }
  return { listOf, reader, isShown, isSuspect, ownTwice, longest, longestRead };
}

/** Returns the length of the shortest list that ends with each append; a length that no list has if there is none. */
function shallowestNodes({ opKind, lists }: History, nodeAppend: Int32Array): Int32Array {
  const shallowest = new Int32Array(opKind.length).fill(lists.parent.length);
  for (let n = 1; n < nodeAppend.length; n++) {
    const append = nodeAppend[n];
    if (append >= 0 && lists.length[n] < shallowest[append]) shallowest[append] = lists.length[n];
  }
  return shallowest;
}

/**
 * Returns whether a list of this length is long enough to show one of a transaction's appends; `last` is the last of
 * them.
 */
function showsAmong(last: number, ownBefore: Int32Array, shallowest: Int32Array, length: number): boolean {
  for (let append = last; append >= 0; append = ownBefore[append]) if (shallowest[append] <= length) return true;
  return false;
}

/** Finds readers' own appends among foreign appends: only the end of a list may show the reader's appends. */
function findOwnTwice(
  history: History,
  { nodeAppend }: ReadFromIndex,
  { listOf }: Shown,
  read: OperationId,
  conflicts: ListConflict[],
): void {
  const { opKey, txnStart, lists } = history;
  const first = txnStart[transactionOf(history, read)];
  for (let n = listOf[read]; n !== EMPTY_LIST; n = lists.parent[n]) {
    const append = nodeAppend[n];
    if (append >= first && append < read) conflicts.push({ kind: 'duplicate', key: opKey[read], read, append });
  }
}

/**
 * Finds the part of the version order that each read shows, and the lists that are not a prefix of it, each with its
 * first read.
 */
function placeReads(
  { opKey, lists }: History,
  { listOf, longestRead }: Shown,
  isPrefix: Uint8Array,
  conflicts: ListConflict[],
): Int32Array {
  const seen = new Int32Array(listOf.length).fill(-1);
  const isReported = new Uint8Array(lists.parent.length);
  for (let op = 0 as OperationId; op < listOf.length; op++) {
    const list = listOf[op];
    if (list < 0) continue;
    if (isPrefix[list] === 1) {
      seen[op] = lists.length[list];
    } else if (isReported[list] === 0) {
      isReported[list] = 1;
      conflicts.push({ kind: 'incompatible', key: opKey[op], read: longestRead[opKey[op]], other: op });
    }
  }
  return seen;
}

/** Walks through the tree of all shown lists, counting appends on the way down and uncounting them on the way up. */
function findDuplicates(
  { opKey, lists }: History,
  { nodeAppend }: ReadFromIndex,
  { reader }: Shown,
  conflicts: ListConflict[],
): void {
  const { firstChild, nextSibling } = childrenOf(lists, reader);
  const isAbove = new Uint8Array(opKey.length); // by append: whether it is on the path from the root
  const isRepeat = new Uint8Array(reader.length);
  for (let node = EMPTY_LIST; ;) {
    let next = firstChild[node];
    while (next < 0 && node !== EMPTY_LIST) {
      if (nodeAppend[node] >= 0 && isRepeat[node] === 0) isAbove[nodeAppend[node]] = 0;
      next = nextSibling[node];
      node = lists.parent[node];
    }
    if (next < 0) return;
    node = next;
    const append = nodeAppend[node];
    if (append < 0) continue;
    if (isAbove[append] === 1) {
      isRepeat[node] = 1;
      conflicts.push({ kind: 'duplicate', key: opKey[append], read: reader[node], append });
    }
    isAbove[append] = 1;
  }
}

function childrenOf({ parent }: Lists, reader: Int32Array) {
  const firstChild = new Int32Array(parent.length).fill(-1);
  const nextSibling = new Int32Array(parent.length).fill(-1);
  for (let n = parent.length - 1; n > EMPTY_LIST; n--) {
    if (reader[n] < 0) continue;
    nextSibling[n] = firstChild[parent[n]];
    firstChild[parent[n]] = n;
  }
  return { firstChild, nextSibling };
}

function numberVersions(history: History, { outcome, nodeAppend }: ReadFromIndex, { isShown, longest }: Shown) {
  const { opKind, opKey, lists } = history;
  const txnOf = transactionOfOperations(history);
  const numKeys = longest.length;
  const numShown = new Int32Array(numKeys);
  const keyStart = new Int32Array(numKeys + 1);
  for (let key = 0; key < numKeys; key++) keyStart[key + 1] = numShown[key] = lists.length[longest[key]];
  const isUnshown = (op: OperationId): boolean =>
    opKind[op] === OpKind.Append && isShown[op] === 0 && outcome[txnOf[op]] === Outcome.Happened;
  for (let op = 0 as OperationId; op < opKind.length; op++) if (isUnshown(op)) keyStart[opKey[op] + 1]++;
  for (let key = 0; key < numKeys; key++) keyStart[key + 1] += keyStart[key];

  const append = new Int32Array(keyStart[numKeys]) as IdColumn<OperationId>;
  const txn = new Int32Array(keyStart[numKeys]) as IdColumn<TransactionId>;
  const versionOf = new Int32Array(opKind.length).fill(-1);
  for (let key = 0; key < numKeys; key++) {
    let version = keyStart[key] + numShown[key];
    for (let n = longest[key]; n !== EMPTY_LIST; n = lists.parent[n]) {
      const op = nodeAppend[n];
      append[--version] = op;
      txn[version] = op < 0 ? (-1 as TransactionId) : txnOf[op];
      if (op >= 0) versionOf[op] = version;
    }
  }
  const cursor = keyStart.slice(0, numKeys);
  for (let key = 0; key < numKeys; key++) cursor[key] += numShown[key];
  for (let op = 0 as OperationId; op < opKind.length; op++) {
    if (!isUnshown(op)) continue;
    const version = cursor[opKey[op]]++;
    append[version] = op;
    txn[version] = txnOf[op];
    versionOf[op] = version;
  }
  return { keyStart, numShown, append, txn, versionOf };
}

/** A transaction's appends to a key are adjacent; a longest list that ends between them is an intermediate read. */
function findScattered(
  history: History,
  { outcome }: ReadFromIndex,
  { keyStart, numShown, versionOf }: Pick<ListVersions, 'keyStart' | 'numShown' | 'versionOf'>,
  { longestRead }: Shown,
  conflicts: ListConflict[],
): void {
  const { txnStart, txnStatus, opKind, opKey } = history;
  const shownTwice = new Set(conflicts.flatMap((conflict) => (conflict.kind === 'duplicate' ? [conflict.append] : [])));
  const latest = new Int32Array(countKeys(history)).fill(-1) as IdColumn<OperationId>;
  for (let t = 0; t < txnStatus.length; t++) {
    if (outcome[t] !== Outcome.Happened) continue;
    const first = txnStart[t];
    for (let next = first, end = txnStart[t + 1]; next < end; next++) {
      if (opKind[next] !== OpKind.Append) continue;
      const key = opKey[next];
      const append = latest[key];
      latest[key] = next;
      if (append < first || shownTwice.has(append) || shownTwice.has(next)) continue;
      const last = keyStart[key] + numShown[key] - 1;
      const at = versionOf[append] <= last ? versionOf[append] : -1;
      const nextAt = versionOf[next] <= last ? versionOf[next] : -1;
      const isRead = at >= 0 ? at !== last || nextAt >= 0 : nextAt >= 0;
      if (isRead && (at < 0 || at + 1 !== nextAt))
        conflicts.push({ kind: 'scattered', key, read: longestRead[key], append, next });
    }
  }
}
