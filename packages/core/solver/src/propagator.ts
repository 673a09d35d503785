/**
 * Unit propagation for a search that decides, learns and takes back by itself. `assign` queues a literal, `propagate`
 * empties the queue and reports every literal that follows, and `unassign` takes values back in any order.
 */
import { Arena, TAG } from './clauses/arena.ts';
import { Assignment, NO_REASON } from './state/assignment.ts';
import type { Literal } from './state/literals.ts';
import { propagate } from './clauses/propagate.ts';
import { Watches } from './clauses/watches.ts';

export class Propagator {
  readonly #assignment = new Assignment(); // its trail is the queue
  readonly #arena = new Arena();
  readonly #watches = new Watches();

  newVariable(): number {
    const variable = this.#assignment.addVariable();
    this.#watches.addVariable(variable);
    return variable;
  }

  isSet(variable: number): boolean {
    return this.#assignment.values[2 * variable] !== 0;
  }

  isTrue(literal: Literal): boolean {
    return this.#assignment.values[literal] > 0;
  }

  isFalse(literal: Literal): boolean {
    return this.#assignment.values[literal] < 0;
  }

  /** Returns the true literal of a variable, or −1. */
  trueLiteral(variable: number): Literal {
    const value = this.#assignment.values[2 * variable];
    return value === 0 ? -1 : 2 * variable + (value > 0 ? 0 : 1);
  }

  /** Adds a clause that follows from a step of a proof. Watches its first two literals, which became false last. */
  addClause(literals: ArrayLike<Literal>, step: number): number {
    const clause = this.#arena.add(literals, literals.length, 0);
    this.#arena.words[clause + TAG] = step;
    // Without the short form of two literals, whose clauses do not keep the order in which their literals became false.
    this.#watches.push(literals[0] ^ 1, clause, literals[1]);
    this.#watches.push(literals[1] ^ 1, clause, literals[0]);
    return clause;
  }

  literalsOf(clause: number): Literal[] {
    return this.#arena.literals(clause);
  }

  stepOf(clause: number): number {
    return this.#arena.words[clause + TAG];
  }

  /** Returns the clause that implied a true literal, or 0. */
  reasonOf(literal: Literal): number {
    return this.#assignment.reason[literal >> 1];
  }

  assign(literal: Literal, reason: number = NO_REASON): void {
    this.#assignment.assign(literal, reason);
  }

  /** Makes a literal true that no clause contains yet. */
  enter(literal: Literal): void {
    this.assign(literal);
    this.#assignment.size--;
  }

  unassign(variable: number): void {
    const { values } = this.#assignment;
    values[2 * variable] = values[2 * variable + 1] = 0;
  }

  /** Forgets unpropagated literals, because they are about to be taken back. */
  clearQueue(): void {
    this.#assignment.size = this.#assignment.head = 0;
  }

  /** Calls `imply` for each literal that follows; returns a clause whose literals are all false, or 0. */
  propagate(imply: (literal: Literal) => void): number {
    const assignment = this.#assignment;
    const queued = assignment.size;
    const conflict = propagate(assignment, this.#arena, this.#watches);
    for (let i = queued; i < assignment.size; i++) imply(assignment.trail[i]);
    this.clearQueue();
    return conflict;
  }
}
