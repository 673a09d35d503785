import { EdgeColumns, topologicalOrder } from '@isolab/graph';
import type { PolygraphInput } from '@isolab/history';

/** The edges of a polygraph without duplicates: the known edges, followed by the edges of constraints. */
export interface PolygraphEdges {
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly numKnown: number;
  /** Number of an edge; −1 for a pair that is not an edge of the polygraph. */
  find(from: number, to: number): number;
}

export function edgesOf({ nodes, edges, constraints }: PolygraphInput): PolygraphEdges {
  const numbers = new Map<number, number>();
  const from: number[] = [];
  const to: number[] = [];
  const add = (column: Int32Array): void => {
    for (let i = 0; i < column.length; i += 2) {
      const pair = column[i] * nodes + column[i + 1];
      if (numbers.has(pair)) continue;
      numbers.set(pair, from.length);
      from.push(column[i]);
      to.push(column[i + 1]);
    }
  };
  add(edges);
  const numKnown = from.length;
  add(constraints);
  return { from, to, numKnown, find: (a, b) => numbers.get(a * nodes + b) ?? -1 };
}

/**
 * Visits each constraint: one of its edges a→b and c→d holds. CobraSAT requires exactly one (XOR). In polygraphs of
 * histories both together close a cycle, so `exclude` follows anyway: with reader r, writer w that it read from and
 * other writer u, the edges are r→u and u→w, and w→r is known; or the edges are the two orders of two writers. In other
 * polygraphs XOR would be wrong, as two constraints may share an edge.
 */
export function forEachConstraint(
  { nodes, edges, constraints }: PolygraphInput,
  visit: (a: number, b: number, c: number, d: number, exclude: boolean) => void,
): void {
  const known = new Set<number>();
  for (let i = 0; i < edges.length; i += 2) known.add(edges[i] * nodes + edges[i + 1]);
  for (let i = 0; i < constraints.length; i += 4) {
    const [a, b, c, d] = constraints.subarray(i, i + 4) as unknown as [number, number, number, number];
    const closesCycle = (b === c && (a === d || known.has(d * nodes + a))) || (d === a && known.has(b * nodes + c));
    visit(a, b, c, d, closesCycle);
  }
}

/** The nodes in an order in which all known edges, and one edge of each constraint, lead forward. */
export function orderOf(
  { nodes, edges, constraints }: PolygraphInput,
  isThere: (from: number, to: number) => boolean,
): Int32Array {
  const chosen = new EdgeColumns(edges.length + constraints.length);
  for (let i = 0; i < edges.length; i += 2) chosen.add(edges[i], edges[i + 1]);
  for (let i = 0; i < constraints.length; i += 2)
    if (isThere(constraints[i], constraints[i + 1])) chosen.add(constraints[i], constraints[i + 1]);
  const order = topologicalOrder(chosen.digraph(nodes));
  if (order.length < nodes) throw new Error('The edges of the model form a cycle.');
  return order;
}
