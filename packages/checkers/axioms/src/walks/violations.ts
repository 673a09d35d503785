import { type Constraint, NOTHING, type Term, letterTerm, sequenceOf, unionOf } from '@isolab/levels';
import { IntList, components, digraphOf } from '@isolab/graph';
import { FIRST, LAST } from './automaton.ts';
import { productOf } from './product.ts';
import type { Evaluation, Product } from './types.ts';
import { Search, type TransitionStep } from './search.ts';

/** A walk that a constraint forbids. For `contains` it leads from `first` to a point that does not come later. */
export interface Violation {
  readonly constraint: Constraint;
  readonly product: Product;
  readonly first: number;
  readonly last: number;
  readonly steps: readonly TransitionStep[];
}

/** Finds violations of a constraint along an order, at most the given number. Finds at least one if any exists. */
export function violationsOf(evaluation: Evaluation, constraint: Constraint, most: number): Violation[] {
  const { kind } = constraint;
  if (kind === 'empty') return walksOf(evaluation, constraint, most);
  const product = productOf(evaluation, walkedTerm(constraint), true, constraint.ends);
  const parts = components(product.graph);
  evaluation.tick(product.graph.target.length);
  const returning = nodesOnClosedWalks(product, parts);
  if (returning.length === 0) return [];
  const guilty = kind === 'acyclic' ? returning : backToThemselves(evaluation, product, parts, returning, most);
  const search = new Search(product, evaluation.tick);
  const before = kind === 'acyclic' ? Infinity : product.closing;
  const found: Violation[] = [];
  let work = 0;
  for (const v of spread(guilty, most)) {
    const within = { of: parts.of, component: parts.of[product.base[FIRST] + v], before };
    if (!search.from(product.base[FIRST] + v, product.base[LAST] + v, within)) continue;
    const steps = search.walkTo(product.base[LAST] + v);
    found.push(violation(constraint, product, v, steps));
    work += search.reached.length;
    if (work > MOST_WORK && found.length >= FEW) break;
  }
  return found;
}

type Components = ReturnType<typeof components>;

/** Amount of work per round after which the walks found so far must suffice. */
const MOST_WORK = 20_000_000;
const FEW = 20;

/** A constraint to contain a relation forbids a step along the relation followed by a step along the order. */
function walkedTerm({ kind, term, ends, mayReturn }: Constraint): Term {
  if (kind !== 'contains') return term;
  const order = letterTerm(ends?.[0] === 'event' ? 'before' : 'co');
  return sequenceOf([term, mayReturn ? order : unionOf([NOTHING, order])]);
}

function violation(constraint: Constraint, product: Product, v: number, steps: readonly TransitionStep[]): Violation {
  if (constraint.kind !== 'contains') return { constraint, product, first: v, last: v, steps };
  const last = steps.at(-1);
  const isAlong =
    last !== undefined && product.automaton.transitions[last.transition].to === LAST && isOrder(product, last);
  if (!isAlong) return { constraint, product, first: v, last: v, steps };
  return { constraint, product, first: v, last: last.x, steps: steps.slice(0, -1) };
}

/** Returns whether a step is the step along the order that was appended to the relation. */
function isOrder({ automaton }: Product, { transition }: TransitionStep): boolean {
  return transition === automaton.transitions.length - 1;
}

/** The nodes that reach themselves through a sequence of words of the term. */
function nodesOnClosedWalks({ base }: Product, { of }: Components): Int32Array {
  const found = new IntList();
  const count = base[FIRST + 1] - base[FIRST];
  for (let v = 0; v < count; v++) if (of[base[FIRST] + v] === of[base[LAST] + v]) found.push(v);
  return found.toArray();
}

/** Returns those of the given nodes that reach themselves through a single word; examines 32 nodes at a time. */
function backToThemselves(
  evaluation: Evaluation,
  product: Product,
  parts: Components,
  nodes: Int32Array,
  most: number,
): Int32Array {
  const { base } = product;
  const inner = innerGraph(product, parts, nodes);
  const mask = new Int32Array(inner.count);
  const found = new IntList();
  for (let i = 0; i < nodes.length && found.length < most; i += 32) {
    const end = Math.min(i + 32, nodes.length);
    mask.fill(0);
    for (let j = i; j < end; j++) mask[inner.of[base[FIRST] + nodes[j]]] |= 1 << (j - i);
    for (let e = 0; e < inner.from.length; e++) mask[inner.to[e]] |= mask[inner.from[e]];
    evaluation.tick(inner.from.length);
    for (let j = i; j < end; j++) if ((mask[inner.of[base[LAST] + nodes[j]]] >>> (j - i)) & 1) found.push(nodes[j]);
  }
  return found.toArray();
}

/**
 * Edges within components that hold some of the given nodes, without edges back to the first state, between the
 * components that remain. Each edge comes after all edges to its start.
 */
function innerGraph({ base, graph, numNodes, closing }: Product, { of }: Components, nodes: Int32Array) {
  const isIn = new Uint8Array(numNodes); // by component
  for (const v of nodes) isIn[of[base[FIRST] + v]] = 1;
  const [from, to] = [new IntList(), new IntList()];
  for (let node = 0; node < numNodes; node++) {
    if (isIn[of[node]] === 0) continue;
    for (let i = graph.start[node]; i < graph.start[node + 1]; i++) {
      if (of[graph.target[i]] !== of[node] || graph.edge[i] >= closing) continue;
      from.push(node);
      to.push(graph.target[i]);
    }
  }
  const inner = components(digraphOf(numNodes, from.items, to.items, from.length));
  const [first, second] = [new IntList(), new IntList()];
  for (let e = 0; e < from.length; e++) {
    const [a, b] = [inner.of[from.items[e]], inner.of[to.items[e]]];
    if (a === b) continue;
    first.push(a);
    second.push(b);
  }
  const rows = digraphOf(inner.count, first.items, second.items, first.length);
  const sortedFrom = new Int32Array(first.length);
  const sortedTo = new Int32Array(first.length);
  let at = 0;
  for (let c = inner.count - 1; c >= 0; c--) {
    for (let i = rows.start[c]; i < rows.start[c + 1]; i++) {
      sortedFrom[at] = c;
      sortedTo[at++] = rows.target[i];
    }
  }
  return { count: inner.count, of: inner.of, from: sortedFrom, to: sortedTo };
}

function walksOf(evaluation: Evaluation, constraint: Constraint, most: number): Violation[] {
  const product = productOf(evaluation, constraint.term, false, constraint.ends);
  const { base } = product;
  const search = new Search(product, evaluation.tick);
  search.fromRange(base[FIRST], base[FIRST + 1]);
  const ends = new IntList();
  for (let node = base[LAST]; node < base[LAST + 1]; node++) if (search.hasReached(node)) ends.push(node);
  return Array.from(spread(ends.toArray(), most), (node) => ({
    constraint,
    product,
    first: search.origin(node) - base[FIRST],
    last: node - base[LAST],
    steps: search.walkTo(node),
  }));
}

function spread(items: Int32Array, most: number): Int32Array {
  if (items.length <= most) return items;
  return Int32Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]);
}
