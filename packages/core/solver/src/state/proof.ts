import type { Literal } from './literals.ts';

/** A step of a proof that the clauses and graphs given to a solver cannot be satisfied. */
export type TraceStep =
  /** The edges, by number and in their order, close a cycle; the clause has the negations of their literals. */
  | {
      readonly kind: 'cycle';
      readonly graph: number;
      readonly edges: readonly number[];
      readonly clause: readonly Literal[];
    }
  /** Follows by unit propagation from the clauses that were given and those of the steps before (RUP). */
  | { readonly kind: 'learned'; readonly clause: readonly Literal[] }
  /** The clause of an earlier step, in any order of its literals, is no longer needed. */
  | { readonly kind: 'deleted'; readonly clause: readonly Literal[] };

/** Collects the steps of a solver. After `unsatisfiable` without assumptions the last one is the empty clause. */
export class ProofTrace {
  readonly steps: TraceStep[] = [];

  add(step: TraceStep): void {
    this.steps.push(step);
  }
}
