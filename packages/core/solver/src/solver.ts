/** Finds an assignment that satisfies all clauses and makes graphs acyclic whose edges depend on literals. */
import { IntList, grown } from '@isolab/graph';
import { Analysis } from './analysis.ts';
import { LITERALS } from './clauses/arena.ts';
import { Assignment, NO_REASON } from './state/assignment.ts';
import { Clauses } from './clauses/clauses.ts';
import { Clock } from './state/clock.ts';
import { Decisions } from './decisions.ts';
import { Lemmas } from './clauses/lemmas.ts';
import type { Literal } from './state/literals.ts';
import {
  type GraphOptions,
  type SolverOptions,
  type Statistics,
  type VariableOptions,
  zeroStatistics,
} from './state/options.ts';
import { highestLevel, propagate } from './clauses/propagate.ts';
import { Restarts } from './restarts.ts';
import { Acyclicity } from './theory/acyclicity.ts';
import { ALWAYS } from './theory/edges.ts';

export type Verdict = 'satisfiable' | 'unsatisfiable' | 'unknown';

export class Solver {
  readonly statistics: Statistics = zeroStatistics();
  readonly #clock: Clock;
  readonly #assignment = new Assignment();
  readonly #theory: Acyclicity;
  readonly #lemmas: Lemmas;
  readonly #clauses: Clauses;
  readonly #decisions: Decisions;
  readonly #analysis: Analysis;
  readonly #restarts: Restarts;
  readonly #given = new IntList(); // the clause being added
  #isIn: Uint8Array = new Uint8Array(0); // by literal: whether that clause contains it
  readonly #far: number;
  #isUnsatisfiable = false;
  readonly #release = (literal: Literal): void => this.#decisions.release(literal);
  #tracedFacts = 0; // number of level-0 literals that are already in the proof
  #model: Int8Array | null = null; // by literal
  #failed: Literal[] = [];

  constructor(options: SolverOptions = {}) {
    this.#far = options.chronological ?? FAR;
    this.#clock = new Clock(options.onTick);
    this.#theory = new Acyclicity(this.#assignment, this.statistics, this.#clock);
    this.#lemmas = new Lemmas(this.#theory, options.trace);
    this.#clauses = new Clauses(this.#assignment, this.#lemmas, this.statistics);
    this.#decisions = new Decisions(this.#assignment, this.#theory, options.seed);
    this.#analysis = new Analysis(this.#assignment, this.#clauses, this.#decisions, this.#theory, this.#lemmas);
    this.#restarts = new Restarts();
  }

  get numVariables(): number {
    return this.#assignment.numVariables;
  }

  newVariable({ decision = true }: VariableOptions = {}): number {
    const variable = this.#assignment.addVariable();
    this.#isIn = grown(this.#isIn, 2 * variable + 2);
    this.#clauses.watches.addVariable(variable);
    this.#theory.addVariable(variable);
    this.#lemmas.addVariable(variable);
    this.#analysis.addVariable(variable);
    this.#decisions.addVariable(variable, decision);
    return variable;
  }

