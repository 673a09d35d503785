import { EdgeColumns, topologicalOrder } from '@isolab/graph';
import type { PolygraphInput } from '@isolab/history';
import type { Text } from '../z3/text.ts';

/** The edges of a polygraph, each once, with a truth value `e0`, `e1`, … that says whether it is there. */
export interface NamedEdges {
  readonly polygraph: PolygraphInput;
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** The number of an edge; −1 for one that the polygraph does not speak of. */
  find(from: number, to: number): number;
}

export function nameEdges(polygraph: PolygraphInput): NamedEdges {
  const { nodes, edges, constraints } = polygraph;
  const numbers = new Map<number, number>();
  const from: number[] = [];
  const to: number[] = [];
  for (const column of [edges, constraints]) {
    for (let i = 0; i < column.length; i += 2) {
      const pair = column[i] * nodes + column[i + 1];
      if (numbers.has(pair)) continue;
      numbers.set(pair, from.length);
      from.push(column[i]);
      to.push(column[i + 1]);
    }
  }
  return { polygraph, from, to, find: (a, b) => numbers.get(a * nodes + b) ?? -1 };
}

export const edgeName = (edge: number): string => `e${edge}`;

export function declareEdges(text: Text, { from }: NamedEdges): void {
  for (let edge = 0; edge < from.length; edge++) text.add(`(declare-const ${edgeName(edge)} Bool)`);
}

/**
 * Known edges are there, and of each constraint one edge is. CobraSAT has exactly one (xor). Both together close a cycle
 * where the constraint is one of a history: with reader r, writer w that it read from and other writer u, the edges are
 * r→u and u→w, and w→r is known. In other polygraphs xor would be wrong, as two constraints may share an edge; there one
 * of them is enough.
 */
export function assertPolygraph(text: Text, { polygraph, find }: NamedEdges): void {
  const { edges, constraints } = polygraph;
  const known = new Set<number>();
  for (let i = 0; i < edges.length; i += 2) known.add(find(edges[i], edges[i + 1]));
  for (const edge of known) text.assert(edgeName(edge));
  for (let i = 0; i < constraints.length; i += 4) {
    const [a, b, c, d] = constraints.subarray(i, i + 4) as unknown as [number, number, number, number];
    const closesCycle = (b === c && (a === d || known.has(find(d, a)))) || (d === a && known.has(find(b, c)));
    text.assert(`(${closesCycle ? 'xor' : 'or'} ${edgeName(find(a, b))} ${edgeName(find(c, d))})`);
  }
}

/** The nodes in an order in which the edges that are there lead forward; null if these form a cycle. */
export function orderOf({ polygraph, from, to }: NamedEdges, isThere: readonly number[]): Int32Array | null {
  const chosen = new EdgeColumns(from.length);
  for (let edge = 0; edge < from.length; edge++) if (isThere[edge] === 1) chosen.add(from[edge]!, to[edge]!);
  const order = topologicalOrder(chosen.digraph(polygraph.nodes));
  return order.length === polygraph.nodes ? order : null;
}
