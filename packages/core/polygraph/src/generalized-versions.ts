import { type History, type ListVersions, Outcome, type ReadFromIndex } from '@isolab/history';
import {
  Relations,
  type KeyVersions,
  initialVersion,
  listAppendVersions,
  registerVersions,
  transactionsThatHappened,
} from '@isolab/graph/relations';

/** Node of the initial transaction; transaction t is node t + 1. Transactions that did not happen have no edges. */
export const INITIAL_NODE = 0;
const nodeOf = (transaction: number): number => transaction + 1;
export const transactionOfNode = (node: number): number => node - 1;

/**
 * Versions by key with writers and readers. The first `numOrdered` versions of a key are in order, before all others.
 */
export interface VersionTable {
  readonly numNodes: number;
  /** Whether the initial transaction precedes all other transactions. */
  readonly initialFirst: boolean;
  /** Session of each node; the initial transaction has a separate session. */
  readonly session: Int32Array;
  /** Previous node in each node's session; the initial transaction before the first; −1 for nodes without edges. */
  readonly previous: Int32Array;
  /** First version of each key, with one extra slot. */
  readonly keyStart: Int32Array;
  readonly numOrdered: Int32Array;
  readonly writer: Int32Array;
  /** First reader of each version, with one extra slot; a node occurs at most once per version. */
  readonly readerStart: Int32Array;
  readonly reader: Int32Array;
}

export interface VersionTableOptions {
  /** Whether the initial transaction precedes all others; if not, it is an ordinary writer. */
  readonly initialFirst: boolean;
}

/**
 * Returns the versions of registers: the last write of each transaction to each key. Reads forbidden by the levels are
 * omitted.
 */
export const registerVersionTable = (
  history: History,
  index: ReadFromIndex,
  options: VersionTableOptions = { initialFirst: true },
): VersionTable => {
  const relations = new Relations(history, index, transactionsThatHappened(index.outcome));
  return { ...nodesOf(history, index, options), ...withInitial(registerVersions(relations), options) };
};

/**
 * Returns the versions of lists: the last append of each transaction to each key. Without conflicts, only unread
 * versions are unordered.
 */
export const listVersionTable = (
  history: History,
  index: ReadFromIndex,
  lists: ListVersions,
  options: VersionTableOptions = { initialFirst: true },
): VersionTable => {
  const relations = new Relations(history, index, transactionsThatHappened(index.outcome));
  return { ...nodesOf(history, index, options), ...withInitial(listAppendVersions(relations, lists), options) };
};

type Table = Pick<VersionTable, 'keyStart' | 'numOrdered' | 'writer' | 'readerStart' | 'reader'>;

/** Puts the initial version of each key before the other versions. */
function withInitial(versions: KeyVersions, { initialFirst }: VersionTableOptions): Table {
  const numKeys = versions.numOrdered.length;
  const writer = new Int32Array(versions.writer.length + numKeys).fill(INITIAL_NODE);
  const readerStart = new Int32Array(writer.length + 1);
  const reader = new Int32Array(versions.reader.length);
  let count = 0;
  const addReaders = (version: number, place: number): void => {
    for (let i = versions.readerStart[version]; i < versions.readerStart[version + 1]; i++)
      reader[count++] = nodeOf(versions.reader[i]);
    readerStart[place + 1] = count;
  };
  for (let key = 0; key < numKeys; key++) {
    addReaders(initialVersion(versions, key), versions.keyStart[key] + key);
    for (let v = versions.keyStart[key]; v < versions.keyStart[key + 1]; v++) {
      const place = v + key + 1;
      writer[place] = nodeOf(versions.writer[v]);
      addReaders(v, place);
    }
  }
  return {
    keyStart: versions.keyStart.map((start, key) => start + key),
    // An initial version that need not come first has a known place only if the other versions have a known order.
    numOrdered: versions.numOrdered.map((known) => (known > 0 || initialFirst ? known + 1 : 0)),
    writer,
    readerStart,
    reader,
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
