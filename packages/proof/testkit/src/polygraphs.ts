import type { PolygraphInput } from '@isolab/history';

export const polygraphOf = (
  nodes: number,
  edges: readonly number[],
  constraints: readonly number[],
): PolygraphInput => ({
  name: '',
  nodes,
  edges: Int32Array.from(edges),
  constraints: Int32Array.from(constraints),
});

/** Reads CobraSAT's format. */
export function parsePolygraph(text: string): PolygraphInput {
  const numbers = (start: string): number[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith(start))
      .flatMap((line) => line.match(/\d+/g)!.map(Number));
  return polygraphOf(numbers('n:')[0]!, numbers('e:'), numbers('c:'));
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

/** Searches for a solution by trying every choice. */
export function hasSolution({ nodes, edges, constraints }: PolygraphInput): boolean {
  for (let choice = 0; choice < 1 << (constraints.length / 4); choice++) {
    const next: number[][] = Array.from({ length: nodes }, () => []);
    for (let i = 0; i < edges.length; i += 2) next[edges[i]!]!.push(edges[i + 1]!);
    for (let c = 0; c < constraints.length / 4; c++) {
      const at = 4 * c + (choice & (1 << c) ? 2 : 0);
      next[constraints[at]!]!.push(constraints[at + 1]!);
    }
    const placed = new Set<number>();
    for (let round = 0; round < nodes; round++)
      for (let n = 0; n < nodes; n++) if (next[n]!.every((m) => placed.has(m))) placed.add(n);
    if (placed.size === nodes) return true;
  }
  return false;
}

/**
 * The smallest polygraphs of CobraSAT by file, and whether they have a solution. For unit tests CobraSAT states the
 * answer; the others are from a correct database.
 */
export const SMALL_POLYGRAPHS: Readonly<Record<string, boolean>> = {
  'polygraphs-unit_test/unit_test__1cons.polyg': true,
  'polygraphs-unit_test/unit_test__cycle.polyg': false,
  'polygraphs-unit_test/unit_test__rmw.polyg': true,
  'polygraphs-unit_test/unit_test__shared_successor.polyg': true,
  'polygraphs-unit_test/unit_test__unsat.polyg': false,
  'polygraphs-workloads2/workloads2__chengRW-40.polyg': true,
  'polygraphs-workloads2/workloads2__chengRW-80.polyg': true,
};
