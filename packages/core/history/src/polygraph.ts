/** A polygraph from a file: nodes 0 … n − 1, known edges, and constraints that each require one of two edges. */
export interface PolygraphInput {
  readonly name: string;
  readonly nodes: number;
  /** Pairs: from, to. */
  readonly edges: Int32Array;
  /** Groups of four: from, to, or from, to. */
  readonly constraints: Int32Array;
}
