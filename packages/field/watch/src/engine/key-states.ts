import { type HistoryBuilder, Interner } from '@isolab/history';

/** The state after the settled transactions: the value of every key that one of them wrote. */
export class KeyStates {
  readonly keys = new Interner();
  #values = new Interner();
  #value = new Int32Array(FIRST_KEYS).fill(NONE);
  #writer = new Float64Array(FIRST_KEYS);
  size = 0;

  /**
   * Makes the state the initial state of a history, and returns the number in this state of each of the history's keys.
   */
  initialize({ keys, values, initialOf }: Initial): Int32Array {
    const numberOf = new Int32Array(keys.size);
    for (let key = 0; key < numberOf.length; key++) {
      const number = keys.copyTo(key, this.keys);
      numberOf[key] = number;
      if (this.has(number)) initialOf(key, this.copyValue(number, values));
    }
    return numberOf;
  }

  has(key: number): boolean {
    return key < this.#value.length && this.#value[key] !== NONE;
  }

  /** The line that wrote a key's value; NaN if there is no such line. */
  writerOf(key: number): number {
    return this.has(key) ? this.#writer[key] : NaN;
  }

  set(key: number, values: Interner, value: number, line: number): void {
    if (key >= this.#value.length) this.#grow(key);
    if (this.#value[key] === NONE) this.size++;
    this.#writer[key] = line;
    this.#value[key] = values.copyTo(value, this.#values);
    if (this.#values.size > SPARE + 4 * this.size) this.#freeValues();
  }

  each(visit: (key: number, line: number) => void): void {
    for (let key = 0; key < this.#value.length; key++) if (this.#value[key] !== NONE) visit(key, this.#writer[key]);
  }

  /** Copies a key's value into another interner and returns its number there. */
  copyValue(key: number, values: Interner): number {
    return this.#values.copyTo(this.#value[key], values);
  }

  clear(): void {
    this.#value.fill(NONE);
    this.#values = new Interner();
    this.size = 0;
  }

  /** Frees values that no key has any longer. */
  #freeValues(): void {
    const values = new Interner();
    for (let key = 0; key < this.#value.length; key++)
      if (this.#value[key] !== NONE) this.#value[key] = this.#values.copyTo(this.#value[key]!, values);
    this.#values = values;
  }

  #grow(key: number): void {
    const value = new Int32Array(2 * (key + 1)).fill(NONE);
    value.set(this.#value);
    this.#value = value;
    const writer = new Float64Array(value.length);
    writer.set(this.#writer);
    this.#writer = writer;
  }
}

interface Initial {
  readonly keys: Interner;
  readonly values: Interner;
  readonly initialOf: HistoryBuilder['initialOf'];
}

const NONE = -1;
const FIRST_KEYS = 64;
const SPARE = 1 << 16;
