import { Memo } from '@isolab/graph';
import { IMPOSSIBLE, type WholeMachine } from '@isolab/operations';
import type { Programs } from './programs.ts';

/**
 * A depth-first search over all interleavings of programs that enters no configuration twice: the position in each
 * program, the pending operations that took effect, and the state of the object.
 * A read that the state allows and that leaves the state unchanged is executed immediately, without alternatives: every
 * order has an equivalent with the read moved here. Otherwise the operation that was called first is tried first, since
 * real time is a good guess.
 */
export class Interleaving {
  readonly #programs: Programs;
  readonly #machine: WholeMachine;
  readonly #tick: (steps: number) => void;
  readonly #memo: Memo;
  readonly #at: Int32Array; // by program: number of executed operations
  readonly #taken: Int32Array; // executed pending operations, as bits
  readonly #order: number[] = []; // executed operations
  readonly #before: number[] = []; // the state before each operation
  readonly #choices: (readonly number[])[] = []; // alternatives to each operation
  #state: number;
  #numPlaced = 0; // without pending operations
  #longest: readonly number[] = [];

  constructor(programs: Programs, machine: WholeMachine, tick: (steps: number) => void) {
    this.#programs = programs;
    this.#machine = machine;
    this.#tick = tick;
    this.#at = new Int32Array(programs.programs.length);
    this.#taken = new Int32Array((programs.pending.length + 31) >>> 5);
    this.#memo = new Memo(this.#taken.length);
    this.#state = machine.initial;
  }

  get configurations(): number {
    return this.#memo.size;
  }

  get longest(): readonly number[] {
    return this.#longest;
  }

  run(): readonly number[] | null {
    const { numMandatory } = this.#programs;
    for (let choices = this.#candidates(); ;) {
      this.#tick(1);
      if (this.#numPlaced === numMandatory) return this.#order;
      const [first, ...others] = choices;
      if (first === undefined) {
        if (this.#order.length > this.#longest.length) this.#longest = [...this.#order];
        if (this.#order.length === 0) return null;
        choices = this.#undo();
        continue;
      }
      choices = this.#place(first, others) ? this.#candidates() : others;
    }
  }

  /** Operations that may come next; only one, if it is a read that does not change the state. */
  #candidates(): readonly number[] {
    const { programs, pending, calls } = this.#programs;
    const found: number[] = [];
    for (let p = 0; p < programs.length; p++) {
      if (this.#at[p] === programs[p].length) continue;
      const i = programs[p][this.#at[p]];
      const reached = this.#machine.step(this.#state, i);
      if (reached === IMPOSSIBLE) continue;
      if (reached === this.#state && this.#machine.isRead(i)) return [i];
      found.push(i);
    }
    found.sort((i, j) => calls[i] - calls[j]);
    for (let bit = 0; bit < pending.length; bit++) {
      const { operation, program, after } = pending[bit];
      const isTaken = (this.#taken[bit >>> 5] & (1 << (bit & 31))) !== 0;
      if (isTaken || (program >= 0 && this.#at[program] < after)) continue;
      const reached = this.#machine.step(this.#state, operation);
      if (reached !== IMPOSSIBLE && reached !== this.#state) found.push(operation);
    }
    return found;
  }

  #place(i: number, others: readonly number[]): boolean {
    const before = this.#state;
    this.#state = this.#machine.step(before, i);
    this.#mark(i, 1);
    if (!this.#memo.add(this.#state, this.#at, 0, this.#at.length - 1, this.#taken)) {
      this.#mark(i, -1);
      this.#state = before;
      return false;
    }
    this.#order.push(i);
    this.#before.push(before);
    this.#choices.push(others);
    return true;
  }

  /** Undoes the last operation, and returns the other candidates. */
  #undo(): readonly number[] {
    this.#mark(this.#order.pop()!, -1);
    this.#state = this.#before.pop()!;
    return this.#choices.pop()!;
  }

  #mark(i: number, by: number): void {
    const { programOf, bitOf } = this.#programs;
    if (programOf[i] >= 0) {
      this.#at[programOf[i]] += by;
      this.#numPlaced += by;
    } else this.#taken[bitOf[i] >>> 5] ^= 1 << (bitOf[i] & 31);
  }
}
