import { firstFrom } from './times.ts';

/** The versions of a key in memory, in commit order: the paper's frontier, key by key. */
export class KeyVersions {
  count = 0;
  start = new Float64Array(FEW);
  commit = new Float64Array(FEW);
  value = new Int32Array(FEW);
  op = new Int32Array(FEW);

  /** Number of versions committed before a time, or also at this time if `isInclusive`. */
  before(time: number, isInclusive: boolean): number {
    return firstFrom(this.commit, this.count, time, isInclusive);
  }

  insert(at: number, start: number, commit: number, value: number, op: number): void {
    if (this.count === this.commit.length) this.#grow();
    for (const column of [this.start, this.commit, this.value, this.op]) column.copyWithin(at + 1, at, this.count);
    this.count++;
    this.start[at] = start;
    this.commit[at] = commit;
    this.value[at] = value;
    this.op[at] = op;
  }

  /** Forgets all versions before the given index. */
  drop(first: number): void {
    if (first <= 0) return;
    for (const column of [this.start, this.commit, this.value, this.op]) column.copyWithin(0, first, this.count);
    this.count -= first;
  }

  #grow(): void {
    const grown = <Column extends Float64Array | Int32Array>(column: Column, to: Column): Column => {
      to.set(column);
      return to;
    };
    const size = 2 * this.commit.length;
    this.start = grown(this.start, new Float64Array(size));
    this.commit = grown(this.commit, new Float64Array(size));
    this.value = grown(this.value, new Int32Array(size));
    this.op = grown(this.op, new Int32Array(size));
  }
}

const FEW = 4;
