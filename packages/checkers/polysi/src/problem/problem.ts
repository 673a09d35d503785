import { lowerBound } from '@isolab/graph';
import { DependencyType, type GeneralizedPolygraph, beginEvent, commitEvent } from '@isolab/polygraph';

/**
 * Numbers all dependencies, known ones first. Literal c + 1: constraint c has its `either` side; −(c + 1): its `or`
 * side.
 */
export class Problem {
  readonly polygraph: GeneralizedPolygraph;
  readonly numKnown: number;
  readonly count: number;

  constructor(polygraph: GeneralizedPolygraph) {
    this.polygraph = polygraph;
    this.numKnown = polygraph.known.count;
    this.count = this.numKnown + polygraph.constraints.edges.count;
  }

  from(d: number): number {
    const { known, constraints } = this.polygraph;
    return d < this.numKnown ? known.from[d] : constraints.edges.from[d - this.numKnown];
  }

  to(d: number): number {
    const { known, constraints } = this.polygraph;
    return d < this.numKnown ? known.to[d] : constraints.edges.to[d - this.numKnown];
  }

  type(d: number): number {
    const { known, constraints } = this.polygraph;
    return d < this.numKnown ? known.type[d] : constraints.edges.type[d - this.numKnown];
  }

  key(d: number): number {
    const { known, constraints } = this.polygraph;
    return d < this.numKnown ? known.key[d] : constraints.edges.key[d - this.numKnown];
  }

  /** The event at which the dependency starts. */
  leaves(d: number): number {
    return this.type(d) === DependencyType.RW ? beginEvent(this.from(d)) : commitEvent(this.from(d));
  }

  arrives(d: number): number {
    return this.type(d) === DependencyType.RW ? commitEvent(this.to(d)) : beginEvent(this.to(d));
  }

  /** The literal that makes the dependency hold; 0 for a known dependency. */
  literal(d: number): number {
    if (d < this.numKnown) return 0;
    const { start, middle, count } = this.polygraph.constraints;
    const e = d - this.numKnown;
    const c = lowerBound(start, 0, count, e + 1) - 1;
    return e < middle[c] ? c + 1 : -(c + 1);
  }

  /** The node that wrote the version that one end of an anti-dependency reads and the other end overwrites. */
  writerRead(d: number): number {
    const { versions, constraints } = this.polygraph;
    const literal = this.literal(d);
    if (literal !== 0) return (literal > 0 ? constraints.first : constraints.second)[Math.abs(literal) - 1];
    // The version before the writer's version, or the last version in a known order.
    const { keyStart, numOrdered, writer } = versions;
    const key = this.key(d);
    const last = keyStart[key] + numOrdered[key] - 1;
    for (let v = keyStart[key]; v < last; v++) if (writer[v + 1] === this.to(d)) return writer[v];
    return writer[last];
  }

  /** Dependencies that hold if a literal is true. */
  sideOf(literal: number): number[] {
    const { start, middle } = this.polygraph.constraints;
    const c = Math.abs(literal) - 1;
    const [first, end] = literal > 0 ? [start[c], middle[c]] : [middle[c], start[c + 1]];
    return Array.from({ length: end - first }, (_, i) => this.numKnown + first + i);
  }

  /**
   * Clause of a cycle of dependencies: one of the literals that it needs is false. Literals are listed without
   * duplicates.
   */
  clauseOf(cycle: readonly number[]): number[] {
    const clause = new Set<number>();
    for (const d of cycle) if (d >= this.numKnown) clause.add(-this.literal(d));
    return [...clause];
  }
}
