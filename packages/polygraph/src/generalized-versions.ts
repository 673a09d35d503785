import { rowsBy } from '@isolab/graph';
import {
  type History,
  type ListVersions,
  OpKind,
  Outcome,
  ReadFrom,
  type ReadFromIndex,
  countKeys,
  transactionOfOperations,
} from '@isolab/history';

/** The node of the initial transaction; transaction t is node t + 1. Transactions that did not happen have no edges. */
export const INITIAL_NODE = 0;
const nodeOf = (transaction: number): number => transaction + 1;
export const transactionOfNode = (node: number): number => node - 1;

/**
 * The versions of every key, each with its writer and its readers, and what is known of their order: the first
 * `numOrdered` of a key follow one another and come before all others, whose order is open. Registers know only that
 * the initial version is the first; lists know the order of all that was read.
 */
export interface VersionTable {
  readonly numNodes: number;
  /** Whether the initial transaction precedes all others. */
  readonly initialFirst: boolean;
  /** The session of each node; the initial transaction has one of its own. */
  readonly session: Int32Array;
  /** The node before each one in its session, the initial one before the first; −1 for nodes without edges. */
  readonly previous: Int32Array;
  /** First version of each key, with one extra slot. */
  readonly keyStart: Int32Array;
  readonly numOrdered: Int32Array;
  /** By version: the node that wrote it. */
  readonly writer: Int32Array;
  /** First reader of each version, with one extra slot; a node reads a version at most once. */
  readonly readerStart: Int32Array;
  readonly reader: Int32Array;
}

export interface VersionTableOptions {
  /** Whether the initial transaction precedes all others; if not, it is a writer like any other. */
  readonly initialFirst: boolean;
}

/** The versions of registers: what a transaction wrote last to a key. Reads that the levels forbid are left out. */
export function registerVersionTable(
  history: History,
  index: ReadFromIndex,
  options: VersionTableOptions = { initialFirst: true },
): VersionTable {
  const { txnStart, opKind, opKey } = history;
  const numKeys = countKeys(history);
  const numTxns = txnStart.length - 1;
  const { outcome } = index;

  const keyStart = new Int32Array(numKeys + 1);
  const versionOf = new Int32Array(opKind.length).fill(-1); // of the last write of a transaction to a key
  const last = new Int32Array(numKeys).fill(-1); // the last write met of each key
  for (let key = 0; key < numKeys; key++) keyStart[key + 1] = 1;
  for (let t = 0; t < numTxns; t++) {
    if (outcome[t] !== Outcome.Happened) continue;
    const first = txnStart[t];
    for (let op = first, end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      if (last[opKey[op]] < first) keyStart[opKey[op] + 1]++;
      last[opKey[op]] = op;
    }
  }
  for (let key = 0; key < numKeys; key++) keyStart[key + 1] += keyStart[key];

  const writer = new Int32Array(keyStart[numKeys]);
  const cursor = keyStart.slice(0, numKeys);
  for (let key = 0; key < numKeys; key++) writer[cursor[key]++] = INITIAL_NODE;
  last.fill(-1);
  for (let t = 0; t < numTxns; t++) {
    if (outcome[t] !== Outcome.Happened) continue;
    const first = txnStart[t];
    for (let op = first, end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] !== OpKind.Write) continue;
      const before = last[opKey[op]];
      if (before >= first) {
        versionOf[op] = versionOf[before];
        versionOf[before] = -1;
      } else {
        versionOf[op] = cursor[opKey[op]];
        writer[cursor[opKey[op]]++] = nodeOf(t);
      }
      last[opKey[op]] = op;
    }
  }

  const versionRead = (op: number, t: number): number => {
    if (opKind[op] !== OpKind.Read) return -1;
    const from = index.readFrom[op];
    if (from === ReadFrom.Initial) return keyStart[opKey[op]];
    return from >= 0 && writer[versionOf[from]] !== nodeOf(t) ? versionOf[from] : -1;
  };
  return {
    ...nodesOf(history, index, options),
    keyStart,
    numOrdered: new Int32Array(numKeys).fill(options.initialFirst ? 1 : 0),
    writer,
    ...readersOf(history, index, writer.length, versionRead),
  };
}

