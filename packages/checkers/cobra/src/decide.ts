import { type RunContext, Stop } from '@isolab/contract';
import { EdgeColumns, shortCycles, topologicalOrder } from '@isolab/graph';
import { BitRows, Constraints, Decision, type Polygraph, prune } from '@isolab/polygraph';
import type { CobraOptions } from './options.ts';
import type { Problem } from './problem.ts';
import { type Refutation, solve } from './solve.ts';

/** What became of a polygraph. */
export type Outcome =
  /** Nodes in an order in which all chosen edges lead forward. */
  | { readonly status: 'satisfied'; readonly order: Int32Array }
  /** Known edges that form a cycle. */
  | { readonly status: 'cyclic'; readonly cycle: readonly number[]; readonly polygraph: Polygraph }
  | { readonly status: 'refuted'; readonly refutation: Refutation; readonly polygraph: Polygraph };

export type DecideOptions = Pick<CobraOptions, 'prune' | 'rounds' | 'decompose' | 'seed' | 'maxClosureBytes'>;

/** Constructs the constraints of a problem, prunes and solves them. */
export function decideProblem(problem: Problem, options: DecideOptions, context: RunContext): Outcome {
  const { known, numNodes } = problem;
  context.count('nodes', numNodes);
  // With a cycle of known edges, constraints do not matter, and may not make sense.
  const cycle = shortCycle(known.ends, numNodes);
  if (cycle) return { status: 'cyclic', cycle, polygraph: { numNodes, known, constraints: new Constraints() } };
  return decidePolygraph({ numNodes, known, constraints: problem.makeConstraints() }, options, context);
}

/** Decides a polygraph wherever it comes from. */
export function decidePolygraph(polygraph: Polygraph, options: DecideOptions, context: RunContext): Outcome {
  const { known, numNodes, constraints } = polygraph;
  context.tick(known.count + constraints.count);
  context.count('knownEdges', known.count);
  context.count('constraints', constraints.count);
  context.count('constraintEdges', constraints.from.length);
  if (options.prune && constraints.count > 0) {
    context.stage('prune');
    prunePolygraph(polygraph, options, context);
    const cycle = shortCycle(known.ends, numNodes);
    if (cycle) return { status: 'cyclic', cycle, polygraph };
  }
  context.count('constraintsLeft', constraints.countOpen());
  const { decisions, refutation } = solve(polygraph, options, context);
  if (refutation) {
    const cycle = shortCycle(known.ends, numNodes);
    return cycle ? { status: 'cyclic', cycle, polygraph } : { status: 'refuted', refutation, polygraph };
  }
  const order = topologicalOrder(chosenEdges(polygraph, decisions).digraph(numNodes));
  if (order.length === numNodes) return { status: 'satisfied', order };
  const cycle = shortCycle(known.ends, numNodes);
  if (!cycle) throw new Error('The edges that were chosen form a cycle.');
  return { status: 'cyclic', cycle, polygraph };
}

export function prunePolygraph(
  polygraph: Polygraph,
  { rounds, maxClosureBytes }: Pick<CobraOptions, 'rounds' | 'maxClosureBytes'>,
  context: RunContext,
): void {
  requireMemory(polygraph.numNodes, maxClosureBytes);
  const pruned = prune(polygraph, { rounds, tick: (steps) => context.tick(steps) });
  context.count('pruningRounds', pruned.rounds);
}

/** Throws Stop rather than let reachability take more memory than it may. */
export function requireMemory(numNodes: number, maxClosureBytes: number): void {
  const bytes = BitRows.bytesFor(numNodes);
  if (bytes <= maxClosureBytes) return;
  const detail = `the reachability of ${numNodes} nodes takes ${bytes} bytes, and maxClosureBytes is ${maxClosureBytes}`;
  throw new Stop('memory', detail);
}

/** All known edges, and those of the sides that were decided for. */
export function chosenEdges({ known, constraints }: Polygraph, decisions: Uint8Array): EdgeColumns {
  const edges = new EdgeColumns(known.count + constraints.count);
  for (let e = 0; e < known.count; e++) edges.add(known.ends.from[e], known.ends.to[e]);
  for (let c = 0; c < constraints.count; c++) {
    if (constraints.decision.items[c] !== Decision.Open) continue;
    const { begin, end } = constraints.side(c, decisions[c] === Decision.Either ? 0 : 1);
    for (let e = begin; e < end; e++) edges.add(constraints.from.items[e], constraints.to.items[e]);
  }
  return edges;
}

function shortCycle(ends: EdgeColumns, numNodes: number): readonly number[] | null {
  const graph = ends.digraph(numNodes);
  if (topologicalOrder(graph).length === numNodes) return null;
  let best: readonly number[] | null = null;
  for (const cycle of shortCycles(graph)) if (best === null || cycle.length < best.length) best = cycle;
  return best;
}
