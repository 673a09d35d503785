import { type BeginCommitPolygraph, EdgeKind, KnownEdges, beginOf, commitOf, keyOfVersion } from '@isolab/polygraph';
import { type Literal, Solver, type SolverOptions, negative, positive } from '@isolab/solver';
import type { Pruned } from './heuristic-pruning.ts';
import { PairTable } from './pair-table.ts';

/** Input of solvers in addition to the known edges: variables, the edges that depend on them, and clauses. */
export interface Encoding {
  readonly polygraph: BeginCommitPolygraph;
  /** Pairs of transactions whose order is a choice, made once for all keys that both write. */
  readonly choices: PairTable;
  /** For each choice, a key that both transactions write. */
  readonly choiceKey: readonly number[];
  /** Literal of the choice of each variable: 2 · choice, or 2 · choice + 1 if the second transaction comes first. */
  readonly meaning: readonly number[];
  readonly edges: KnownEdges;
  /** Literal that each edge depends on, or ALWAYS. */
  readonly literals: readonly number[];
  /** Clauses of two literals each, side by side. */
  readonly clauses: readonly Literal[];
}

const ALWAYS = -1;

/** Creates a variable for each choice or, as in Figure 4, for each edge of a choice, exactly one of them true. */
export function encode(polygraph: BeginCommitPolygraph, pruned: Pruned, coalesce: boolean): Encoding {
  const encoder = new Encoder(polygraph);
  const { settled, open } = pruned;
  for (let i = 0; i < settled.length; i += 2) encoder.addSettled(settled[i], settled[i + 1]);
  for (let i = 0; i < open.length; i += 2) {
    if (coalesce) encoder.addChoice(open[i], open[i + 1]);
    else encoder.addPair(open[i], open[i + 1]);
  }
  return encoder;
}

class Encoder implements Encoding {
  readonly polygraph: BeginCommitPolygraph;
  readonly choices = new PairTable();
  readonly choiceKey: number[] = [];
  readonly meaning: number[] = [];
  readonly edges = new KnownEdges();
  readonly literals: number[] = [];
  readonly clauses: Literal[] = [];
  readonly #firstVariable: number[] = []; // by choice

  constructor(polygraph: BeginCommitPolygraph) {
    this.polygraph = polygraph;
  }

  addSettled(a: number, b: number): void {
    this.#addOrder(a, b, ALWAYS);
    this.#addOverwrites(a, b, ALWAYS);
  }

  /** Adds a variable that is true if chain `a` comes first. */
  addChoice(a: number, b: number): void {
    const known = this.choices.count;
    const choice = this.#choose(a, b);
    const variable = choice >> 1;
    if (variable === known) this.meaning.push(positive(variable));
    const ifFirst = positive(variable) ^ (choice & 1);
    if (variable === known || !this.#areSingle(a, b)) {
      this.#addOrder(a, b, ifFirst);
      this.#addOrder(b, a, ifFirst ^ 1);
    }
    this.#addOverwrites(a, b, ifFirst);
    this.#addOverwrites(b, a, ifFirst ^ 1);
  }

  /** Adds a variable for each edge, and constraints of two of them. Chains are single versions here. */
  addPair(a: number, b: number): void {
    const known = this.choices.count;
    const choice = this.#choose(a, b);
    if (choice >> 1 === known) {
      this.#firstVariable.push(this.meaning.length);
      this.meaning.push(choice, choice ^ 1);
      const first = positive(this.meaning.length - 2);
      const second = positive(this.meaning.length - 1);
      this.#addOrder(a, b, first);
      this.#addOrder(b, a, second);
      this.#exclude(first, second);
    }
    const forwards = positive(this.#firstVariable[choice >> 1]! + (choice & 1));
    const backwards = positive(this.#firstVariable[choice >> 1]! + 1 - (choice & 1));
    this.#addReaders(a, b, choice, backwards);
    this.#addReaders(b, a, choice ^ 1, forwards);
  }

  /** Each reader of version `a` begins before the writer of `b` commits, or `b` comes first. */
  #addReaders(a: number, b: number, meaning: number, otherwise: Literal): void {
    const { versions, chainHead } = this.polygraph;
    const { readerStart, reader, writer } = versions;
    const version = chainHead[a];
    const later = chainHead[b];
    for (let row = readerStart[version]; row < readerStart[version + 1]; row++) {
      if (reader[row] === writer[later]) continue;
      const literal = positive(this.meaning.length);
      this.meaning.push(meaning);
      this.#add(beginOf(reader[row]), commitOf(writer[later]), literal, EdgeKind.Overwrites, version, later);
      this.#exclude(literal, otherwise);
    }
  }

  #exclude(first: Literal, second: Literal): void {
    this.clauses.push(first, second, first ^ 1, second ^ 1);
  }

  /** Returns the literal of the choice between two chains that says that `a` comes first. */
  #choose(a: number, b: number): number {
    const { versions, chainHead } = this.polygraph;
    const first = versions.writer[chainHead[a]];
    const second = versions.writer[chainHead[b]];
    const known = this.choices.count;
    const choice = this.choices.number(Math.min(first, second), Math.max(first, second));
    if (choice === known) this.choiceKey.push(keyOfVersion(versions, chainHead[a]));
    return first < second ? positive(choice) : negative(choice);
  }

  #areSingle(a: number, b: number): boolean {
    const { chainHead, chainTail } = this.polygraph;
    return chainHead[a] === chainTail[a] && chainHead[b] === chainTail[b];
  }

  #addOrder(a: number, b: number, literal: number): void {
    const { versions, chainHead, chainTail } = this.polygraph;
    const tail = chainTail[a];
    const head = chainHead[b];
    this.#add(commitOf(versions.writer[tail]), beginOf(versions.writer[head]), literal, EdgeKind.Order, tail, head);
  }

  #addOverwrites(a: number, b: number, literal: number): void {
    const { versions, chainHead, chainTail, anchor } = this.polygraph;
    const tail = chainTail[a];
    const head = chainHead[b];
    const from = anchor[tail];
    const writer = versions.writer[head];
    if (from < 0 || from === beginOf(writer)) return;
    this.#add(from, commitOf(writer), literal, EdgeKind.Overwrites, tail, head);
  }

  #add(from: number, to: number, literal: number, kind: number, a: number, b: number): void {
    this.edges.add(from, to, kind, a, b);
    this.literals.push(literal);
  }
}

/** Creates a solver that knows the polygraph, with nodes numbered along the likely order. */
export function solverOf(encoding: Encoding, position: Int32Array, numNodes: number, options: SolverOptions): Solver {
  const solver = new Solver(options);
  const { polygraph, meaning, edges, literals, clauses } = encoding;
  for (let i = 0; i < meaning.length; i++) solver.newVariable();
  const graph = solver.addGraph(numNodes);
  const known = polygraph.edges.columns;
  for (let e = 0; e < known.count; e++) solver.addEdge(graph, position[known.from[e]], position[known.to[e]]);
  const { from, to, count } = edges.columns;
  for (let e = 0; e < count; e++) {
    const literal = literals[e]!;
    if (literal === ALWAYS) solver.addEdge(graph, position[from[e]], position[to[e]]);
    else solver.addEdge(graph, position[from[e]], position[to[e]], literal);
  }
  for (let i = 0; i < clauses.length; i += 2) solver.addClause([clauses[i]!, clauses[i + 1]!]);
  return solver;
}