/**
 * The versions of lists: of what one transaction appends to a key, the last. `lists` has no conflicts: reads are
 * prefixes of one another, so that all versions but those that nobody has read are in a known order.
 */
export function listVersionTable(
  history: History,
  index: ReadFromIndex,
  lists: ListVersions,
  options: VersionTableOptions = { initialFirst: true },
): VersionTable {
  const { opKind, opKey } = history;
  const numKeys = countKeys(history);
  const keyStart = new Int32Array(numKeys + 1);
  const numOrdered = new Int32Array(numKeys);
  const writer: number[] = [];
  const versionOfElement = new Int32Array(lists.txn.length).fill(-1);
  const unshown = new Map<number, number>(); // of the key at hand: the version of each transaction
  for (let key = 0; key < numKeys; key++) {
    const first = lists.keyStart[key];
    const shown = first + lists.numShown[key];
    writer.push(INITIAL_NODE);
    for (let i = first; i < shown; i++) {
      const t = lists.txn[i];
      // Elements that no transaction that happened appended are anomalies of their own, and are nobody's version.
      if (t < 0 || index.outcome[t] !== Outcome.Happened) continue;
      const node = nodeOf(t);
      if (writer[writer.length - 1] !== node) writer.push(node);
      versionOfElement[i] = writer.length - 1;
    }
    // What is appended after the last element that was read is, for its transaction, the same version.
    const lastShown = writer[writer.length - 1];
    numOrdered[key] = writer.length - keyStart[key];
    if (numOrdered[key] === 1 && !options.initialFirst) numOrdered[key] = 0;
    unshown.clear();
    for (let i = shown; i < lists.keyStart[key + 1]; i++) {
      const node = nodeOf(lists.txn[i]);
      if (node === lastShown || unshown.has(node)) continue;
      unshown.set(node, writer.length);
      writer.push(node);
    }
    keyStart[key + 1] = writer.length;
  }

  const writers = Int32Array.from(writer);
  const versionRead = (op: number, t: number): number => {
    if (opKind[op] !== OpKind.ListRead || lists.seen[op] < 0) return -1;
    const key = opKey[op];
    const version = lists.seen[op] === 0 ? keyStart[key] : versionOfElement[lists.keyStart[key] + lists.seen[op] - 1];
    return version < 0 || writers[version] === nodeOf(t) ? -1 : version;
  };
  return {
    ...nodesOf(history, index, options),
    keyStart,
    numOrdered,
    writer: writers,
    ...readersOf(history, index, writers.length, versionRead),
  };
}

function nodesOf(
  { txnSession, sessionStart }: History,
  { outcome }: ReadFromIndex,
  { initialFirst }: VersionTableOptions,
): Pick<VersionTable, 'numNodes' | 'initialFirst' | 'session' | 'previous'> {
  const numNodes = nodeOf(outcome.length);
  const session = new Int32Array(numNodes);
  session[INITIAL_NODE] = sessionStart.length - 1;
  session.set(txnSession, 1);
  const previous = new Int32Array(numNodes).fill(-1);
  for (let s = 0; s + 1 < sessionStart.length; s++) {
    let last = initialFirst ? INITIAL_NODE : -1;
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      if (outcome[t] !== Outcome.Happened) continue;
      previous[nodeOf(t)] = last;
      last = nodeOf(t);
    }
  }
  return { numNodes, initialFirst, session, previous };
}

/** Puts the readers of each version in rows, each reader once. */
function readersOf(
  history: History,
  { outcome }: ReadFromIndex,
  numVersions: number,
  versionRead: (op: number, t: number) => number,
): Pick<VersionTable, 'readerStart' | 'reader'> {
  const txnOf = transactionOfOperations(history);
  const version = new Int32Array(txnOf.length).fill(-1);
  const lastReader = new Int32Array(numVersions).fill(-1);
  for (let op = 0; op < txnOf.length; op++) {
    const t = txnOf[op];
    if (outcome[t] !== Outcome.Happened) continue;
    const read = versionRead(op, t);
    if (read < 0 || lastReader[read] === t) continue;
    lastReader[read] = t;
    version[op] = read;
  }
  const { start, item } = rowsBy(version, numVersions);
  return { readerStart: start, reader: item.map((op) => nodeOf(txnOf[op])) };
}
