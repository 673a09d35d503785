import { grown } from './columns.ts';

/**
 * Operations of a lowered history, with the original operation of each. There are millions of them; plain arrays of
 * numbers would need several times the memory.
 */
export class LoweredOperations {
  count = 0;
  kind: Uint8Array;
  key: Int32Array;
  value: Int32Array;
  opOf: Int32Array;

  constructor(expected: number) {
    this.kind = new Uint8Array(expected);
    this.key = new Int32Array(expected);
    this.value = new Int32Array(expected);
    this.opOf = new Int32Array(expected);
  }

  put(kind: number, key: number, value: number, op: number): void {
    if (this.count === this.kind.length) this.#grow();
    this.kind[this.count] = kind;
    this.key[this.count] = key;
    this.value[this.count] = value;
    this.opOf[this.count++] = op;
  }

  #grow(): void {
    const room = 2 * this.count + 1;
    this.kind = grown(this.kind, new Uint8Array(room));
    this.key = grown(this.key, new Int32Array(room));
    this.value = grown(this.value, new Int32Array(room));
    this.opOf = grown(this.opOf, new Int32Array(room));
  }
}
