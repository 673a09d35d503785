/** Converts the cycles that the theory finds to clauses, and adds them to the proof. */
import { IntList, grown } from '@isolab/graph';
import type { Literal } from '../state/literals.ts';
import type { ProofTrace } from '../state/proof.ts';
import type { Acyclicity } from '../theory/acyclicity.ts';
import { ALWAYS } from '../theory/edges.ts';

export class Lemmas {
  /** Clause of the last cycle. */
  readonly clause = new IntList();
  readonly #theory: Acyclicity;
  readonly #trace: ProofTrace | undefined;
  #isIn: Uint8Array = new Uint8Array(0); // by literal: whether the clause contains it

  constructor(theory: Acyclicity, trace: ProofTrace | undefined) {
    this.#theory = theory;
    this.#trace = trace;
  }

  addVariable(variable: number): void {
    this.#isIn = grown(this.#isIn, 2 * variable + 2);
  }

  /**
   * Builds the clause that forbids the theory's cycle: the negations of its edges' literals, in the order of the edges.
   */
  takeCycle(): void {
    const { cycle, edges } = this.#theory;
    const { clause } = this;
    clause.length = 0;
    for (let i = 0; i < cycle.length; i++) {
      const literal = edges.literal[cycle.items[i]];
      if (literal === ALWAYS || this.#isIn[literal ^ 1] === 1) continue;
      this.#isIn[literal ^ 1] = 1;
      clause.push(literal ^ 1);
    }
    for (let i = 0; i < clause.length; i++) this.#isIn[clause.items[i]] = 0;
    this.#trace?.add({
      kind: 'cycle',
      graph: edges.graph[cycle.items[0]],
      edges: Array.from(cycle.view()),
      clause: Array.from(clause.view()),
    });
  }

  learned(clause: readonly Literal[]): void {
    this.#trace?.add({ kind: 'learned', clause });
  }

  deleted(clause: readonly Literal[]): void {
    this.#trace?.add({ kind: 'deleted', clause });
  }

  get isTraced(): boolean {
    return this.#trace !== undefined;
  }
}
