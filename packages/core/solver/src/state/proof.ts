/** Collects the steps of a proof. After `unsatisfiable` without assumptions, the last step is the empty clause. */
import type { Literal } from './literals.ts';

/** A step of a proof that the given clauses and graphs are unsatisfiable. */
export type TraceStep =
  /** The edges, given by number in order, close a cycle; the clause consists of the negations of their literals. */
  | {
      readonly kind: 'cycle';
      readonly graph: number;
      readonly edges: readonly number[];
      readonly clause: readonly Literal[];
    }
  /** The clause follows by unit propagation from the given clauses and those of earlier steps (RUP). */
  | { readonly kind: 'learned'; readonly clause: readonly Literal[] }
  /** The clause of an earlier step, with its literals in any order, is no longer needed. */
  | { readonly kind: 'deleted'; readonly clause: readonly Literal[] };

export class ProofTrace {
  readonly steps: TraceStep[] = [];

  add(step: TraceStep): void {
    this.steps.push(step);
  }
}
