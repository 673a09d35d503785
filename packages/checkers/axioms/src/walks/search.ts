import { IntList } from '@isolab/graph';
import { NO_LETTER } from './steps.ts';
import type { Product, Tick } from './types.ts';

/** A step of a walk: a pair in the relation of a transition. */
export interface TransitionStep {
  readonly transition: number;
  readonly x: number;
  readonly y: number;
}

/** Searches a product for walks with as few choices as possible (breadth first by cost). */
export class Search {
  readonly #product: Product;
  readonly #tick: Tick;
  /** The nodes that the last search reached, nearest first. */
  readonly reached = new IntList();
  readonly #seen: Int32Array; // by node: the last search that reached it
  readonly #edge: Int32Array; // by node: the edge by which it was reached, −1 for starting nodes
  readonly #later = new IntList(); // nodes at a cost higher by one, and the edges that lead to them
  #searches = 0;

  constructor(product: Product, tick: Tick) {
    this.#product = product;
    this.#tick = tick;
    this.#seen = new Int32Array(product.numNodes);
    this.#edge = new Int32Array(product.numNodes);
  }

  hasReached(node: number): boolean {
    return this.#seen[node] === this.#searches;
  }

  /**
   * Searches from one node for all reachable nodes. Stays within a component, if given, and stops when a target is
   * reached. A start that is also the target counts as reached only after at least one edge.
   */
  from(start: number, target = -1, within: Within | null = null): boolean {
    const { graph, cost } = this.#product;
    const { reached } = this;
    const later = this.#later;
    const seen = this.#seen;
    const search = ++this.#searches;
    reached.length = later.length = 0;
    let laterHead = 0;
    let head = 0;
    this.#reach(start, -1);
    if (start === target) return true;
    for (;;) {
      for (; head < reached.length; head++) {
        const node = reached.items[head];
        for (let i = graph.start[node]; i < graph.start[node + 1]; i++) {
          const next = graph.target[i];
          const e = graph.edge[i];
          if (
            seen[next] === search ||
            (within !== null && (within.of[next] !== within.component || e >= within.before))
          )
            continue;
          if (cost[e] === 1) {
            later.push(next);
            later.push(e);
            continue;
          }
          this.#reach(next, e);
          if (next === target) return this.#charge(true);
        }
      }
      while (laterHead < later.length && seen[later.items[laterHead]] === search) laterHead += 2;
      if (laterHead >= later.length) return this.#charge(false);
      // All nodes at the current cost are visited before more expensive nodes.
      for (const end = later.length; laterHead < end; laterHead += 2) {
        const next = later.items[laterHead];
        if (seen[next] === search) continue;
        this.#reach(next, later.items[laterHead + 1]);
        if (next === target) return this.#charge(true);
      }
    }
  }

  #reach(node: number, edge: number): void {
    this.#seen[node] = this.#searches;
    this.#edge[node] = edge;
    this.reached.push(node);
  }

  #charge(found: boolean): boolean {
    this.#tick(this.reached.length);
    return found;
  }

  /** The starting node of the walk to a reached node. */
  origin(node: number): number {
    let at = node;
    while (this.#edge[at] >= 0) at = this.#product.from[this.#edge[at]];
    return at;
  }

  walkTo(node: number): TransitionStep[] {
    const edges: number[] = [];
    for (let at = node; this.#edge[at] >= 0; at = this.#product.from[this.#edge[at]]) edges.push(this.#edge[at]);
    return stepsAlong(this.#product, edges.toReversed());
  }

  fromRange(first: number, end: number): void {
    const { graph, cost } = this.#product;
    const seen = this.#seen;
    const search = ++this.#searches;
    const { reached } = this;
    const later = this.#later;
    reached.length = later.length = 0;
    for (let node = first; node < end; node++) this.#reach(node, -1);
    for (let head = 0; head < reached.length; head++) {
      const node = reached.items[head];
      for (let i = graph.start[node]; i < graph.start[node + 1]; i++) {
        const next = graph.target[i];
        if (seen[next] === search) continue;
        const e = graph.edge[i];
        if (cost[e] === 0) this.#reach(next, e);
        else {
          later.push(next);
          later.push(e);
        }
      }
      while (head + 1 === reached.length && later.length > 0) {
        const e = later.items[--later.length];
        const node2 = later.items[--later.length];
        if (seen[node2] !== search) this.#reach(node2, e);
      }
    }
    this.#charge(true);
  }
}

/** Bounds of a search: nodes of one component, and edges with lower numbers. */
export interface Within {
  readonly of: Int32Array;
  readonly component: number;
  readonly before: number;
}

/** The steps that edges form; each leads through helpers from a node of one state to a node of another. */
export function stepsAlong({ base, automaton, from, to, label }: Product, edges: readonly number[]): TransitionStep[] {
  const firstHelper = base[automaton.sorts.length];
  const steps: TransitionStep[] = [];
  let start = -1;
  let transition = NO_LETTER;
  for (const e of edges) {
    if (from[e] < firstHelper) start = from[e];
    transition = Math.max(transition, label[e]);
    if (to[e] >= firstHelper) continue;
    if (transition !== NO_LETTER) {
      const { from: p, to: q } = automaton.transitions[transition];
      steps.push({ transition, x: start - base[p], y: to[e] - base[q] });
    }
    transition = NO_LETTER;
  }
  return steps;
}
