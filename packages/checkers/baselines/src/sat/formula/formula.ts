import { Stop } from '@isolab/contract';

export interface FormulaLimits {
  readonly maxClauses: number;
  /** Maximum number of bytes of the clauses in memory: four per literal, and four for the end of a clause. */
  readonly maxBytes: number;
}

/** Clauses in DIMACS form in one column. Encodings announce their size, so an oversized formula is never begun. */
export class Formula {
  numVariables = 0;
  numClauses = 0;
  readonly #limits: FormulaLimits;
  readonly #tick: (steps: number) => void;
  #column = new Int32Array(1024);
  #size = 0;

  constructor(limits: FormulaLimits, tick: (steps: number) => void = () => {}) {
    this.#limits = limits;
    this.#tick = tick;
  }

  /** All clauses in sequence, each ended by 0. */
  get clauses(): Int32Array {
    return this.#column.subarray(0, this.#size);
  }

  /** Number of literals, without the ends of clauses. */
  get numLiterals(): number {
    return this.#size - this.numClauses;
  }

  get bytes(): number {
    return 4 * this.#size;
  }

  /** Makes `count` variables, and returns the first. */
  variables(count: number): number {
    const first = this.numVariables + 1;
    this.numVariables += count;
    return first;
  }

  /** Makes room for more clauses and literals; throws Stop if the formula would exceed its limit. */
  reserve(clauses: number, literals: number): void {
    const numClauses = this.numClauses + clauses;
    const size = this.#size + literals + clauses;
    const { maxClauses, maxBytes } = this.#limits;
    if (numClauses > maxClauses)
      throw new Stop('memory', `the formula has ${numClauses} clauses, more than maxClauses (${maxClauses})`);
    if (4 * size > maxBytes)
      throw new Stop('memory', `the formula takes ${4 * size} bytes, more than maxBytes (${maxBytes})`);
    if (size > this.#column.length) this.#grow(size);
  }

  clause1(a: number): void {
    this.#begin(1);
    this.#column[this.#size++] = a;
    this.#end();
  }

  clause2(a: number, b: number): void {
    this.#begin(2);
    this.#column[this.#size++] = a;
    this.#column[this.#size++] = b;
    this.#end();
  }

  clause3(a: number, b: number, c: number): void {
    this.#begin(3);
    this.#column[this.#size++] = a;
    this.#column[this.#size++] = b;
    this.#column[this.#size++] = c;
    this.#end();
  }

  clause(literals: readonly number[]): void {
    this.#begin(literals.length);
    for (let i = 0; i < literals.length; i++) this.#column[this.#size++] = literals[i]!;
    this.#end();
  }

  #begin(literals: number): void {
    if (this.#size + literals + 1 > this.#column.length) this.reserve(1, literals);
    else if (this.numClauses >= this.#limits.maxClauses) this.reserve(1, literals);
  }

  #end(): void {
    this.#column[this.#size++] = 0;
    if ((++this.numClauses & 1023) === 0) this.#tick(1024);
  }

  #grow(size: number): void {
    const most = Math.floor(this.#limits.maxBytes / 4);
    const larger = new Int32Array(Math.min(Math.max(size, 2 * this.#column.length), Math.max(size, most)));
    larger.set(this.clauses);
    this.#column = larger;
  }
}
