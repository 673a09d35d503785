import type { PolygraphInput } from '@isolab/history';
import type { Formula } from '../formula/formula.ts';

export type EdgeVariable = (from: number, to: number) => number;

/**
 * Known edges are there, and of each constraint one edge is. CobraSAT has exactly one (XOR). In polygraphs of histories
 * both together close a cycle, so the second clause follows anyway: with reader r, writer w that it read from and other
 * writer u, the edges are r→u and u→w, and w→r is known; or they are the two orders of two writers. In other polygraphs
 * it would be wrong, as two constraints may share an edge, and it is left out.
 */
export function addPolygraph(formula: Formula, polygraph: PolygraphInput, edge: EdgeVariable, xor: boolean): void {
  const { nodes, edges, constraints } = polygraph;
  const known = new Set<number>();
  const leads = (a: number, b: number): boolean => a === b || known.has(a * nodes + b);
  formula.reserve(edges.length / 2 + constraints.length / 2, edges.length / 2 + constraints.length);
  for (let i = 0; i < edges.length; i += 2) {
    formula.clause1(edge(edges[i], edges[i + 1]));
    known.add(edges[i] * nodes + edges[i + 1]);
  }
  for (let i = 0; i < constraints.length; i += 4) {
    const [from, to, from2, to2] = constraints.subarray(i, i + 4) as unknown as [number, number, number, number];
    formula.clause2(edge(from, to), edge(from2, to2));
    const closesCycle = (to === from2 && leads(to2, from)) || (to2 === from && leads(to, from2));
    if (xor && closesCycle) formula.clause2(-edge(from, to), -edge(from2, to2));
  }
}

/** Pairs of nodes that have a variable. */
export interface Edges {
  readonly edge: EdgeVariable;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

export function allPairs(numNodes: number, edge: EdgeVariable): Edges {
  const pairs = numNodes * numNodes;
  const from = Int32Array.from({ length: pairs }, (_, pair) => Math.floor(pair / numNodes));
  const to = Int32Array.from({ length: pairs }, (_, pair) => pair % numNodes);
  return { edge, from, to };
}

/** Pairs that are joined by a known edge, or by one of a constraint. */
export function usedPairs(formula: Formula, { nodes, edges, constraints }: PolygraphInput): Edges {
  const variables = new Map<number, number>();
  const from: number[] = [];
  const to: number[] = [];
  for (const column of [edges, constraints]) {
    for (let i = 0; i < column.length; i += 2) {
      const pair = column[i] * nodes + column[i + 1];
      if (variables.has(pair)) continue;
      variables.set(pair, formula.variables(1));
      from.push(column[i]);
      to.push(column[i + 1]);
    }
  }
  const edge: EdgeVariable = (a, b) => variables.get(a * nodes + b)!;
  return { edge, from: Int32Array.from(from), to: Int32Array.from(to) };
}
