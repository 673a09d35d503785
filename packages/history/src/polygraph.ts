/**
 * A polygraph as files hold it: nodes 0 … n − 1, edges that are known, and constraints of which each asks for one of
 * two edges. The question is whether some choice leaves the graph acyclic.
 */
export interface PolygraphInput {
  readonly name: string;
  readonly nodes: number;
  /** Pairs: from, to. */
  readonly edges: Int32Array;
  /** Fours: from, to, or from, to. */
  readonly constraints: Int32Array;
}
