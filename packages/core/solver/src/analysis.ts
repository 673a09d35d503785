/** Learns the clause of the first unique implication point (Zhang et al. 2001), minimised (Sörensson & Biere 2009). */
import { IntList, grown } from '@isolab/graph';
import { LITERALS } from './clauses/arena.ts';
import type { Assignment } from './state/assignment.ts';
import { NO_REASON } from './state/assignment.ts';
import type { Clauses } from './clauses/clauses.ts';
import type { Decisions } from './decisions.ts';
import type { Lemmas } from './clauses/lemmas.ts';
import type { Literal } from './state/literals.ts';
import type { Acyclicity } from './theory/acyclicity.ts';

export class Analysis {
  /** Learned clause: first the asserting literal, then a literal of the highest level among the others. */
  readonly learned = new IntList();
  /** Level to backtrack to. */
  level = 0;
  /** Number of levels in the learned clause. */
  lbd = 0;
  /** Whether the learned clause equals the conflict clause. */
  isConflict = false;
  readonly #assignment: Assignment;
  readonly #clauses: Clauses;
  readonly #decisions: Decisions;
  readonly #theory: Acyclicity;
  readonly #lemmas: Lemmas;
  #seen: Uint8Array = new Uint8Array(0); // by variable
  #levelMark: Int32Array = new Int32Array(1); // by level: the last count that met it
  #mark = 0;
  readonly #toClear = new IntList();
  readonly #stack = new IntList();

  constructor(assignment: Assignment, clauses: Clauses, decisions: Decisions, theory: Acyclicity, lemmas: Lemmas) {
    this.#assignment = assignment;
    this.#clauses = clauses;
    this.#decisions = decisions;
    this.#theory = theory;
    this.#lemmas = lemmas;
  }

  addVariable(variable: number): void {
    this.#seen = grown(this.#seen, variable + 1);
  }

  /** Precondition: all literals of the clause are false, at least one of them since the current level. */
  run(conflict: number): void {
    const { level, trail, decisionLevel } = this.#assignment;
    this.#levelMark = grown(this.#levelMark, decisionLevel + 1);
    const seen = this.#seen;
    const { learned } = this;
    const toClear = this.#toClear;
    learned.length = toClear.length = 0;
    learned.push(-1); // index of the asserting literal

    let open = 0; // seen literals of the current level that are not resolved yet
    let at = this.#assignment.size - 1;
    let clause = conflict;
    let p = -1;
    do {
      this.#use(clause);
      const { words } = this.#clauses.arena;
      for (let i = clause + LITERALS, end = i + words[clause]; i < end; i++) {
        const q = words[i];
        const variable = q >> 1;
        if (seen[variable] === 1 || level[variable] === 0 || q === p) continue;
        seen[variable] = 1;
        toClear.push(variable);
        this.#decisions.bump(variable);
        if (level[variable] >= decisionLevel) open++;
        else learned.push(q);
      }
      while (seen[trail[at] >> 1] === 0 || level[trail[at] >> 1] < decisionLevel) at--;
      p = trail[at--];
      open--;
      if (open > 0) clause = this.#reasonOf(p);
    } while (open > 0);
    learned.items[0] = p ^ 1;
    const isResolved = clause !== conflict;

    this.#minimize();
    this.#measure();
    this.isConflict = !isResolved && learned.length === this.#clauses.arena.words[conflict];
    for (let i = 0; i < toClear.length; i++) seen[toClear.items[i]] = 0;
  }

  /** Marks a learned clause as used: it is kept longer, and its LBD is updated. */
  #use(ref: number): void {
    const { arena } = this.#clauses;
    const lbd = arena.lbd(ref);
    if (lbd <= 0) return;
    const now =
      lbd > 2 ? Math.min(lbd, this.#countLevels(arena.words, ref + LITERALS, ref + LITERALS + arena.words[ref])) : lbd;
    arena.setTag(ref, now, now <= 6 ? 2 : 1);
  }

