import type { IndexedHistory } from '@isolab/contract';
import { IntList, type Rows, rowsBy } from '@isolab/graph';
import { type IdColumn, OpKind, type TransactionId, countKeys, countTransactions } from '@isolab/history';
import {
  INITIAL,
  NO_SOURCE,
  Relations,
  type Sessions,
  nodesThatHappened,
  sessionsOf,
  transactionsThatHappened,
} from '@isolab/graph/relations';

/**
 * SO and WR (Definition 2.2) of transactions numbered densely, as *nodes*, in their order. The initial transaction is
 * not a node.
 */
export interface Dependencies extends Sessions {
  readonly numNodes: number;
  readonly txnOf: Int32Array;
  /**
   * External reads in program order, node by node: the operation, its statement, its key, the reader, and the writer
   * that it reads from.
   */
  readonly readStart: Int32Array;
  readonly readOp: Int32Array;
  readonly readStatement: Int32Array;
  readonly readKey: Int32Array;
  readonly reader: Int32Array;
  readonly source: Int32Array;
  /** Reads by source; the last row holds the reads of the initial state. */
  readonly readsOf: Rows;
  /** The history's number for each key; keys are numbered densely, too. */
  readonly keyOf: Int32Array;
  /** Nodes that write each key, in ascending order, each with its last write. */
  readonly writerStart: Int32Array;
  readonly writer: Int32Array;
  readonly lastWrite: Int32Array;
}

/**
 * Builds dependencies for one set of transactions after another; the cost of each depends only on these transactions.
 */
export class DependencyBuilder {
  readonly #input: IndexedHistory;
  readonly #sources: Int32Array; // by operation: the transaction that it reads from
  readonly #notExternal: ReadonlySet<number>;
  // Node of each transaction, and number of each key of the history; all −1 between two builds.
  readonly #nodeOf: Int32Array;
  readonly #keyOf: Int32Array;

  constructor(input: IndexedHistory) {
    this.#input = input;
    const { history, index } = input;
    this.#sources = new Relations(history, index, transactionsThatHappened(index.outcome)).source;
    this.#notExternal = readsWithoutAxiom(input);
    this.#nodeOf = new Int32Array(countTransactions(input.history)).fill(-1);
    this.#keyOf = new Int32Array(countKeys(input.history)).fill(-1);
  }

  /** The dependencies among `txns`, which are in ascending order; reads from other transactions are left out. */
  build(txns: Int32Array): Dependencies {
    txns.forEach((t, node) => (this.#nodeOf[t] = node));
    const nodes = { numNodes: txns.length, txnOf: txns as IdColumn<TransactionId>, nodeOf: this.#nodeOf };
    const sessions = sessionsOf(this.#input.history, nodes);
    const keys = new IntList();
    const reads = this.#collectReads(txns, keys);
    const writes = this.#collectWrites(txns, keys);
    const numKeys = keys.length;
    for (let k = 0; k < numKeys; k++) this.#keyOf[keys.items[k]] = -1;
    for (const t of txns) this.#nodeOf[t] = -1;

    const byKey = rowsBy(writes.key, numKeys);
    const source = reads.source;
    const groupOfRead = source.map((from) => (from === INITIAL ? txns.length : from));
    return {
      numNodes: txns.length,
      txnOf: txns,
      ...sessions,
      ...reads,
      keyOf: keys.toArray(),
      readsOf: rowsBy(groupOfRead, txns.length + 1),
      writerStart: byKey.start,
      writer: byKey.item.map((write) => writes.node[write]),
      lastWrite: byKey.item.map((write) => writes.op[write]),
    };
  }

  #key(key: number, keys: IntList): number {
    if (this.#keyOf[key] < 0) {
      this.#keyOf[key] = keys.length;
      keys.push(key);
    }
    return this.#keyOf[key];
  }

  #collectReads(txns: Int32Array, keys: IntList) {
    const { txnStart, opKey, opStatement } = this.#input.history;
    const sources = this.#sources;
    const readStart = new Int32Array(txns.length + 1);
    const readOp = new IntList();
    const readKey = new IntList();
    const reader = new IntList();
    const source = new IntList();
    for (let node = 0; node < txns.length; node++) {
      const t = txns[node];
      for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
        if (sources[op] === NO_SOURCE || this.#notExternal.has(op)) continue;
        const from = sources[op] === INITIAL ? INITIAL : this.#nodeOf[sources[op]];
        if (from < 0 && sources[op] !== INITIAL) continue; // from a transaction outside `txns`
        readOp.push(op);
        readKey.push(this.#key(opKey[op], keys));
        reader.push(node);
        source.push(from);
      }
      readStart[node + 1] = readOp.length;
    }
    const ops = readOp.toArray();
    return {
      readStart,
      readOp: ops,
      readStatement: opStatement === null ? ops : ops.map((op) => opStatement[op]),
      readKey: readKey.toArray(),
      reader: reader.toArray(),
      source: source.toArray(),
    };
  }

  #collectWrites(txns: Int32Array, keys: IntList): { node: Int32Array; key: Int32Array; op: Int32Array } {
    const { txnStart, opKind, opKey } = this.#input.history;
    const node = new IntList();
    const keyOf = new IntList();
    const op = new IntList();
    const lastWriter = new IntList(); // by key: the latest node found to write it
    for (let n = 0; n < txns.length; n++) {
      // In reverse, the first write encountered is the last write.
      for (let o = txnStart[txns[n] + 1] - 1, first = txnStart[txns[n]]; o >= first; o--) {
        if (opKind[o] !== OpKind.Write) continue;
        const key = this.#key(opKey[o], keys);
        while (lastWriter.length <= key) lastWriter.push(-1);
        if (lastWriter.items[key] === n) continue;
        lastWriter.items[key] = n;
        node.push(n);
        keyOf.push(key);
        op.push(o);
      }
    }
    return { node: node.toArray(), key: keyOf.toArray(), op: op.toArray() };
  }
}

/** The transactions that a level concerns. */
export const happened = ({ index: { outcome } }: IndexedHistory): Int32Array => nodesThatHappened(outcome).txnOf;

/**
 * Reads with an internal anomaly. The axioms concern external reads of last writes, so they do not apply to these
 * reads.
 */
function readsWithoutAxiom({ internal }: IndexedHistory): Set<number> {
  const reads = new Set<number>();
  for (let i = 0; i < internal.count; i++) {
    const { name, read } = internal.at(i);
    if (name !== 'non-repeatable-read') reads.add(read);
  }
  return reads;
}
