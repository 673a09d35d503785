/**
 * Variables for the writers that reads saw, and clauses over them, in the solver's literals. A read gets its variables
 * only when a cycle names it; until then it sees the writer of the guess. Clauses on reads of an optional transaction
 * hold for each of the sightings that show that it happened.
 */
import type { Edge, ProofStep } from '@isolab/contract';
import { addTo } from '@isolab/graph';
import { Solver } from '@isolab/solver';
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

export class Choices {
  readonly sightings: Sighting[] = []; // by variable
  readonly clauses: GroundedClause[] = [];
  readonly #open: OpenReads;
  readonly #solver: Solver;
  readonly #named = new Map<OpenRead, ReadonlyMap<number, number>>(); // variables of each read by writer
  readonly #seenBy = new Map<number, number[]>(); // variables of the sightings of each optional transaction
  #isContradictory = false;

  constructor(open: OpenReads, onTick: (steps: number) => void) {
    this.#open = open;
    this.#solver = new Solver({ onTick });
  }

  /** Finds a possible writer for every named read. Returns false if that is impossible. */
  solve(): boolean {
    return !this.#isContradictory && this.#solver.solve() === 'satisfiable';
  }

  isNamed(read: OpenRead): boolean {
    return this.#named.has(read);
  }

  /** Returns the writer that a named read saw according to the solver; null if its reader did not happen. */
  sourceOf(read: OpenRead): number | null {
    for (const [writer, variable] of this.#named.get(read)!)
      if (this.#solver.value(variable) && !this.#open.impossible.has(writer)) return writer;
    return null;
  }

  /** Creates the variables of a read, unless it has them. */
  name(read: OpenRead): ReadonlyMap<number, number> {
    const known = this.#named.get(read);
    if (known) return known;
    const writers = [...byPreference(read, this.#open), ...read.version.impossible.filter((t) => t !== read.reader)];
    const variables = new Map<number, number>();
    for (const writer of writers) variables.set(writer, -1);
    // The solver makes earlier variables false first.
    for (const writer of writers.toReversed()) {
      const variable = this.#solver.newVariable();
      this.sightings[variable] = { read, writer };
      variables.set(writer, variable);
    }
    this.#named.set(read, variables);
    this.#addCandidates(read);
    for (const [writer, variable] of variables) if (this.#open.optional[writer] === 1) this.#addSeen(writer, variable);
    return variables;
  }

  /** Adds that these sightings together close a cycle. */
  addCycle(sightings: readonly Sighting[], edges: readonly Edge[]): void {
    const clause = sightings.map(({ read, writer }) => 2 * this.name(read).get(writer)! + 1);
    this.#add(clause, { kind: 'cycle', edges });
  }

  #addCandidates(read: OpenRead): void {
    if (this.#open.optional[read.reader] === 0) return this.#addCandidatesIf(read, null);
    for (const variable of this.#seenBy.get(read.reader) ?? []) this.#addCandidatesIf(read, variable);
  }

  #addCandidatesIf(read: OpenRead, seen: number | null): void {
    const clause = Array.from(this.#named.get(read)!.values(), (variable) => 2 * variable);
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
      if (this.#named.has(reads[i]!)) this.#addCandidatesIf(reads[i]!, variable);
  }

  #add(clause: readonly number[], ground: Ground): void {
    this.clauses.push({ clause, ground });
    if (!this.#solver.addClause(clause)) this.#isContradictory = true;
  }
}
