import { writesKey } from '@isolab/graph/relations';
import type { Model } from './model.ts';

/** One transaction t₃ at a time: its sources, the first read from each, and reads that compete with another writer. */
export class Reader {
  readonly #model: Model;
  readonly #rowOfKey: Int32Array; // by key: latest row of the reader
  readonly #keyReader: Int32Array; // by key: the reader of this row
  readonly #sourceReader: Int32Array; // by node: the latest reader with this source
  readonly #firstRead: Int32Array; // by source: first operation of the reader that reads from it,
  readonly #firstKey: Int32Array; // its key,
  readonly #otherRead: Int32Array; // and the first such operation of another key, or −1
  /** The transactions that the reader reads from, without ⊥. */
  readonly sources: number[] = [];
  /** Rows; filled by {@link contested}. */
  readonly rows: number[] = [];
  #node = -1;

  constructor(model: Model) {
    const { numNodes, history } = model;
    const numKeys = history.keyInitial.length;
    this.#model = model;
    this.#rowOfKey = new Int32Array(numKeys);
    this.#keyReader = new Int32Array(numKeys).fill(-1);
    this.#sourceReader = new Int32Array(numNodes).fill(-1);
    this.#firstRead = new Int32Array(numNodes);
    this.#firstKey = new Int32Array(numNodes);
    this.#otherRead = new Int32Array(numNodes);
  }

  open(node: number): void {
    const { start, key, writer, first } = this.#model.reads;
    this.#node = node;
    this.sources.length = 0;
    for (let row = start[node], end = start[node + 1]; row < end; row++) {
      this.#rowOfKey[key[row]] = row;
      this.#keyReader[key[row]] = node;
      const source = writer[row];
      if (source < 0) continue;
      if (this.#sourceReader[source] !== node) {
        this.#sourceReader[source] = node;
        this.#firstRead[source] = first[row];
        this.#firstKey[source] = key[row];
        this.#otherRead[source] = -1;
        this.sources.push(source);
      } else if (this.#otherRead[source] < 0 && this.#firstKey[source] !== key[row]) {
        this.#otherRead[source] = first[row];
      }
    }
  }

  /** The first operation that reads a key other than `key` from `node`, or −1. */
  readOfOtherKey(node: number, key: number): number {
    if (this.#sourceReader[node] !== this.#node) return -1;
    return this.#firstKey[node] === key ? this.#otherRead[node] : this.#firstRead[node];
  }

  /** Fills `rows` with the reads from other transactions of keys that `node` writes; iterates over the smaller set. */
  contested(node: number): readonly number[] {
    const { reads, writes } = this.#model;
    const rows = this.rows;
    rows.length = 0;
    const begin = reads.start[this.#node];
    const end = reads.start[this.#node + 1];
    if (writes.start[node + 1] - writes.start[node] > FEW * (end - begin)) {
      for (let row = begin; row < end; row++) {
        if (reads.writer[row] !== node && writesKey(writes, node, reads.key[row])) rows.push(row);
      }
      return rows;
    }
    for (let i = writes.start[node], last = writes.start[node + 1]; i < last; i++) {
      const key = writes.key[i];
      if (this.#keyReader[key] !== this.#node) continue;
      for (let row = this.#rowOfKey[key]; row >= 0; row = reads.sameKey[row]) {
        if (reads.writer[row] !== node) rows.push(row);
      }
    }
    return rows;
  }
}

/** Number of keys that cost about as much to examine as a binary search. */
const FEW = 4;
