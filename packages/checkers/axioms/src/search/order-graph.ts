import type { OrderEdge, WalkStep } from '@isolab/contract';
import type { InternalAnomaly } from '@isolab/history';
import { type Literal, ProofTrace, Solver, negate, negative, positive } from '@isolab/solver';
import type { Tick } from '../walks/types.ts';
import { type Embedding, NOWHERE, walkOfEdges } from './embedding.ts';
import { urgentFirst } from './guess.ts';

/** A walk that an axiom forbids, and its clause. Each literal states that one point precedes another. */
export interface Instance {
  readonly axiom: number;
  /** The key, if the axiom applies to each key separately. */
  readonly key: number | null;
  readonly walk: readonly WalkStep[];
  /** The pairwise orders that the walk rests on, followed by the implied order, if any. */
  readonly orders: readonly (readonly [number, number])[];
  readonly follows: readonly [number, number] | null;
  /** The read-source choices that the walk rests on, each with the number of the candidate. */
  readonly sources: readonly (readonly [number, number])[];
}

/** Clauses about read sources that hold in every order, as literals of the solver. */
export type SourceStep =
  | { readonly kind: 'candidates'; readonly clause: readonly Literal[]; readonly read: number }
  | { readonly kind: 'internal'; readonly clause: readonly Literal[]; readonly anomaly: InternalAnomaly };

/**
 * A pair of points, true if the first precedes the second; or a candidate for a read's source, true if it is chosen.
 */
export type Variable =
  | { readonly kind: 'order'; readonly first: number; readonly second: number }
  | { readonly kind: 'source'; readonly choice: number; readonly candidate: number };

/** Order of two writers of a key that a list read shows; without a read (−1), the order of a begin and its commit. */
export interface KnownOrder {
  readonly first: number;
  readonly second: number;
  readonly read: number;
}

/**
 * The points and their known order in a solver: unconditional edges, conditional edges, and clauses. A pair of points
 * gets a variable when something depends on it.
 */
export class OrderGraph {
  readonly numPoints: number;
  /** Whether the known order contradicts itself, so that no order satisfies all of it. */
  readonly isCyclic: boolean;
  readonly solver: Solver;
  readonly #trace = new ProofTrace();
  readonly #graph: number;
  readonly #embeddings: readonly Embedding[];
  readonly #offsets: number[] = []; // the first helper of each embedding
  readonly #nodeOf: Int32Array; // by point or helper: its node in the solver, numbered by its expected place
  readonly #pointAt: Int32Array; // by node in the solver
  readonly #variables = new Map<number, number>(); // by pair of points
  readonly #meant: Variable[] = []; // by variable
  readonly #sources: number[][] = []; // by choice and candidate: the variable
  readonly #sourceSteps: SourceStep[] = [];
  readonly #meaning: Meaning[] = []; // by edge in the solver
  readonly #ends: (readonly [number, number])[] = []; // the ends of these edges: points or helpers
  readonly #given: { readonly clause: readonly Literal[]; readonly instance: Instance }[] = [];
  readonly #known = new Set<string>();

