import type { RunContext } from '@isolab/contract';
import { EdgeColumns, shortCycles, topologicalOrder } from '@isolab/graph';
import { Constraints, Decision, type Polygraph, prune } from '@isolab/polygraph';
import type { CobraOptions } from './options.ts';
import type { Problem } from './problem.ts';
import { type ReachabilityOptions, closeWith } from './reachability.ts';
import { type Refutation, solve } from './solve.ts';

export type PolygraphOutcome =
  /** Nodes in an order in which all chosen edges lead forward. */
  | { readonly status: 'satisfied'; readonly order: Int32Array }
  /** Known edges that form a cycle. */
  | { readonly status: 'cyclic'; readonly cycle: readonly number[]; readonly polygraph: Polygraph }
  | { readonly status: 'refuted'; readonly refutation: Refutation; readonly polygraph: Polygraph };

export type DecideOptions = Pick<CobraOptions, 'prune' | 'rounds' | 'decompose' | 'seed'> & ReachabilityOptions;

export async function decideProblem(
  problem: Problem,
  options: DecideOptions,
  context: RunContext,
): Promise<PolygraphOutcome> {
  const { known, numNodes } = problem;
  context.count('nodes', numNodes);
  // If known edges form a cycle, constraints do not matter, and may be meaningless.
  const cycle = shortCycle(known.ends, numNodes);
  if (cycle) return { status: 'cyclic', cycle, polygraph: { numNodes, known, constraints: new Constraints() } };
  return decidePolygraph({ numNodes, known, constraints: problem.makeConstraints() }, options, context);
}

export async function decidePolygraph(
  polygraph: Polygraph,
  options: DecideOptions,
  context: RunContext,
): Promise<PolygraphOutcome> {
  const { known, numNodes, constraints } = polygraph;
  context.tick(known.count + constraints.count);
  context.count('knownEdges', known.count);
  context.count('constraints', constraints.count);
  context.count('constraintEdges', constraints.from.length);
  if (options.prune && constraints.count > 0) {
    context.stage('prune');
    await prunePolygraph(polygraph, options, context);
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
  if (!cycle) throw new Error('The chosen edges form a cycle.');
  return { status: 'cyclic', cycle, polygraph };
}

export async function prunePolygraph(
  polygraph: Polygraph,
  options: Pick<CobraOptions, 'rounds'> & ReachabilityOptions,
  context: RunContext,
): Promise<void> {
  const tick = (steps: number): void => context.tick(steps);
  const rounds = await prune(polygraph, { rounds: options.rounds, tick, close: closeWith(options, context) });
  context.count('pruningRounds', rounds);
}

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
