/**
 * Variables for the writers that reads saw, and clauses over them, in the solver's literals. A read gets its variables
 * only when a cycle names it; until then it sees the writer of the guess. Clauses on reads of an optional transaction
 * hold for each of the sightings that show that it happened.
 */
import type { Edge, ProofStep } from '@isolab/contract';
import { addTo } from '@isolab/graph';
import { NO_SOURCE } from '@isolab/graph/relations';
import { ProofTrace, Solver, type TraceStep } from '@isolab/solver';
import { type OpenRead, type OpenReads, byPreference } from './open-reads.ts';

/** Reason why a clause must hold: a proof step without its clause. */
export type Ground =
  | { readonly kind: 'cycle'; readonly edges: readonly Edge[] }
  | { readonly kind: 'candidates'; readonly read: number }
  | Omit<Extract<ProofStep, { kind: 'internal' }>, 'clause'>;

export interface GroundedClause {
  readonly clause: readonly number[];
  readonly ground: Ground;
}

/** Meaning of a variable: a read of a transaction that happened saw this writer. */
export interface Sighting {
  readonly read: OpenRead;
  readonly writer: number;
}

/** An edge of the graph that must stay acyclic, and the sightings that it rests on. */
export interface Premise {
  readonly edge: Edge;
  readonly sightings: readonly Sighting[];
}

/** Keeps the cycles of a proof, each as the numbers of its edges. */
class Cycles extends ProofTrace {
  readonly found: (readonly number[])[] = [];

  override add(step: TraceStep): void {
    if (step.kind === 'cycle') this.found.push(step.edges);
  }
}

export class Choices {
  readonly sightings: Sighting[] = []; // by variable
  readonly #clauses: GroundedClause[] = [];
  readonly #cycles = new Cycles();
  readonly #edges: Premise[] = []; // by edge of the graph
  readonly #isKnown = new Set<string>();
  readonly #graph: number;
  readonly #open: OpenReads;
  readonly #solver: Solver;
  readonly #named: (ReadonlyMap<number, number> | undefined)[]; // by open read: its variables by writer
  readonly #seenBy = new Map<number, number[]>(); // variables of the sightings of each optional transaction
  #isContradictory = false;

  constructor(open: OpenReads, onTick: (steps: number) => void) {
    this.#open = open;
    this.#named = Array.from({ length: open.reads.length });
    this.#solver = new Solver({ onTick, trace: this.#cycles });
    this.#graph = this.#solver.addGraph(open.rank.length + 1);
  }

  /** Returns the clauses on sightings: all candidates of reads, and the cycles found so far. */
  clauses(): GroundedClause[] {
    const cycles = this.#cycles.found.map((numbers): GroundedClause => {
      const premises = numbers.map((number) => this.#edges[number]!);
      const denied = premises.flatMap(({ sightings }) => sightings.map((one) => this.#literalOf(one) + 1));
      return { clause: [...new Set(denied)], ground: { kind: 'cycle', edges: premises.map(({ edge }) => edge) } };
    });
    return [...this.#clauses, ...cycles];
  }

  /** Finds a possible writer for every named read. Returns false if that is impossible. */
  solve(): boolean {
    return !this.#isContradictory && this.#solver.solve() === 'satisfiable';
  }

  isNamed(read: OpenRead): boolean {
    return this.#named[read.number] !== undefined;
  }

  /** Returns the writer that a named read saw according to the solver; NO_SOURCE if its reader did not happen. */
  sourceOf(read: OpenRead): number {
    for (const [writer, variable] of this.#named[read.number]!)
      if (this.#solver.value(variable) && !this.#open.impossible.has(writer)) return writer;
    return NO_SOURCE;
  }

  /** Creates the variables of a read, unless it has them. */
  name(read: OpenRead): ReadonlyMap<number, number> {
    const known = this.#named[read.number];
    if (known) return known;
    const { reader, version } = read;
    const impossible = version.impossible.filter((t) => t !== reader);
    const writers = [...byPreference(reader, version, this.#open.rank), ...impossible];
    const variables = new Map<number, number>();
    for (const writer of writers) variables.set(writer, -1);
    // The solver makes earlier variables false first.
    for (const writer of writers.toReversed()) {
      const variable = this.#solver.newVariable();
      this.sightings[variable] = { read, writer };
      variables.set(writer, variable);
    }
    this.#named[read.number] = variables;
    this.#addCandidates(read);
    for (const [writer, variable] of variables) if (this.#open.optional[writer] === 1) this.#addSeen(writer, variable);
    return variables;
  }

  /** Adds edges that hold if all of their sightings do. An edge with several sightings gets a variable of its own. */
  addEdges(premises: readonly Premise[]): void {
    for (const premise of premises) {
      const { from, to } = premise.edge;
      const literals = premise.sightings.map((one) => this.#literalOf(one));
      const name = `${from} ${to} ${literals.toSorted((a, b) => a - b).join()}`;
      if (this.#isKnown.has(name)) continue;
      this.#isKnown.add(name);
      const edge = this.#solver.addEdge(this.#graph, from + 1, to + 1, this.#all(literals));
      this.#edges[edge] = premise;
    }
  }

  /** Returns a literal that is true if these are; none if there are none. */
  #all(literals: readonly number[]): number | undefined {
    if (literals.length < 2) return literals[0];
    const literal = 2 * this.#solver.newVariable({ decision: false });
    this.#solver.addClause([literal, ...literals.map((one) => one + 1)]);
    return literal;
  }

  #literalOf({ read, writer }: Sighting): number {
    return 2 * this.name(read).get(writer)!;
  }

  #addCandidates(read: OpenRead): void {
    if (this.#open.optional[read.reader] === 0) return this.#addCandidatesIf(read, null);
    for (const variable of this.#seenBy.get(read.reader) ?? []) this.#addCandidatesIf(read, variable);
  }

  #addCandidatesIf(read: OpenRead, seen: number | null): void {
    const clause = Array.from(this.#named[read.number]!.values(), (variable) => 2 * variable);
    if (seen !== null) clause.push(2 * seen + 1);
    this.#add(clause, { kind: 'candidates', read: read.operations[0]! });
  }

  #addSeen(t: number, variable: number): void {
    const anomaly = this.#open.impossible.get(t);
    if (anomaly) {
      const { name, read, other } = anomaly;
      this.#add([2 * variable + 1], { kind: 'internal', anomaly: name, read, other });
      return;
    }
    addTo(this.#seenBy, t, variable);
    const { reads, start } = this.#open;
    for (let i = start[t]; i < start[t + 1]; i++)
      if (this.isNamed(reads[i]!)) this.#addCandidatesIf(reads[i]!, variable);
  }

  #add(clause: readonly number[], ground: Ground): void {
    this.#clauses.push({ clause, ground });
    if (!this.#solver.addClause(clause)) this.#isContradictory = true;
  }
}
