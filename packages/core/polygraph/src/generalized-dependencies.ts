import { grown } from '@isolab/graph';

/** Reasons for one transaction to depend on another: session order, read-from, version order and overwriting. */
export const DependencyType = { SO: 0, WR: 1, WW: 2, RW: 3 } as const;

/** Typed edges in columns. The key of session order is −1. */
export interface Dependencies {
  readonly count: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly key: Int32Array;
  readonly type: Uint8Array;
}

/** Typed edges in the order in which they are found. */
export class DependencyColumns implements Dependencies {
  count = 0;
  from: Int32Array;
  to: Int32Array;
  key: Int32Array;
  type: Uint8Array;

  constructor(capacity: number = 1024) {
    this.from = new Int32Array(capacity);
    this.to = new Int32Array(capacity);
    this.key = new Int32Array(capacity);
    this.type = new Uint8Array(capacity);
  }

  add(from: number, to: number, type: number, key: number): number {
    const e = this.count++;
    if (e === this.from.length) this.#grow();
    this.from[e] = from;
    this.to[e] = to;
    this.key[e] = key;
    this.type[e] = type;
    return e;
  }

  #grow(): void {
    this.from = grown(this.from, this.count);
    this.to = grown(this.to, this.count);
    this.key = grown(this.key, this.count);
    this.type = grown(this.type, this.count);
  }
}