  constructor(
    numPoints: number,
    embeddings: readonly Embedding[],
    known: readonly KnownOrder[],
    urgency: Float64Array,
    tick: Tick,
  ) {
    this.numPoints = numPoints;
    this.#embeddings = embeddings;
    const edges = this.#edgesOf(embeddings, known);
    let numNodes = numPoints;
    for (const { numHelpers } of embeddings) numNodes += numHelpers;
    const from = Int32Array.from(edges, (edge) => edge.a);
    const to = Int32Array.from(edges, (edge) => edge.b);
    this.#pointAt = urgentFirst(numNodes, from, to, urgency);
    this.#nodeOf = new Int32Array(numNodes);
    for (let i = 0; i < numNodes; i++) this.#nodeOf[this.#pointAt[i]] = i;
    this.solver = new Solver({ onTick: tick, trace: this.#trace });
    this.#graph = this.solver.addGraph(numNodes);
    for (const { a, b, meaning } of edges) this.#addEdge(a, b, meaning);
    this.isCyclic = edges.some(({ a, b }) => this.#nodeOf[a] >= this.#nodeOf[b]);
  }

  #edgesOf(
    embeddings: readonly Embedding[],
    known: readonly KnownOrder[],
  ): { a: number; b: number; meaning: Meaning }[] {
    const edges: { a: number; b: number; meaning: Meaning }[] = [];
    let offset = this.numPoints;
    embeddings.forEach(({ product, nodeAt, numHelpers }, embedding) => {
      this.#offsets.push(offset);
      for (let i = 0; i < product.graph.target.length; i++) {
        const edge = product.graph.edge[i];
        const [a, b] = [nodeAt[product.from[edge]], nodeAt[product.to[edge]]];
        if (a === NOWHERE || b === NOWHERE) continue;
        const at = (node: number): number => (node < 0 ? offset + ~node : node);
        edges.push({ a: at(a), b: at(b), meaning: { kind: 'embedded', embedding, edge } });
      }
      offset += numHelpers;
    });
    for (const { first, second, read } of known)
      edges.push({ a: first, b: second, meaning: read < 0 ? OWN : { kind: 'version', read } });
    return edges;
  }

  #addEdge(a: number, b: number, meaning: Meaning, literal?: Literal): void {
    const e = this.solver.addEdge(this.#graph, this.#nodeOf[a], this.#nodeOf[b], literal);
    this.#meaning[e] = meaning;
    this.#ends[e] = [a, b];
  }

  /** Estimated place of each point, before solving. */
  guess(): Int32Array {
    return this.#nodeOf.slice(0, this.numPoints);
  }

  places(): Int32Array {
    const order = this.solver.order(this.#graph);
    const place = new Int32Array(this.#nodeOf.length);
    for (let i = 0; i < order.length; i++) place[this.#pointAt[order[i]]] = i;
    return place.subarray(0, this.numPoints);
  }

  literal(first: number, second: number): Literal {
    const [low, high] = first < second ? [first, second] : [second, first];
    const pair = low * this.numPoints + high;
    let variable = this.#variables.get(pair);
    if (variable === undefined) {
      variable = this.solver.newVariable();
      this.#variables.set(pair, variable);
      this.#meant[variable] = { kind: 'order', first: low, second: high };
      this.#addEdge(low, high, ASSUMED, positive(variable));
      this.#addEdge(high, low, ASSUMED, negative(variable));
    }
    return first < second ? positive(variable) : negative(variable);
  }

  /** Makes variables for the read-source choices. The solver tries the last candidates first. */
  addSources(numCandidates: readonly number[]): void {
    numCandidates.forEach((count, choice) => {
      this.#sources.push(
        Array.from({ length: count }, (_, candidate) => {
          const variable = this.solver.newVariable();
          this.#meant[variable] = { kind: 'source', choice, candidate };
          return variable;
        }),
      );
    });
  }

  source(choice: number, candidate: number): Literal {
    return positive(this.#sources[choice]![candidate]!);
  }

  /** Adds a clause about sources. Returns false if it contradicts the other clauses. */
  addSourceStep(step: SourceStep): boolean {
    this.#sourceSteps.push(step);
    return this.solver.addClause(step.clause);
  }

  /** The candidate of a choice in the last model; the last of them if the model leaves several open. */
  readonly chosen = (choice: number): number => {
    const found = this.#sources[choice]!.findLastIndex((variable) => this.solver.value(variable));
    if (found < 0) throw new Error('A read saw none of its possible writers.');
    return found;
  };

  /** Forbids a walk. Returns false if the clauses have become unsatisfiable. */
  forbid(instance: Instance): boolean {
    const { orders, sources, follows } = instance;
    const conditions = [
      ...new Set([
        ...orders.map(([first, second]) => this.literal(first, second)),
        ...sources.map(([choice, candidate]) => this.source(choice, candidate)),
      ]),
    ];
    if (follows !== null && conditions.length <= 1) {
      const name = `${follows[0]} ${follows[1]} ${conditions[0] ?? ''}`;
      if (this.#known.has(name)) return true;
      this.#known.add(name);
      this.#addEdge(follows[0], follows[1], { kind: 'axiom', instance }, conditions[0]);
      return true;
    }
    const clause = conditions.map(negate);
    if (follows !== null) clause.push(this.literal(follows[0], follows[1]));
    const name = clause.toSorted((a, b) => a - b).join();
    if (this.#known.has(name)) return true;
    this.#known.add(name);
    this.#given.push({ clause, instance });
    return this.solver.addClause(clause);
  }

  /** The proof that no order exists: clauses from axioms, cycles, and learned clauses. */
  proof(): Proof {
    const steps: ProofPart[] = [
      ...this.#sourceSteps,
      ...this.#given.map(({ clause, instance }) => ({ kind: 'axiom' as const, clause, instance })),
    ];
    for (const step of this.#trace.steps) {
      if (step.kind === 'deleted') continue;
      if (step.kind === 'learned') steps.push({ kind: 'learned', clause: step.clause });
      else steps.push({ kind: 'cycle', clause: step.clause, edges: () => this.#edgesBack(step.edges) });
    }
    return { variables: this.#meant, steps };
  }

  /** The edges of a cycle between points, through helpers where a relation has some. */
  #edgesBack(cycle: readonly number[]): OrderEdge[] {
    const first = cycle.findIndex((e) => this.#ends[e][0] < this.numPoints);
    const turned = [...cycle.slice(first), ...cycle.slice(0, first)];
    const edges: OrderEdge[] = [];
    let inner: number[] = [];
    let from = -1;
    for (const e of turned) {
      const meaning = this.#meaning[e];
      const [a, b] = this.#ends[e];
      if (a < this.numPoints) from = a;
      if (meaning.kind === 'embedded') inner.push(meaning.edge);
      if (b >= this.numPoints) continue;
      edges.push(this.#edgeOf(from, b, meaning, inner));
      inner = [];
    }
    return edges;
  }

  #edgeOf(from: number, to: number, meaning: Meaning, inner: readonly number[]): OrderEdge {
    switch (meaning.kind) {
      case 'assumed':
      case 'own':
        return { from, to, kind: meaning.kind };
      case 'version':
        return { from, to, kind: 'version', read: meaning.read };
      case 'axiom':
        return { from, to, kind: 'axiom', axiom: meaning.instance.axiom, walk: meaning.instance.walk };
      case 'embedded': {
        const embedding = this.#embeddings[meaning.embedding];
        return {
          from,
          to,
          kind: 'axiom',
          axiom: embedding.constraint.axiom,
          walk: walkOfEdges(embedding, inner),
        };
      }
    }
  }
}

type Meaning =
  | { readonly kind: 'assumed' | 'own' }
  | { readonly kind: 'version'; readonly read: number }
  | { readonly kind: 'axiom'; readonly instance: Instance }
  | { readonly kind: 'embedded'; readonly embedding: number; readonly edge: number };

const ASSUMED: Meaning = { kind: 'assumed' };
const OWN: Meaning = { kind: 'own' };

/** A proof whose choices and edges refer to points, and whose literals belong to the solver. */
export interface Proof {
  readonly variables: readonly Variable[];
  readonly steps: readonly ProofPart[];
}

export type ProofPart =
  | SourceStep
  | { readonly kind: 'axiom'; readonly clause: readonly Literal[]; readonly instance: Instance }
  | { readonly kind: 'cycle'; readonly clause: readonly Literal[]; readonly edges: () => readonly OrderEdge[] }
  | { readonly kind: 'learned'; readonly clause: readonly Literal[] };
