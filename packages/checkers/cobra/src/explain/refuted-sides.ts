import { PathFinder, digraphOf } from '@isolab/graph';
import type { Subject } from './edges.ts';

/** Reasons why the other sides of pruned constraints are impossible: paths of earlier known edges. */
export class RefutedSides {
  readonly #subject: Subject;
  readonly #finders = new Map<number, PathFinder>();

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** The path of known edges with which the impossible edge of a decided constraint closes a cycle. */
  path(constraint: number): readonly number[] {
    const { constraints } = this.#subject.polygraph;
    const edge = constraints.refuted.items[constraint];
    const finder = this.#finder(constraints.refutedAt.items[constraint]);
    const path = finder.shortest(constraints.to.items[edge], constraints.from.items[edge]);
    if (path === null) throw new Error(`Nothing refutes edge ${edge} of constraint ${constraint}.`);
    return path;
  }

  /** Finds paths among the first edges only, to keep reasons free of circles. */
  #finder(limit: number): PathFinder {
    const found = this.#finders.get(limit);
    if (found) return found;
    const { known, numNodes } = this.#subject.polygraph;
    const finder = new PathFinder(digraphOf(numNodes, known.ends.from, known.ends.to, limit));
    this.#finders.set(limit, finder);
    return finder;
  }
}
