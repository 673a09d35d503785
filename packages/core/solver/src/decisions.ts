/** Choice of the next variable (VSIDS: Moskewicz et al. 2001, as in MiniSat) and of its value. */
import { grown } from '@isolab/graph';
import type { Assignment } from './state/assignment.ts';
import { VariableHeap } from './heap.ts';
import type { Literal } from './state/literals.ts';
import type { Acyclicity } from './theory/acyclicity.ts';

const DECAY = 0.95;
const HUGE = 1e100;
const UNKNOWN = -1;

export class Decisions {
  readonly #heap = new VariableHeap();
  #increment = 1;
  #isDecision: Uint8Array = new Uint8Array(0);
  #phase: Int8Array = new Int8Array(0); // 1, 0 or UNKNOWN
  readonly #assignment: Assignment;
  readonly #theory: Acyclicity;
  readonly #random: Random | null;

  constructor(assignment: Assignment, theory: Acyclicity, seed: number | undefined) {
    this.#assignment = assignment;
    this.#theory = theory;
    this.#random = seed === undefined ? null : new Random(seed);
  }

  addVariable(variable: number, isDecision: boolean): void {
    this.#heap.addVariable(variable, this.#random === null ? 0 : this.#random.next() * 1e-5);
    this.#isDecision = grown(this.#isDecision, variable + 1);
    this.#phase = grown(this.#phase, variable + 1);
    this.#isDecision[variable] = isDecision ? 1 : 0;
    this.#phase[variable] = UNKNOWN;
    if (isDecision) this.#heap.insert(variable);
  }

  /** Returns the literal to make true next, or −1 if no variable is left to decide. */
  next(): Literal {
    const heap = this.#heap;
    const { values } = this.#assignment;
    while (!heap.isEmpty) {
      const variable = heap.removeTop();
      if (values[2 * variable] === 0) return this.#chooseValue(variable) ? 2 * variable : 2 * variable + 1;
    }
    return -1;
  }

  #chooseValue(variable: number): boolean {
    const phase = this.#phase[variable];
    return phase === UNKNOWN ? this.#theory.phase(variable) : phase === 1;
  }

  /** Returns an unassigned variable to the heap, and saves its value (Pipatsrisawat & Darwiche 2007). */
  release(literal: Literal): void {
    const variable = literal >> 1;
    this.#phase[variable] = (literal & 1) ^ 1;
    if (this.#isDecision[variable] === 1) this.#heap.insert(variable);
  }

  /**
   * Returns the activity that an open variable must exceed to be decided first; the most active variable may be
   * assigned.
   */
  bestActivity(): number {
    const heap = this.#heap;
    const { values } = this.#assignment;
    while (!heap.isEmpty && values[2 * heap.top] !== 0) heap.removeTop();
    return heap.isEmpty ? -1 : heap.activity[heap.top];
  }

  activity(variable: number): number {
    return this.#heap.activity[variable];
  }

  bump(variable: number): void {
    const { activity } = this.#heap;
    activity[variable] += this.#increment;
    if (activity[variable] > HUGE) {
      for (let v = 0; v < this.#assignment.numVariables; v++) activity[v] /= HUGE;
      this.#increment /= HUGE;
    }
    this.#heap.increased(variable);
  }

  decay(): void {
    this.#increment /= DECAY;
  }
}

/** Marsaglia's xorshift with 32 bits. */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed | 0, 0x9e3779b1) ^ 0x6d2b79f5 || 1;
  }

  /** Returns a number in [0, 1). */
  next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return (x >>> 0) / 0x1_0000_0000;
  }
}
