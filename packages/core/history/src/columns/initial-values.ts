import { NIL } from './operation.ts';

/** Initial values of keys while a history is built. Rows are initially absent, unless they have a value of their own. */
export class InitialValues {
  #everywhere: number;
  readonly #ofKey: number[] = []; // value id; a hole means the default

  constructor(everywhere: number) {
    this.#everywhere = everywhere;
  }

  get isUniform(): boolean {
    return this.#ofKey.length === 0;
  }

  setEverywhere(value: number): void {
    this.#everywhere = value;
  }

  set(key: number, value: number): void {
    this.#ofKey[key] = value;
  }

  /** Returns the initial value of a key that is not a row. */
  of(key: number): number {
    return this.#ofKey[key] ?? this.#everywhere;
  }

  column(numKeys: number, keyTable: Int32Array): Int32Array {
    const keyInitial = new Int32Array(numKeys).fill(this.#everywhere);
    for (let key = 0; key < keyTable.length; key++) if (keyTable[key] >= 0) keyInitial[key] = NIL;
    this.#ofKey.forEach((value, key) => {
      keyInitial[key] = value;
    });
    return keyInitial;
  }
}
