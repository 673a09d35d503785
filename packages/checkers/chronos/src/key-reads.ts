import { firstFrom } from './times.ts';

/** The external reads of a key by unexpired transactions, in the order of their snapshots. */
export class KeyReads {
  count = 0;
  time = new Float64Array(FEW);
  op = new Int32Array(FEW);

  /**
   * Index of the first read at a time or later. Reads at exactly this time count only if they see its commits
   * (`isInclusive`).
   */
  from(time: number, isInclusive: boolean): number {
    return firstFrom(this.time, this.count, time, !isInclusive);
  }

  insert(time: number, op: number): void {
    if (this.count === this.time.length) this.#grow();
    const at = this.from(time, false);
    this.time.copyWithin(at + 1, at, this.count);
    this.op.copyWithin(at + 1, at, this.count);
    this.count++;
    this.time[at] = time;
    this.op[at] = op;
  }

  /** Keeps only the reads at a time or later, and the reads that satisfy a predicate. */
  keep(oldest: number, isKept: (op: number) => boolean): void {
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      if (this.time[i] < oldest && !isKept(this.op[i])) continue;
      this.time[kept] = this.time[i];
      this.op[kept++] = this.op[i];
    }
    this.count = kept;
  }

  #grow(): void {
    const time = new Float64Array(2 * this.time.length);
    time.set(this.time);
    const op = new Int32Array(2 * this.op.length);
    op.set(this.op);
    [this.time, this.op] = [time, op];
  }
}

const FEW = 4;
