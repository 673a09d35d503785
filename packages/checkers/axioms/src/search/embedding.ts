import { type Constraint, type Sort, isDynamicTerm, partsOf, unionOf } from '@isolab/levels';
import { IntList, components, digraphOf } from '@isolab/graph';
import type { WalkStep } from '@isolab/contract';
import { type Along, type Points, commitPoint } from '../facts/order.ts';
import { FIRST, LAST } from '../walks/automaton.ts';
import { productOf } from '../walks/product.ts';
import type { Evaluation, Product } from '../walks/types.ts';
import { explain, nameIn } from '../walks/reasons.ts';
import { type TransitionStep, stepsAlong } from '../walks/search.ts';

/**
 * A choice-free relation that the order must contain, as edges between points and auxiliary nodes; the auxiliary nodes
 * keep the edges few.
 */
export interface Embedding {
  readonly constraint: Constraint;
  readonly product: Product;
  /** The order along which the embedding was found; any order gives a valid embedding. */
  readonly along: Along;
  /** For each node of the product: its point, ~n for helper n of this embedding, or NOWHERE. */
  readonly nodeAt: Int32Array;
  readonly numHelpers: number;
}

/** A node of the initial transaction, which precedes all points anyway. */
export const NOWHERE = -0x80000000;

/**
 * The choice-free part of a constraint as edges; null if it is empty or would forbid too much. `nodes` are the
 * certain nodes.
 */
export function embeddingOf(
  evaluation: Evaluation,
  constraint: Constraint,
  { kind }: Points,
  nodes: Int32Array,
): Embedding | null {
  if (constraint.kind !== 'contains' || constraint.eachKey || constraint.mayReturn) return null;
  const fixed = partsOf(constraint.term).filter((part) => !isDynamicTerm(part) && part.kind !== 'nothing');
  if (fixed.length === 0) return null;
  const product = productOf(evaluation, unionOf(fixed));
  const { base, numNodes } = product;
  const isEvents = constraint.ends?.[0] === 'event';
  const { initial } = evaluation.along.facts;
  const nodeAt = new Int32Array(numNodes);
  let numHelpers = 0;
  for (let node = 0; node < numNodes; node++) {
    const state = node < base[LAST] ? FIRST : node < base[LAST + 1] ? LAST : -1;
    if (state < 0) {
      nodeAt[node] = ~numHelpers++;
      continue;
    }
    const v = node - base[state];
    if (isEvents) nodeAt[node] = v >= 2 * initial ? NOWHERE : 2 * nodes[v >> 1] + (v % 2);
    else nodeAt[node] = v === initial ? NOWHERE : commitPoint(kind, nodes[v]);
  }
  return hasInnerCycle(product) ? null : { constraint, product, along: evaluation.along, nodeAt, numHelpers };
}

/** Returns whether there is a cycle without points. No axiom forbids such a cycle. */
function hasInnerCycle({ base, graph, from, numNodes }: Product): boolean {
  const [first, second] = [new IntList(), new IntList()];
  for (let i = 0; i < graph.target.length; i++) {
    const [a, b] = [from[graph.edge[i]], graph.target[i]];
    if (a < base[LAST + 1] || b < base[LAST + 1]) continue;
    first.push(a);
    second.push(b);
  }
  return components(digraphOf(numNodes, first.items, second.items, first.length)).count < numNodes;
}

/** The walk from one point to another that some edges of an embedding form, closed by a step back along the order. */
export function walkOfEdges({ product, along }: Embedding, edges: readonly number[]): readonly WalkStep[] {
  const steps: TransitionStep[] = stepsAlong(product, edges);
  const { walk } = explain({ along, tick: () => {}, compounds: new Map() }, product, steps);
  if (steps.length === 0) return walk; // the identity only
  const [first, last] = [steps[0].x, steps[steps.length - 1].y];
  return first === last ? walk : [...walk, backAlong(along, product.automaton.sorts[LAST], last, first)];
}

/** The step along the order that closes a walk. */
export function backAlong({ facts }: Along, sort: Sort, from: number, to: number): WalkStep {
  return { relation: sort === 'event' ? 'before' : 'co', from: nameIn(facts, sort, from), to: nameIn(facts, sort, to) };
}
