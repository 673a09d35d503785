import { digraphOf, topologicalOrder } from '@isolab/graph';
import { Outcome, type ReadFromIndex } from '@isolab/history';
import { Choice, INITIAL_NODE, type Pruning, beginEvent, commitEvent, transactionOfNode } from '@isolab/polygraph';
import type { Problem } from './problem/problem.ts';

/** Begins and commits in an order consistent with all known dependencies and a choice for the open constraints. */
export function eventOrder(
  problem: Problem,
  pruning: Pruning,
  choice: (constraint: number) => boolean,
  { outcome }: ReadFromIndex,
): number[] {
  const events = pruning.numOpen === 0 ? pruning.reachability.order : orderWith(problem, pruning, choice);
  const order: number[] = [];
  for (const event of events) {
    const node = event >> 1;
    if (node === INITIAL_NODE || outcome[transactionOfNode(node)] !== Outcome.Happened) continue;
    order.push(2 * transactionOfNode(node) + (event & 1));
  }
  return order;
}

function orderWith(problem: Problem, pruning: Pruning, choice: (constraint: number) => boolean): Int32Array {
  const { versions, constraints } = problem.polygraph;
  const from: number[] = [];
  const to: number[] = [];
  for (let node = 0; node < versions.numNodes; node++) {
    from.push(beginEvent(node));
    to.push(commitEvent(node));
  }
  const add = (d: number): void => {
    from.push(problem.leaves(d));
    to.push(problem.arrives(d));
  };
  for (const e of pruning.reachability.needed)
    add(pruning.constraintEdge[e] < 0 ? e : problem.numKnown + pruning.constraintEdge[e]);
  for (let c = 0; c < constraints.count; c++) {
    if (pruning.choice[c] !== Choice.Open) continue;
    for (const d of problem.sideOf(choice(c) ? c + 1 : -(c + 1))) add(d);
  }
  const order = topologicalOrder(digraphOf(2 * versions.numNodes, from, to));
  if (order.length < 2 * versions.numNodes) throw new Error('The model of the solver has an undesired cycle.');
  return order;
}