  #countLevels(literals: Int32Array, begin: number, end: number): number {
    const { level } = this.#assignment;
    const marks = this.#levelMark;
    const mark = ++this.#mark;
    let count = 0;
    for (let i = begin; i < end; i++) {
      const l = level[literals[i] >> 1];
      if (marks[l] === mark) continue;
      marks[l] = mark;
      count++;
    }
    return count;
  }

  /** Returns the clause that makes a literal true; the clause of a cycle is created only now. */
  #reasonOf(literal: Literal): number {
    const { reason } = this.#assignment;
    const why = reason[literal >> 1];
    if (why >= 0) return why;
    this.#theory.explain(~why);
    this.#lemmas.takeCycle();
    const { clause } = this.#lemmas;
    this.#putHighestSecond(clause);
    const ref =
      clause.length === 1
        ? this.#clauses.addUnwatched(clause)
        : this.#clauses.learn(clause.items, clause.length, this.#countLevels(clause.items, 0, clause.length));
    reason[literal >> 1] = ref;
    return ref;
  }

  /** Removes literals that are false because of the other literals of the learned clause. */
  #minimize(): void {
    const { learned } = this;
    const { reason } = this.#assignment;
    this.#countLevels(learned.items, 0, learned.length); // marks the levels for #isImplied
    let kept = 1;
    for (let i = 1; i < learned.length; i++) {
      const q = learned.items[i];
      if (reason[q >> 1] > NO_REASON && this.#isImplied(q)) continue;
      learned.items[kept++] = q;
    }
    learned.length = kept;
  }

  /** Returns whether all reasons for a false literal lead back to seen literals (MiniSat's litRedundant). */
  #isImplied(literal: Literal): boolean {
    const { level, reason } = this.#assignment;
    const { words } = this.#clauses.arena;
    const seen = this.#seen;
    const marks = this.#levelMark;
    const mark = this.#mark;
    const stack = this.#stack;
    const toClear = this.#toClear;
    const before = toClear.length;
    stack.length = 0;
    stack.push(literal >> 1);
    while (stack.length > 0) {
      const clause = reason[stack.items[--stack.length]];
      for (let i = clause + LITERALS, end = i + words[clause]; i < end; i++) {
        const variable = words[i] >> 1;
        if (seen[variable] === 1 || level[variable] === 0) continue;
        if (reason[variable] <= NO_REASON || marks[level[variable]] !== mark) {
          while (toClear.length > before) seen[toClear.items[--toClear.length]] = 0;
          return false;
        }
        seen[variable] = 1;
        toClear.push(variable);
        stack.push(variable);
      }
    }
    return true;
  }

  #measure(): void {
    const { learned } = this;
    this.#putHighestSecond(learned);
    this.lbd = this.#countLevels(learned.items, 0, learned.length);
    this.level = learned.length === 1 ? 0 : this.#assignment.level[learned.items[1] >> 1];
  }

  #putHighestSecond({ items, length }: IntList): void {
    const { level } = this.#assignment;
    let highest = 1;
    for (let i = 2; i < length; i++) if (level[items[i] >> 1] > level[items[highest] >> 1]) highest = i;
    if (length < 2) return;
    const literal = items[highest];
    items[highest] = items[1];
    items[1] = literal;
  }

  /** Returns the assumptions that make a literal true, in their original form; all decisions are assumptions. */
  assumptionsBehind(literal: Literal): Literal[] {
    const { level, trail, levelStart, decisionLevel } = this.#assignment;
    const seen = this.#seen;
    const found: Literal[] = [];
    if (decisionLevel === 0 || level[literal >> 1] === 0) return found;
    this.#levelMark = grown(this.#levelMark, decisionLevel + 1);
    seen[literal >> 1] = 1;
    for (let at = this.#assignment.size - 1; at >= levelStart[0]; at--) {
      const variable = trail[at] >> 1;
      if (seen[variable] === 0) continue;
      seen[variable] = 0;
      const clause = this.#reasonOf(trail[at]);
      if (clause === NO_REASON) {
        found.push(trail[at]);
        continue;
      }
      const { words } = this.#clauses.arena;
      for (let i = clause + LITERALS, end = i + words[clause]; i < end; i++) {
        const other = words[i] >> 1;
        if (other !== variable && level[other] > 0) seen[other] = 1;
      }
    }
    return found;
  }
}
