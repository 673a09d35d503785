import type { Arrange } from './arrange.ts';
import { type Atom, type Atoms, AtomType } from './atoms.ts';
import { grown } from './columns.ts';
import { textForm } from './interner.ts';
import { TextList } from './text-list.ts';

/** Names of transactions: a column whose gaps are nil. */
export class NameColumn {
  #type = new Uint8Array(INITIAL_CAPACITY);
  #lo = new Int32Array(INITIAL_CAPACITY);
  #hi = new Int32Array(INITIAL_CAPACITY);
  readonly #texts = new TextList();

  set(t: number, name: Atom): void {
    if (name === null) return;
    if (typeof name === 'bigint' && BigInt.asIntN(64, name) === name) {
      this.setInteger(t, Number(name >> 32n), Number(BigInt.asIntN(32, name)));
    } else {
      const { type, text } = textForm(name);
      this.#texts.write(text);
      this.#put(t, type, 0, this.#texts.keep());
    }
  }

  setInteger(t: number, hi: number, lo: number): void {
    this.#put(t, AtomType.Integer, hi, lo);
  }

  /** Adds the names of another part, whose first transaction has the number `first` here. */
  append({ type, lo, hi, text, textStart }: Atoms, first: number): void {
    this.#reserve(first + type.length);
    for (let t = 0; t < type.length; t++) {
      if (type[t] === AtomType.Nil) continue;
      if (type[t] === AtomType.Integer) this.setInteger(first + t, hi[t], lo[t]);
      else {
        this.#texts.writeBytes(text, textStart[lo[t]], textStart[lo[t] + 1]);
        this.#put(first + t, type[t]!, 0, this.#texts.keep());
      }
    }
  }

  finish(txns: number, arrangeTxns: Arrange): Atoms {
    this.#reserve(txns);
    return {
      type: arrangeTxns(this.#type),
      lo: arrangeTxns(this.#lo),
      hi: arrangeTxns(this.#hi),
      ...this.#texts.finish(),
    };
  }

  #put(t: number, type: number, hi: number, lo: number): void {
    if (t >= this.#type.length) this.#reserve(2 * t);
    this.#type[t] = type;
    this.#hi[t] = hi;
    this.#lo[t] = lo;
  }

  #reserve(capacity: number): void {
    if (capacity <= this.#type.length) return;
    this.#type = grown(this.#type, new Uint8Array(capacity));
    this.#lo = grown(this.#lo, new Int32Array(capacity));
    this.#hi = grown(this.#hi, new Int32Array(capacity));
  }
}

const INITIAL_CAPACITY = 64;