  /** Adds a clause: at least one of the literals must be true. Returns false once the clauses cannot be satisfied. */
  addClause(literals: ArrayLike<Literal>): boolean {
    if (this.#isUnsatisfiable) return false;
    for (let i = 0; i < literals.length; i++) this.#checkLiteral(literals[i]);
    const clause = this.#given;
    if (this.#simplify(literals, clause)) return true;
    if (clause.length > 1) {
      this.#clauses.give(clause.items, clause.length);
      return true;
    }
    if (clause.length === 0) return this.#refute();
    this.#assignment.assign(clause.items[0], NO_REASON);
    return this.#propagateClauses() === 0 || this.#refute();
  }

  /** Removes duplicate literals and literals that are always false. Returns whether the clause is always true. */
  #simplify(literals: ArrayLike<Literal>, clause: IntList): boolean {
    const { values } = this.#assignment;
    const isIn = this.#isIn;
    let isTrue = false;
    clause.length = 0;
    for (let i = 0; i < literals.length && !isTrue; i++) {
      const p = literals[i];
      isTrue = values[p] > 0 || isIn[p ^ 1] === 1;
      if (values[p] !== 0 || isIn[p] === 1) continue;
      isIn[p] = 1;
      clause.push(p);
    }
    for (let i = 0; i < clause.length; i++) isIn[clause.items[i]] = 0;
    return isTrue;
  }

  /** Adds a graph without edges that must stay acyclic; its nodes are numbered from 0. */
  addGraph(numNodes: number, { weightLimit }: GraphOptions = {}): number {
    return this.#theory.addGraph(numNodes, weightLimit ?? 0);
  }

  /** Adds an edge that is present if its literal is true, or always without a literal. Returns its number. */
  addEdge(graph: number, from: number, to: number, literal?: Literal, weight: 0 | 1 = 0): number {
    const { graphs } = this.#theory.edges;
    if (graphs[graph] === undefined) throw new RangeError(`Got graph ${graph}, expected one of ${graphs.length}`);
    const { numNodes, weightLimit } = graphs[graph];
    if (!(from >= 0 && from < numNodes)) throw new RangeError(`Got node ${from}, expected one of ${numNodes}`);
    if (!(to >= 0 && to < numNodes)) throw new RangeError(`Got node ${to}, expected one of ${numNodes}`);
    if (literal !== undefined) this.#checkLiteral(literal);
    return this.#theory.addEdge(graph, from, to, literal ?? ALWAYS, weightLimit === 1 ? weight : 0);
  }

  /** Solves under assumptions that hold for this call only. Returns `unknown` after `maxConflicts` conflicts. */
  solve(assumptions: ArrayLike<Literal> = [], maxConflicts: number = Infinity): Verdict {
    this.#model = null;
    this.#failed = [];
    for (let i = 0; i < assumptions.length; i++) this.#checkLiteral(assumptions[i]);
    if (this.#isUnsatisfiable) return 'unsatisfiable';
    try {
      if (!this.#theory.prepare()) {
        this.#lemmas.takeCycle();
        this.#refute();
        return 'unsatisfiable';
      }
      return this.#search(assumptions, this.statistics.conflicts + maxConflicts);
    } finally {
      this.#backtrack(0);
    }
  }

  /**
   * Returns whether a variable is true in the model. False for variables that are left open because the solver neither
   * may nor must decide them.
   */
  value(variable: number): boolean {
    return this.#inModel()[2 * variable] > 0;
  }

  /**
   * Returns the assumptions that contradict the clauses and graphs; empty if the clauses and graphs alone are
   * contradictory.
   */
  failed(): Literal[] {
    return this.#failed;
  }

  /**
   * Returns the nodes of a graph in an order such that each edge in the model leads forward (in weighted graphs, each
   * edge of weight 0).
   */
  order(graph: number): Int32Array {
    this.#inModel();
    return this.#theory.order(graph);
  }

  #inModel(): Int8Array {
    if (this.#model === null) throw new Error('There is no model: the last solve() did not return satisfiable');
    return this.#model;
  }

  #checkLiteral(literal: Literal): void {
    if (!(literal >= 0 && literal < 2 * this.#assignment.numVariables)) {
      throw new RangeError(`Got literal ${literal}, expected one of ${this.#assignment.numVariables} variables`);
    }
  }

  #search(assumptions: ArrayLike<Literal>, mostConflicts: number): Verdict {
    const { statistics } = this;
    const assignment = this.#assignment;
    for (;;) {
      this.#clock.tick();
      const conflict = this.#propagate();
      if (conflict !== 0) {
        statistics.conflicts++;
        if (this.#learnFrom(conflict)) continue;
        this.#refute();
        return 'unsatisfiable';
      }
      if (assignment.decisionLevel === 0) this.#traceFacts();
      if (statistics.conflicts > mostConflicts) return 'unknown';
      if (this.#clauses.isReductionDue()) {
        this.#backtrack(0);
        this.#traceFacts();
        this.#clauses.reduce();
        continue;
      }
      if (this.#restarts.isDue()) this.#restart(assumptions.length);

      const literal = this.#nextLiteral(assumptions);
      if (literal === SATISFIED) {
        this.#model = assignment.values.slice(0, 2 * assignment.numVariables);
        return 'satisfiable';
      }
      if (literal === FAILED) return 'unsatisfiable';
      assignment.newLevel();
      assignment.assign(literal, NO_REASON);
    }
  }

  /** Returns the next assumption that is not true yet, or a decision. */
  #nextLiteral(assumptions: ArrayLike<Literal>): Literal | typeof SATISFIED | typeof FAILED {
    const assignment = this.#assignment;
    while (assignment.decisionLevel < assumptions.length) {
      const literal = assumptions[assignment.decisionLevel];
      const value = assignment.values[literal];
      if (value === 0) return literal;
      if (value < 0) {
        this.#failed = [literal, ...this.#analysis.assumptionsBehind(literal ^ 1)];
        this.#lemmas.learned(this.#failed.map((p) => p ^ 1));
        return FAILED;
      }
      assignment.newLevel(); // keeps levels and assumptions aligned
    }
    const literal = this.#decisions.next();
    if (literal < 0) return SATISFIED;
    this.statistics.decisions++;
    return literal;
  }

  /** Propagates clauses, then edges, until nothing changes. Returns a clause whose literals are all false, or 0. */
  #propagate(): number {
    const assignment = this.#assignment;
    for (;;) {
      const conflict = this.#propagateClauses();
      if (conflict !== 0) return conflict;
      if (!this.#theory.propagate()) {
        this.statistics.theoryConflicts++;
        this.#lemmas.takeCycle();
        return this.#clauses.addUnwatched(this.#lemmas.clause);
      }
      if (assignment.head === assignment.size) return 0;
    }
  }

  #propagateClauses(): number {
    const before = this.#assignment.size;
    const { arena, watches } = this.#clauses;
    const waiting = before - this.#assignment.head;
    const conflict = propagate(this.#assignment, arena, watches);
    const count = this.#assignment.size - before + waiting;
    this.statistics.propagations += count;
    this.#clock.count(count);
    return conflict;
  }

  /** Learns from a conflict. Returns false if the conflict consists of facts. */
  #learnFrom(conflict: number): boolean {
    const analysis = this.#analysis;
    const { learned } = analysis;
    const { words } = this.#clauses.arena;
    const begin = conflict + LITERALS;
    const level = highestLevel(this.#assignment.level, words, begin, begin + words[conflict]);
    this.#backtrack(level);
    if (level === 0) return false;
    analysis.run(conflict);
    // The proof already contains the clause of a cycle; a given clause may be learned because its copy can be deleted.
    const isKnown = analysis.isConflict && this.#clauses.arena.isDeleted(conflict);
    if (this.#lemmas.isTraced && !isKnown) this.#lemmas.learned(Array.from(learned.view()));
    this.#backtrack(level - analysis.level > this.#far ? level - 1 : analysis.level);
    const reason = learned.length === 1 ? NO_REASON : this.#clauses.learn(learned.items, learned.length, analysis.lbd);
    this.#assignment.assign(learned.items[0], reason, analysis.level);
    this.#restarts.learned(analysis.lbd);
    this.#decisions.decay();
    return true;
  }

  /** Restarts, but keeps levels whose decisions would be repeated (van der Tak, Ramos & Heule 2011). */
  #restart(numAssumptions: number): void {
    const { levelStart, trail } = this.#assignment;
    const best = this.#decisions.bestActivity();
    let level = Math.min(numAssumptions, this.#assignment.decisionLevel);
    while (level < this.#assignment.decisionLevel && this.#decisions.activity(trail[levelStart[level]] >> 1) > best) {
      level++;
    }
    this.#backtrack(level);
    this.#restarts.restarted();
    this.statistics.restarts++;
  }

  #backtrack(level: number): void {
    const assignment = this.#assignment;
    if (assignment.decisionLevel <= level) return;
    this.#theory.backtrack(assignment.levelStart[level]);
    assignment.backtrack(level, this.#release);
  }

  /** Adds the facts implied at level 0 to the proof; clauses that they satisfy may then be deleted. */
  #traceFacts(): void {
    const { trail, reason, size } = this.#assignment;
    for (; this.#tracedFacts < size; this.#tracedFacts++) {
      const literal = trail[this.#tracedFacts];
      const why = reason[literal >> 1];
      if (why < 0) {
        this.#theory.explain(~why);
        this.#lemmas.takeCycle();
      }
      if (why !== NO_REASON) this.#lemmas.learned([literal]);
      reason[literal >> 1] = NO_REASON;
    }
  }

  /** Completes the proof. */
  #refute(): false {
    this.#traceFacts();
    this.#lemmas.learned([]);
    this.#isUnsatisfiable = true;
    return false;
  }
}

const FAR = 100; // levels
const SATISFIED = -1;
const FAILED = -2;
