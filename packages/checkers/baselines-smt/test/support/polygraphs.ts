import type { PolygraphInput } from '@isolab/history';

/** Reads CobraSAT's format. */
export function parsePolygraph(text: string): PolygraphInput {
  const numbers = (start: string): Int32Array =>
    Int32Array.from(
      text
        .split('\n')
        .filter((line) => line.startsWith(start))
        .flatMap((line) => line.match(/\d+/g)!.map(Number)),
    );
  return { name: '', nodes: numbers('n:')[0]!, edges: numbers('e:'), constraints: numbers('c:') };
}

const leadsForward = (edges: Int32Array, place: Int32Array, at: number): boolean =>
  place[edges[at]!]! < place[edges[at + 1]!]!;

export function isSolution({ nodes, edges, constraints }: PolygraphInput, order: Int32Array): boolean {
  const place = new Int32Array(nodes).fill(-1);
  order.forEach((node, i) => (place[node] = i));
  if (order.length !== nodes || place.includes(-1)) return false;
  for (let i = 0; i < edges.length; i += 2) if (!leadsForward(edges, place, i)) return false;
  for (let i = 0; i < constraints.length; i += 4)
    if (!leadsForward(constraints, place, i) && !leadsForward(constraints, place, i + 2)) return false;
  return true;
}

/** Tries every order, node by node: a node may come next if nothing that must come before it is left. */
export function hasSolution(input: PolygraphInput): boolean {
  const { nodes } = input;
  const extend = (order: readonly number[]): boolean => {
    if (order.length === nodes) return isSolution(input, Int32Array.from(order));
    for (let node = 0; node < nodes; node++) if (!order.includes(node) && extend([...order, node])) return true;
    return false;
  };
  return extend([]);
}
