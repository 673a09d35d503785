/** All clauses with at least two literals: given clauses, and learned clauses, which may be deleted. */
import { IntList } from '@isolab/graph';
import { Arena } from './arena.ts';
import type { Assignment } from '../state/assignment.ts';
import type { Lemmas } from './lemmas.ts';
import type { Literal } from '../state/literals.ts';
import type { Statistics } from '../state/options.ts';
import { Watches } from './watches.ts';

const KEPT_LBD = 2; // learned clauses with at most this many levels are kept ("glue")
const FIRST_REDUCTION = 2000; // conflicts
const MORE_PER_REDUCTION = 300;

export class Clauses {
  readonly arena = new Arena();
  readonly watches = new Watches();
  readonly #given = new IntList();
  readonly #learned = new IntList();
  readonly #assignment: Assignment;
  readonly #lemmas: Lemmas;
  readonly #statistics: Statistics;
  #nextReduction = FIRST_REDUCTION;
  #reductions = 0;
  #simplifiedFacts = 0;

  constructor(assignment: Assignment, lemmas: Lemmas, statistics: Statistics) {
    this.#assignment = assignment;
    this.#lemmas = lemmas;
    this.#statistics = statistics;
  }

  give(literals: ArrayLike<Literal>, size: number): void {
    const ref = this.arena.add(literals, size, 0);
    this.#given.push(ref);
    this.watches.attach(this.arena, ref);
  }

  /**
   * Adds a learned clause. Its first two literals are watched: the asserting literal, and a literal of the highest
   * level among the others.
   */
  learn(literals: ArrayLike<Literal>, size: number, lbd: number): number {
    const ref = this.arena.add(literals, size, lbd);
    this.#learned.push(ref);
    this.watches.attach(this.arena, ref);
    this.#statistics.learned++;
    return ref;
  }

  /** Adds a temporary clause: a conflict from which a better clause is learned, or a clause with one literal. */
  addUnwatched({ items, length }: IntList): number {
    const ref = this.arena.add(items, length, 0);
    this.arena.delete(ref);
    return ref;
  }

  isReductionDue(): boolean {
    return this.#statistics.conflicts >= this.#nextReduction;
  }

  /**
   * Deletes, at level 0, satisfied clauses and half of the learned clauses that were not used recently (as in Glucose).
   */
  reduce(): void {
    const { arena } = this;
    this.#reductions++;
    this.#nextReduction = this.#statistics.conflicts + FIRST_REDUCTION + MORE_PER_REDUCTION * this.#reductions;
    if (this.#assignment.size > this.#simplifiedFacts) {
      this.#simplifiedFacts = this.#assignment.size;
      this.#deleteSatisfied(this.#given);
      this.#deleteSatisfied(this.#learned);
    }

    const unused: number[] = [];
    for (let i = 0; i < this.#learned.length; i++) {
      const ref = this.#learned.items[i];
      const lbd = arena.lbd(ref);
      if (arena.isDeleted(ref) || lbd <= KEPT_LBD) continue;
      const uses = arena.uses(ref);
      if (uses > 0) arena.setTag(ref, lbd, uses - 1);
      else unused.push(ref);
    }
    const { words } = arena;
    unused.sort((a, b) => arena.lbd(b) - arena.lbd(a) || words[b] - words[a] || a - b);
    for (let i = 0; i < unused.length >> 1; i++) this.#delete(unused[i]);
    if (arena.wasted > 0) this.#compact();
  }

  #deleteSatisfied(list: IntList): void {
    for (let i = 0; i < list.length; i++) if (this.#isSatisfied(list.items[i])) this.#delete(list.items[i]);
  }

  #isSatisfied(ref: number): boolean {
    const { values } = this.#assignment;
    const { words } = this.arena;
    for (let at = ref + 2, end = at + words[ref]; at < end; at++) if (values[words[at]] > 0) return true;
    return false;
  }

  #delete(ref: number): void {
    if (this.arena.lbd(ref) > 0) {
      this.#statistics.deleted++;
      if (this.#lemmas.isTraced) this.#lemmas.deleted(this.arena.literals(ref));
    }
    this.arena.delete(ref);
  }

  #compact(): void {
    const { arena } = this;
    const numWords = arena.end;
    const isGone = new Uint8Array(numWords);
    for (const list of [this.#given, this.#learned]) {
      for (let i = 0; i < list.length; i++) if (arena.isDeleted(list.items[i])) isGone[list.items[i]] = 1;
    }
    const old = arena.compact();
    for (const list of [this.#given, this.#learned]) {
      let kept = 0;
      for (let i = 0; i < list.length; i++) if (!isGone[list.items[i]]) list.items[kept++] = old[list.items[i]];
      list.length = kept;
    }
    this.watches.relocate(old, (ref) => isGone[ref] === 1);
  }
}
