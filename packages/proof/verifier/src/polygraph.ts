import type { PolygraphInput } from '@isolab/history';
import { refuse } from './verdict/flaw.ts';
import { type Verification, counted, verificationOf } from './verdict/verification.ts';

/**
 * Describes a problem with an order of a polygraph: known edges, and one edge of each constraint, must point forward.
 */
export function polygraphOrderProblem(polygraph: PolygraphInput, order: ArrayLike<number>): string | null {
  const { nodes, edges, constraints } = polygraph;
  const position = new Int32Array(nodes).fill(-1);
  if (order.length !== nodes) return `the order has ${order.length} nodes, expected ${nodes}`;
  for (let i = 0; i < nodes; i++) {
    const node = order[i];
    if (!Number.isInteger(node) || node < 0 || node >= nodes) return `the order names ${node}, which is not a node`;
    if (position[node] >= 0) return `the order names node ${node} twice`;
    position[node] = i;
  }
  const leadsForward = (from: number, to: number): boolean => position[from] < position[to];
  for (let i = 0; i < edges.length; i += 2) {
    const [from, to] = [edges[i], edges[i + 1]];
    if (!leadsForward(from, to)) return `the known edge from ${from} to ${to} contradicts the order`;
  }
  for (let i = 0; i < constraints.length; i += 4) {
    const [a, b, c, d] = constraints.subarray(i, i + 4);
    if (!leadsForward(a, b) && !leadsForward(c, d))
      return `both edges of constraint ${i / 4 + 1} contradict the order: from ${a} to ${b}, and from ${c} to ${d}`;
  }
  return null;
}

/** Verifies whether a parsed certificate file proves that a polygraph has an acyclic choice. */
export function verifyPolygraphFile(polygraph: PolygraphInput, json: unknown): Verification {
  return verificationOf(() => {
    const { isolab, verdict, certificate } = (json ?? {}) as Record<string, unknown>;
    const { kind, order } = (certificate ?? {}) as Record<string, unknown>;
    if (isolab !== 'certificate' || verdict !== 'satisfied' || kind !== 'commit-order' || !Array.isArray(order))
      return refuse('a polygraph has a certificate only for the verdict satisfied: an order of its nodes');
    const problem = polygraphOrderProblem(polygraph, order as readonly number[]);
    if (problem !== null) return refuse(problem);
    const { nodes, edges, constraints } = polygraph;
    const parts = [
      { what: 'nodes', count: nodes, text: counted(nodes, 'node') },
      { what: 'edges', count: edges.length / 2, text: counted(edges.length / 2, 'known edge') },
      { what: 'constraints', count: constraints.length / 4, text: counted(constraints.length / 4, 'constraint') },
    ] as const;
    return { checked: parts.filter(({ count }) => count > 0), unchecked: [] };
  });
}
