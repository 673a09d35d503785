import type { Adjacency } from '@isolab/graph';

/** Maximum number of vertices of a component from which shortest cycles are searched. */
const MAX_STARTS = 64;

/** A shortest cycle through one of a component's first vertices; each vertex follows one of its predecessors. */
export function shortestCycle(predecessors: Adjacency, component: Int32Array, tick: (steps: number) => void): number[] {
  const inside = new Set(component);
  let best: number[] = [];
  for (const start of component.subarray(0, MAX_STARTS)) {
    const path = pathBetween(predecessors, start, start, (v) => inside.has(v), best.length || Infinity, tick);
    if (path) best = path.slice(0, -1);
    if (best.length === 2) break;
  }
  return best;
}

/** A shortest path, both ends included, through `allowed` vertices; null if it has `maxEdges` edges or more. */
export function pathBetween(
  { start, target }: Adjacency,
  from: number,
  to: number,
  allowed: (v: number) => boolean,
  maxEdges: number,
  tick: (steps: number) => void,
): number[] | null {
  const next = new Map<number, number>(); // by vertex: the next vertex on the path to `to`
  let frontier = [to];
  for (let edges = 1; frontier.length > 0 && edges < maxEdges; edges++) {
    const further: number[] = [];
    for (const v of frontier) {
      tick(start[v + 1] - start[v] + 1);
      for (let i = start[v]; i < start[v + 1]; i++) {
        const u = target[i];
        if (u === from) return pathAlong(next, from, v, to);
        if (u === to || next.has(u) || !allowed(u)) continue;
        next.set(u, v);
        further.push(u);
      }
    }
    frontier = further;
  }
  return null;
}

function pathAlong(next: ReadonlyMap<number, number>, from: number, second: number, to: number): number[] {
  const path = [from, second];
  for (let v = second; v !== to; path.push(v)) v = next.get(v)!;
  return path;
}
