import type { Edge, LevelName } from '@isolab/contract';
import type { Tuning } from '../../../problem/tuning.ts';
import { causalEdges } from './causal.ts';
import { directEdges } from './direct.ts';
import { contradictions } from '../edges/contradictions.ts';
import { findCycles } from '../edges/cycles.ts';
import { EdgeList, noEdges } from '../edges/edges.ts';
import { edgesOfCycle, edgesOfStaleRead } from '../edges/explain.ts';
import { type EdgeFacts, countHappened } from '../edges/facts.ts';
import { commitOrder } from '../edges/order.ts';
import { canSee, visibilityOf } from '../edges/visibility.ts';

/**
 * The search for an order that satisfies a level, where the writer that each read saw is known. It starts from an order
 * of sessions and read-from, adds the edges of the axiom that the order contradicts, and repeats this with them.
 */
export class Attempt {
  /** The last order. Transactions on cycles of the edges, and those after them, are missing from it. */
  order: Int32Array;
  edges = new EdgeList();
  readonly #facts: EdgeFacts;
  readonly #level: LevelName;
  readonly #roots: Int32Array;
  readonly #tuning: Tuning;
  readonly #charge: (steps: number) => void;
  readonly #known: Int32Array; // order of sessions and read-from
  readonly #toPlace: number;

  constructor(facts: EdgeFacts, level: LevelName, roots: Int32Array, tuning: Tuning, charge: (steps: number) => void) {
    this.#facts = facts;
    this.#level = level;
    this.#roots = roots;
    this.#tuning = tuning;
    this.#charge = charge;
    this.#toPlace = countHappened(facts);
    this.order = this.#known = commitOrder(facts, noEdges(facts.happened.length), roots);
    if (this.#isComplete && level !== 'read-committed-pl2') this.#search();
  }

  get isSatisfied(): boolean {
    return this.#isComplete && this.edges.toInitial.length === 0;
  }

  /**
   * Yields the reads of an overwritten initial state, then short cycles, at most one per strongly connected component.
   * With further passes, more cycles follow that have no transaction in common. With `everyEdge`, cycles consist of any
   * edges of the axiom, not only of edges that some order contradicted.
   */
  *contradictions(passes: number, everyEdge = false): Generator<Edge[]> {
    for (const { from, read } of this.edges.toInitial) yield edgesOfStaleRead(this.#facts, this.#level, from, read);
    if (this.#isComplete) return;
    if (everyEdge && this.#known.length === this.#toPlace) this.#addEveryEdge();
    const incoming = this.edges.incoming(this.#facts.happened.length);
    const unplaced = this.#toPlace - this.order.length;
    const left = Array.from(this.order);
    for (let pass = 0; pass < passes; pass++) {
      const before = left.length;
      for (const cycle of findCycles(this.#facts, incoming, left, this.#tuning)) {
        yield edgesOfCycle(this.#facts, this.#level, cycle, (from, to) => this.#readFor(from, to));
        left.push(...cycle);
      }
      if (left.length === before || unplaced > this.#tuning.manyUnplaced) return;
      this.#charge(this.#facts.happened.length);
    }
  }

  get #isComplete(): boolean {
    return this.order.length === this.#toPlace;
  }

  #search(): void {
    const facts = this.#facts;
    if (!canSee(facts, this.#level, this.#tuning)) {
      this.#addEveryEdge();
      return;
    }
    const visibility = visibilityOf(facts, this.#level);
    for (let round = 0; round < this.#tuning.weakRounds; round++) {
      const before = this.edges.count;
      if (!contradictions(facts, this.order, visibility, this.#tuning, this.#charge, this.edges.emit)) break;
      if (this.edges.count === before || this.edges.toInitial.length > 0) return;
      this.#placeAgain();
      if (!this.#isComplete) return;
    }
    this.#addEveryEdge();
  }

  #addEveryEdge(): void {
    this.edges = new EdgeList();
    if (this.#level === 'causal') causalEdges(this.#facts, this.#known, this.#charge, this.edges.emit);
    else directEdges(this.#facts, this.#level, this.#charge, this.edges.emit);
    this.#placeAgain();
  }

  #placeAgain(): void {
    this.order = commitOrder(this.#facts, this.edges.incoming(this.#facts.happened.length), this.#roots);
  }

  /** Causal edges that were added together do not record their reads, so these reads are computed again. */
  #readFor(from: number, to: number): number {
    let read = this.edges.readFor(from, to);
    if (read >= 0 || this.#level !== 'causal') return read;
    const wanted = { has: (a: number, b: number) => a === from && b === to };
    causalEdges(this.#facts, this.#known, this.#charge, (_, __, found) => void (read = found), wanted);
    return read;
  }
}
