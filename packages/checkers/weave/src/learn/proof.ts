/**
 * Everything that the search learned, with the steps that each step follows from. The last step has the empty clause.
 */
import type { NamedWait } from './cycles.ts';

/** A step of the search: a clause that follows from a cycle, from the candidates of a read, or from earlier steps. */
export interface ProofLine {
  readonly clause: readonly number[];
  /** The cycle formed by the opposites of the literals; null if the clause has another origin. */
  readonly cycle: readonly NamedWait[] | null;
  /** The read that saw one of the versions named by the clause, or −1. */
  readonly read: number;
  readonly from: readonly number[];
}

export class Proof {
  readonly steps: ProofLine[] = [];
  readonly stepOfUnit: number[] = []; // by variable: the step that made it certain

  addCycle(clause: number[], cycle: readonly NamedWait[]): number {
    return this.steps.push({ clause, cycle, read: -1, from: [] }) - 1;
  }

  /** Adds that a read saw one of the versions named by the clause. */
  addCandidates(clause: number[], read: number): number {
    return this.steps.push({ clause, cycle: null, read, from: [] }) - 1;
  }

  /** Adds the consequence of several steps; a single step is its own consequence. */
  addLearned(clause: number[], from: readonly number[]): number {
    const [only] = from;
    if (from.length === 1 && this.steps[only!]!.clause.length === clause.length) return only!;
    return this.steps.push({ clause, cycle: null, read: -1, from }) - 1;
  }

  /** Returns the numbers of the last step and of all steps that it follows from, in ascending order. */
  core(): number[] {
    const needed = new Set<number>([this.steps.length - 1]);
    for (let step = this.steps.length - 1; step >= 0; step--)
      if (needed.has(step)) for (const earlier of this.steps[step]!.from) needed.add(earlier);
    return [...needed].toSorted((a, b) => a - b);
  }
}
