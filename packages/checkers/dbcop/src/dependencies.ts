import type { CheckInput } from '@isolab/contract';
import { OpKind, Outcome, ReadFrom, countKeys, countTransactions, transactionOfOperations } from '@isolab/history';
import { type Csr, groupBy } from './csr.ts';
import { IntList } from './int-list.ts';

/** Stands for the initial transaction where a read's source is named. */
export const INITIAL = -1;

/**
 * SO and WR of some transactions (paper, Definition 2.2), numbered densely: as *nodes*. Nodes ascend with the
 * transactions of the history, so a session's nodes are consecutive. The initial transaction is not a node: nothing
 * may precede it, so an order between it and a node is either known or a violation.
 */
export interface Dependencies {
  readonly numNodes: number;
  readonly txnOf: Int32Array;
  /** Session of each node, numbered densely too. */
  readonly session: Int32Array;
  readonly numSessions: number;
  /** External reads in program order, node by node: the operation, its key, who reads and whom it reads from. */
  readonly readStart: Int32Array;
  readonly readOp: Int32Array;
  readonly readKey: Int32Array;
  readonly reader: Int32Array;
  readonly source: Int32Array;
  /** Reads by their source; the last row holds those of the initial state. */
  readonly readsOf: Csr;
  /** The history's number of each key; keys are numbered densely, too. */
  readonly keyOf: Int32Array;
  /** For each key the nodes that write it, ascending, each with its last write. */
  readonly writerStart: Int32Array;
  readonly writer: Int32Array;
  readonly lastWrite: Int32Array;
}

/** Builds dependencies for one set of transactions after another; a build costs no more than those transactions. */
export class DependencyBuilder {
  readonly #input: CheckInput;
  readonly #txnOfOp: Int32Array;
  readonly #notExternal: ReadonlySet<number>;
  // By transaction and by key of the history; all −1 between two builds.
  readonly #nodeOf: Int32Array;
  readonly #keyOf: Int32Array;

  constructor(input: CheckInput) {
    this.#input = input;
    this.#txnOfOp = transactionOfOperations(input.history);
    this.#notExternal = readsWithoutAxiom(input);
    this.#nodeOf = new Int32Array(countTransactions(input.history)).fill(-1);
    this.#keyOf = new Int32Array(countKeys(input.history)).fill(-1);
  }

  /** The dependencies among `txns`, which ascend; what they read from other transactions is left out. */
  build(txns: Int32Array): Dependencies {
    txns.forEach((t, node) => (this.#nodeOf[t] = node));
    const sessions = this.#sessionsOf(txns);
    const keys = new IntList();
    const reads = this.#collectReads(txns, keys);
    const writes = this.#collectWrites(txns, keys);
    const numKeys = keys.length;
    for (let k = 0; k < numKeys; k++) this.#keyOf[keys.at(k)] = -1;
    for (const t of txns) this.#nodeOf[t] = -1;

    const byKey = groupBy(writes.key, numKeys);
    const source = reads.source;
    const groupOfRead = source.map((from) => (from === INITIAL ? txns.length : from));
    return {
      numNodes: txns.length,
      txnOf: txns,
      ...sessions,
      ...reads,
      keyOf: keys.toArray(),
      readsOf: groupBy(groupOfRead, txns.length + 1),
      writerStart: byKey.start,
      writer: byKey.target.map((write) => writes.node[write]),
      lastWrite: byKey.target.map((write) => writes.op[write]),
    };
  }

  #sessionsOf(txns: Int32Array): { session: Int32Array; numSessions: number } {
    const { txnSession } = this.#input.history;
    const session = new Int32Array(txns.length);
    let numSessions = 0;
    for (let node = 0; node < txns.length; node++) {
      if (node === 0 || txnSession[txns[node]] !== txnSession[txns[node - 1]]) numSessions++;
      session[node] = numSessions - 1;
    }
    return { session, numSessions };
  }

  #key(key: number, keys: IntList): number {
    if (this.#keyOf[key] < 0) {
      this.#keyOf[key] = keys.length;
      keys.push(key);
    }
    return this.#keyOf[key];
  }

  #collectReads(txns: Int32Array, keys: IntList) {
    const { txnStart, opKind, opKey } = this.#input.history;
    const { readFrom } = this.#input.index;
    const notExternal = this.#notExternal;
    const nodeOf = this.#nodeOf;
    const txnOfOp = this.#txnOfOp;
    const readStart = new Int32Array(txns.length + 1);
    const readOp = new IntList();
    const readKey = new IntList();
    const reader = new IntList();
    const source = new IntList();
    for (let node = 0; node < txns.length; node++) {
      const t = txns[node];
      for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
        if (opKind[op] !== OpKind.Read) continue;
        const write = readFrom[op];
        const from = write >= 0 ? nodeOf[txnOfOp[write]] : write === ReadFrom.Initial ? INITIAL : node;
        // A read of the transaction's own write, or of what is not part of this history, is no WR pair.
        if (from === node || (write >= 0 && from < 0) || notExternal.has(op)) continue;
        readOp.push(op);
        readKey.push(this.#key(opKey[op], keys));
        reader.push(node);
        source.push(from);
      }
      readStart[node + 1] = readOp.length;
    }
    return {
      readStart,
      readOp: readOp.toArray(),
      readKey: readKey.toArray(),
      reader: reader.toArray(),
      source: source.toArray(),
    };
  }

  /** The last write of every transaction to every key, by transaction. */
  #collectWrites(txns: Int32Array, keys: IntList): { node: Int32Array; key: Int32Array; op: Int32Array } {
    const { txnStart, opKind, opKey } = this.#input.history;
    const node = new IntList();
    const keyOf = new IntList();
    const op = new IntList();
    const lastWriter = new IntList(); // by key: the node that was found to write it last
    for (let n = 0; n < txns.length; n++) {
      // Backwards, so that the first write met is the last one.
      for (let o = txnStart[txns[n] + 1] - 1, first = txnStart[txns[n]]; o >= first; o--) {
        if (opKind[o] !== OpKind.Write) continue;
        const key = this.#key(opKey[o], keys);
        while (lastWriter.length <= key) lastWriter.push(-1);
        if (lastWriter.at(key) === n) continue;
        lastWriter.set(key, n);
        node.push(n);
        keyOf.push(key);
        op.push(o);
      }
    }
    return { node: node.toArray(), key: keyOf.toArray(), op: op.toArray() };
  }
}

/** The transactions that a level speaks about. */
export function happened({ index: { outcome } }: CheckInput): Int32Array {
  const txns = new IntList();
  for (let t = 0; t < outcome.length; t++) if (outcome[t] === Outcome.Happened) txns.push(t);
  return txns.toArray();
}

/** Reads that are wrong in themselves: the axioms speak of external reads of last writes, which these are not. */
function readsWithoutAxiom({ internal }: CheckInput): Set<number> {
  const reads = new Set<number>();
  for (let i = 0; i < internal.count; i++) {
    const { name, read } = internal.at(i);
    if (name !== 'non-repeatable-read') reads.add(read);
  }
  return reads;
}
