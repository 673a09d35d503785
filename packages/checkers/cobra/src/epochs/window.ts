import { EdgeColumns } from '@isolab/graph';
import {
  OpKind,
  ReadFrom,
  type ReadFromIndex,
  countKeys,
  transactionOfOperations,
  type History,
} from '@isolab/history';
import { Known, type Polygraph } from '@isolab/polygraph';
import type { Problem } from '../polygraph/problem.ts';

/**
 * The live transactions, and a summary of the removed transactions.
 * A transaction is *settled* if it certainly precedes all later transactions. Only settled transactions are removed.
 * The latest removed version of a key is the key's *base*: all later versions follow it, as they follow the initial
 * state.
 */
export class Window {
  /** In ascending order. */
  live: number[] = [];
  /** The transaction whose version is the base of each key; −1 for the initial state. */
  readonly base: Int32Array;
  /** 1 for each operation that writes a live version before its key's base. */
  readonly beforeBase: Uint8Array;
  /** 1 for each transaction that precedes a settled transaction, and so all later transactions. */
  readonly isPast: Uint8Array;
  /** Paths between live transactions that led through removed transactions. */
  shortcuts = new EdgeColumns(0);
  readonly #history: History;
  readonly #index: ReadFromIndex;
  readonly #txnOf: Int32Array;
  readonly #isGone: Uint8Array; // by transaction

  constructor(history: History, index: ReadFromIndex) {
    const numTxns = history.txnStatus.length;
    this.#history = history;
    this.#index = index;
    this.#txnOf = transactionOfOperations(history);
    this.base = new Int32Array(countKeys(history)).fill(-1);
    this.beforeBase = new Uint8Array(history.opKind.length);
    this.isPast = new Uint8Array(numTxns);
    this.#isGone = new Uint8Array(numTxns);
  }

  letGo(t: number): void {
    this.#isGone[t] = 1;
  }

  /**
   * Returns whether a new transaction reads a version that cannot be the latest: a removed version other than the base,
   * or a version before the base. The transaction that overwrote this version is settled, so it precedes the reader.
   */
  readsPast(t: number): boolean {
    const { txnStart, opKind, opKey } = this.#history;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Read) continue;
      const from = this.#index.readFrom[op];
      const base = this.base[opKey[op]];
      if (from === ReadFrom.Initial && base >= 0) return true;
      if (from < 0 || this.#txnOf[from] === t) continue;
      const isGone = this.#isGone[this.#txnOf[from]] === 1;
      if (isGone ? this.#txnOf[from] !== base : this.beforeBase[from] === 1) return true;
    }
    return false;
  }

  /** Adds transactions, and returns the transactions of the next polygraph in order. */
  admit(fresh: readonly number[]): Int32Array {
    return Int32Array.from([...this.live, ...fresh]).toSorted();
  }

  /** The polygraph of the window. An additional node, the gate, separates past transactions from fresh transactions. */
  polygraphOf({ known, versions, numNodes, makeConstraints }: Problem, fresh: readonly number[]): Polygraph {
    const { txnOf } = versions;
    const gate = numNodes;
    const isFresh = new Set(fresh);
    const nodeOf = new Map<number, number>();
    for (let n = 0; n < txnOf.length; n++) nodeOf.set(txnOf[n], n);
    for (let e = 0; e < this.shortcuts.count; e++)
      known.add(nodeOf.get(this.shortcuts.from[e])!, nodeOf.get(this.shortcuts.to[e])!, Known.Shortcut);
    const { txnSession } = this.#history;
    for (let n = 0; n < txnOf.length; n++) {
      const t = txnOf[n];
      if (!isFresh.has(t)) {
        if (this.isPast[t]) known.add(n, gate, Known.Shortcut);
      } else if (n === 0 || txnSession[txnOf[n - 1]] !== txnSession[t] || !isFresh.has(txnOf[n - 1])) {
        known.add(gate, n, Known.Shortcut);
      }
    }
    return { numNodes: numNodes + 1, known, constraints: makeConstraints() };
  }
}
