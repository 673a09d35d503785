import type { RunContext } from '@isolab/contract';
import { Decision, type Polygraph, type Region, type Regions, regionsOf, wholeRegion } from '@isolab/polygraph';
import { type TraceStep, ProofTrace, Solver, negative, positive } from '@isolab/solver';
import type { CobraOptions } from './options.ts';

/** Proof that a region has no solution: the solver's steps, and the meanings of its numbers. */
export interface Refutation {
  readonly steps: readonly TraceStep[];
  /** For each edge of the solver: a known edge, or −1 − an edge of a constraint. */
  readonly edges: readonly number[];
  readonly constraints: readonly number[];
}

/** A decision for every constraint, or the reason why there is none. */
export type Solution =
  | { readonly decisions: Uint8Array; readonly refutation: null }
  | { readonly decisions: null; readonly refutation: Refutation };

export type SolveOptions = Pick<CobraOptions, 'decompose' | 'seed'>;

/** Encodes the open constraints and solves them: each holds with all edges of one side and none of the other. */
export function solve(
  polygraph: Polygraph,
  { decompose, seed }: SolveOptions,
  context: RunContext,
  found: Regions | null = null,
): Solution {
  const { decision, count } = polygraph.constraints;
  const decisions = Uint8Array.from({ length: count }, (_, c) => decision.items[c]);
  context.stage('encode');
  context.tick(polygraph.known.count);
  let regions: readonly Region[];
  if (decompose) {
    const split = found ?? regionsOf(polygraph);
    for (const { constraint, side } of split.free) decisions[constraint] = side === 0 ? Decision.Either : Decision.Or;
    regions = split.regions;
  } else {
    regions = polygraph.constraints.countOpen() === 0 ? [] : [wholeRegion(polygraph)];
  }
  context.count('regions', regions.length);
  const local = new Int32Array(polygraph.numNodes);
  for (const region of regions) {
    context.stage('encode');
    const trace = new ProofTrace(); // recorded even without a certificate, because the anomaly is named after it
    const solver = new Solver({
      onTick: (steps) => context.tick(steps),
      trace,
      ...(seed !== 0 && { seed }),
    });
    const edges = encode(polygraph, region, solver, local);
    context.tick(edges.length);
    context.stage('solve');
    const answer = solver.solve();
    countWork(solver, context);
    if (answer !== 'satisfiable')
      return { decisions: null, refutation: { steps: trace.steps, edges, constraints: region.constraints } };
    region.constraints.forEach((constraint, variable) => {
      decisions[constraint] = solver.value(variable) ? Decision.Either : Decision.Or;
    });
  }
  return { decisions, refutation: null };
}

/** Adds a variable for each constraint, true if `either` holds. Returns the meanings of the solver's edges. */
function encode({ known, constraints }: Polygraph, region: Region, solver: Solver, local: Int32Array): number[] {
  region.nodes.forEach((node, i) => (local[node] = i));
  const graph = solver.addGraph(region.nodes.length);
  const edges: number[] = [];
  const { from, to } = known.ends;
  for (const e of region.edges) edges[solver.addEdge(graph, local[from[e]], local[to[e]])] = e;
  const inRegion = new Set(region.nodes);
  const from2 = constraints.from.items;
  const to2 = constraints.to.items;
  for (const c of region.constraints) {
    const variable = solver.newVariable();
    for (let side = 0; side < 2; side++) {
      const literal = side === 0 ? positive(variable) : negative(variable);
      const { begin, end } = constraints.side(c, side);
      for (let e = begin; e < end; e++) {
        if (!inRegion.has(from2[e]) || !inRegion.has(to2[e])) continue; // edges between components are on no cycle
        edges[solver.addEdge(graph, local[from2[e]], local[to2[e]], literal)] = -1 - e;
      }
    }
  }
  return edges;
}

function countWork({ statistics }: Solver, context: RunContext): void {
  context.count('decisions', statistics.decisions);
  context.count('conflicts', statistics.conflicts);
  context.count('propagations', statistics.propagations);
}
