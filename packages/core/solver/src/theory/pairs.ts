/**
 * Edges with equal ends and weight share a pair, which is present while one of its edges is. Pairs are numbered by
 * source.
 */
import { digraphOf, rowStarts } from '@isolab/graph';
import type { Edges } from './edges.ts';

export class Pairs {
  readonly count: number;
  readonly start: Int32Array; // first pair of each node, with one extra slot
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly weight: Uint8Array;
  readonly hasWeights: boolean; // whether some pair has weight 1
  readonly of: Int32Array; // by edge: its pair
  readonly firstEdge: Int32Array; // by pair: its first edge
  readonly nextEdge: Int32Array; // e + 1 for the next edge of the same pair, or 0

  constructor({ numNodes, count: numEdges, from, to, weight }: Edges) {
    const rows = digraphOf(numNodes, from, to, numEdges);
    const start = new Int32Array(numNodes + 1);
    const of = new Int32Array(numEdges);
    const firstEdge = new Int32Array(numEdges);
    const lastEdge = new Int32Array(numEdges);
    const nextEdge = new Int32Array(numEdges);
    const latest = new Int32Array(2 * numNodes).fill(-1); // last pair to each node, by weight
    let count = 0;
    let hasWeights = false;
    for (let node = 0; node < numNodes; node++) {
      start[node] = count;
      for (let i = rows.start[node], end = rows.start[node + 1]; i < end; i++) {
        const e = rows.edge[i];
        const place = 2 * to[e] + weight[e];
        let pair = latest[place];
        if (pair < start[node]) {
          pair = latest[place] = count++;
          firstEdge[pair] = e;
          if (weight[e] !== 0) hasWeights = true;
        } else {
          nextEdge[lastEdge[pair]] = e + 1;
        }
        lastEdge[pair] = e;
        of[e] = pair;
      }
    }
    start[numNodes] = count;
    this.count = count;
    this.start = start;
    this.of = of;
    this.firstEdge = firstEdge.slice(0, count);
    this.nextEdge = nextEdge;
    this.from = this.firstEdge.map((e) => from[e]);
    this.to = this.firstEdge.map((e) => to[e]);
    this.weight = new Uint8Array(count);
    this.hasWeights = hasWeights;
    if (hasWeights) for (let pair = 0; pair < count; pair++) this.weight[pair] = weight[firstEdge[pair]];
  }

  /** Returns the start of each node's slots for the pairs that enter it, with one extra slot. */
  startOfEntering(): Int32Array {
    return rowStarts(this.to, this.start.length - 1);
  }
}
