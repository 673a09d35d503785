import { PathFinder } from '@isolab/graph';
import type { Subject } from './edges.ts';

/** Reasons why the other sides of pruned constraints are impossible: paths of earlier known edges. */
export class RefutedSides {
  readonly #subject: Subject;
  readonly #paths: PathFinder;

  constructor(subject: Subject) {
    const { known, numNodes } = subject.polygraph;
    this.#subject = subject;
    this.#paths = new PathFinder(known.ends.digraph(numNodes));
  }

  /**
   * The path of earlier edges with which the impossible edge of a constraint closes a cycle. Earlier edges keep the
   * reasons acyclic.
   */
  path(constraint: number): readonly number[] {
    const { refuted, refutedAt, from, to } = this.#subject.polygraph.constraints;
    const edge = refuted.items[constraint];
    const path = this.#paths.shortest(to.items[edge], from.items[edge], Infinity, refutedAt.items[constraint]);
    if (path === null) throw new Error(`Nothing refutes edge ${edge} of constraint ${constraint}.`);
    return path;
  }
}
