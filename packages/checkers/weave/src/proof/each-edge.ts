import type { Edge } from '@isolab/contract';

/** Visits the edges of cycles and, recursively, the edges of their reasons. */
export function eachEdge(cycles: readonly (readonly Edge[])[], visit: (edge: Edge) => void): void {
  const seen = new Set<Edge>(); // reasons may share edges
  const stack = [...cycles];
  for (let edges = stack.pop(); edges !== undefined; edges = stack.pop()) {
    for (const edge of edges) {
      if (seen.has(edge)) continue;
      seen.add(edge);
      visit(edge);
      if (edge.reason.kind === 'overwritten') stack.push(edge.reason.visible);
      else if (edge.reason.kind === 'overwrites') stack.push(edge.reason.order);
    }
  }
}
