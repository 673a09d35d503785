import { type Growth, grown } from '../columns/columns.ts';

/** Runs of operations of one transaction; nearly every transaction has a single segment. */
export class SegmentList {
  count = 0;
  start = new Int32Array(INITIAL_CAPACITY);
  txn = new Int32Array(INITIAL_CAPACITY);
  readonly #growth: Growth;

  constructor(growth: Growth) {
    this.#growth = growth;
  }

  add(start: number, txn: number): void {
    const segment = this.count++;
    if (segment === this.txn.length) {
      const capacity = this.#growth(segment);
      this.start = grown(this.start, new Int32Array(capacity));
      this.txn = grown(this.txn, new Int32Array(capacity));
    }
    this.start[segment] = start;
    this.txn[segment] = txn;
  }

  /** Returns the distances of operations from the positions of their transactions, by the stride. */
  positions(capacity: number, ops: number, txns: number, opStride = 0): Uint32Array {
    const position = new Uint32Array(capacity);
    const next = new Float64Array(txns); // distance of each transaction's next operation
    for (let s = 0; s < this.count; s++) {
      const txn = this.txn[s];
      const end = s + 1 < this.count ? this.start[s + 1] : ops;
      for (let op = this.start[s]; op < end; op++) {
        position[op] = next[txn];
        next[txn] += opStride;
      }
    }
    return position;
  }
}

const INITIAL_CAPACITY = 64;
