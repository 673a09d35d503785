import { DependencyType, type Pruning } from '@isolab/polygraph';
import type { Encoding } from './encoding.ts';
import { KnownPaths } from './known-paths.ts';
import type { Problem } from './problem/problem.ts';

/**
 * Undesired cycles, each an ordered list of dependencies, such that every choice of sides has one of them. Sides that
 * pruning ruled out are explained by the cycles that they would close, in terms of the original polygraph.
 */
export function refutation(problem: Problem, pruning: Pruning, encoding: Encoding | null): number[][] {
  const paths = new KnownPaths(problem, pruning);
  const cycles: number[][] = [];
  const closing = (d: number, knownBefore: number): number[] => [
    d,
    ...paths.path(problem.arrives(d), problem.leaves(d), knownBefore),
  ];
  if (!pruning.reachability.isAcyclic) {
    cycles.push(paths.cycle());
  } else if (pruning.contradiction !== null) {
    const { either, or, knownBefore } = pruning.contradiction;
    cycles.push(closing(problem.numKnown + either, knownBefore), closing(problem.numKnown + or, knownBefore));
  } else if (encoding !== null) {
    for (const step of encoding.trace.steps) {
      if (step.kind !== 'cycle') continue;
      cycles.push(step.edges.map((e) => encoding.dependency[e]).filter((d) => d >= 0));
    }
  }

  // Adds the cycles that justify the sides that the given cycles assume.
  const explained = new Set<number>();
  for (let i = 0; i < cycles.length; i++) {
    for (const d of cycles[i]) {
      const c = Math.abs(problem.literal(d)) - 1;
      if (c < 0 || explained.has(c) || pruning.impossibleEdge[c] < 0) continue;
      explained.add(c);
      cycles.push(closing(problem.numKnown + pruning.impossibleEdge[c], pruning.knownBefore[c]));
    }
  }
  return cycles.map((cycle) => simpleCycle(problem, cycle));
}

/** Cuts off the part of a cycle between two visits of a transaction, if the rest is still undesired. */
function simpleCycle(problem: Problem, cycle: number[]): number[] {
  const isUndesired = (edges: readonly number[]): boolean =>
    edges.every((d, i) => problem.type(d) !== RW || problem.type(edges[(i + 1) % edges.length]) !== RW);
  const cut = (edges: number[]): number[] | null => {
    for (let i = 0; i < edges.length; i++) {
      for (let j = edges.length - 1; j > i; j--) {
        // edges[i] … edges[j − 1] lead from a transaction to itself, and so do the others.
        if (problem.from(edges[i]) !== problem.from(edges[j])) continue;
        const inner = edges.slice(i, j);
        if (isUndesired(inner)) return inner;
        const outer = [...edges.slice(0, i), ...edges.slice(j)];
        if (isUndesired(outer)) return outer;
      }
    }
    return null;
  };
  let rest = cycle;
  if (rest.length > LONG) return rest;
  for (let next = cut(rest); next !== null; next = cut(rest)) rest = next;
  return rest;
}

const { RW } = DependencyType;
/** Longer cycles are left unchanged. */
const LONG = 200;
