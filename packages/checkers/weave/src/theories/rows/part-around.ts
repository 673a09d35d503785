import { type History, NIL, OpKind, type Slice, countKeys, countOperations, slice } from '@isolab/history';

/**
 * A self-contained part of a history with scans: some transactions, and the reads by key and writes of their keys in
 * all other transactions. It contains every write of these keys, so a contradiction to a strong level in the part is
 * also one of the whole history. All other rows are left out. An aggregate may depend on these rows, so aggregates are
 * left out, too.
 */
export class PartAround {
  readonly #history: History;
  readonly #isInside: Uint8Array; // by transaction
  readonly #isKept: Uint8Array; // by key

  constructor(history: History, txns: Iterable<number>) {
    const { txnStart, opKind, opKey, opValue, scans } = history;
    this.#history = history;
    this.#isInside = new Uint8Array(txnStart.length - 1);
    this.#isKept = new Uint8Array(countKeys(history));
    for (const t of txns) {
      this.#isInside[t] = 1;
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        if (opKind[op] !== OpKind.Scan) {
          this.#isKept[opKey[op]] = 1;
          continue;
        }
        const scan = opValue[op];
        for (let i = scans.rowStart[scan]; i < scans.rowStart[scan + 1]; i++) this.#isKept[scans.rowKey[i]] = 1;
      }
    }
  }

  /** Returns null if the part has more operations. */
  slice(most: number): Slice | null {
    const { txnStart, keyInitial } = this.#history;
    let count = 0;
    const ops = new Uint8Array(countOperations(this.#history));
    const txns = new Uint8Array(txnStart.length - 1);
    for (let t = 0; t < txns.length; t++) {
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        ops[op] = this.#keeps(t, op) ? 1 : 0;
        txns[t] |= ops[op];
        count += ops[op];
      }
    }
    if (count > most) return null;
    const initial = keyInitial.map((value, key) => (this.keepsInitial(key) ? value : NIL));
    return slice({ ...this.#history, keyInitial: initial }, { txns, ops });
  }

  #keeps(t: number, op: number): boolean {
    const { opKind, opKey, opValue, scans } = this.#history;
    if (opKind[op] === OpKind.Scan) return this.#isInside[t] === 1 && scans.aggregate[opValue[op]] < 0;
    return this.#isInside[t] === 1 || this.keepsForOthers(opKey[op]);
  }

  keepsForOthers(key: number): boolean {
    return this.#isKept[key] === 1;
  }

  keepsInitial(key: number): boolean {
    return this.#isKept[key] === 1;
  }
}
