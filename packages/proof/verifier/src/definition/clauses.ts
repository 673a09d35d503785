import { refuse } from '../verdict/flaw.ts';

/**
 * Clauses with unit propagation, using two watched literals per clause (Moskewicz et al., Chaff, DAC 2001). Literals
 * that hold without any assumption remain assigned. Clauses are therefore stored without permanently false literals,
 * and clauses with a true literal are not stored.
 * Literals are passed as v or −v for variables from 1. Internally they are 2v − 2 and 2v − 1, so that l ^ 1 is the
 * negation.
 */
export class Clauses {
  readonly #truth: Int8Array; // by literal: TRUE, FALSE or 0
  readonly #trail: Int32Array; // the true literals, in the order of their assignment
  #numTrue = 0;
  #propagated = 0; // number of literals of the trail that were propagated
  // Clauses that watch each literal, each followed by another of its literals. If this literal is true, the clause is
  // satisfied.
  readonly #watchers: number[][];
  #store = new Int32Array(1024); // clauses: number of literals, and the literals; the first two are watched
  #used = 0;
  #contradiction = false;
  #steps = 0;

  constructor(numVariables: number) {
    this.#truth = new Int8Array(2 * numVariables);
    this.#trail = new Int32Array(numVariables);
    this.#watchers = Array.from({ length: 2 * numVariables }, () => []);
  }

  /** Returns whether the denial of all literals of a clause leads to a contradiction by unit propagation. */
  imply(clause: readonly number[]): boolean {
    if (this.#contradiction) return true;
    const before = this.#numTrue;
    let contradiction = false;
    for (let i = 0; i < clause.length && !contradiction; i++) contradiction = !this.#set(literalOf(clause[i]!) ^ 1);
    contradiction ||= !this.#propagate();
    for (let i = before; i < this.#numTrue; i++) {
      const literal = this.#trail[i]!;
      this.#truth[literal] = this.#truth[literal ^ 1] = 0;
    }
    this.#numTrue = this.#propagated = before;
    return contradiction;
  }

  add(clause: readonly number[]): void {
    if (this.#contradiction) return;
    const literals = new Set<number>();
    for (const number of clause) {
      const literal = literalOf(number);
      const truth = this.#truth[literal];
      if (truth === TRUE || literals.has(literal ^ 1)) return;
      if (truth !== FALSE) literals.add(literal);
    }
    if (literals.size > 1) this.#watch([...literals]);
    else if (literals.size === 0) this.#contradiction = true;
    else {
      for (const literal of literals) this.#set(literal);
      this.#contradiction = !this.#propagate();
    }
  }

  #watch(literals: readonly number[]): void {
    const at = this.#used;
    this.#used += literals.length + 1;
    if (this.#used > this.#store.length) {
      const larger = new Int32Array(2 * this.#used);
      larger.set(this.#store);
      this.#store = larger;
    }
    this.#store[at] = literals.length;
    this.#store.set(literals, at + 1);
    this.#watchers[literals[0]!]!.push(at, literals[1]!);
    this.#watchers[literals[1]!]!.push(at, literals[0]!);
  }

  /** Makes a literal true. Returns false if it is already false. */
  #set(literal: number): boolean {
    if (this.#truth[literal] !== 0) return this.#truth[literal] === TRUE;
    this.#truth[literal] = TRUE;
    this.#truth[literal ^ 1] = FALSE;
    this.#trail[this.#numTrue++] = literal;
    return true;
  }

  /**
   * Propagates the assigned literals: if a clause has only one literal left, makes it true. Returns false at a
   * contradiction.
   */
  #propagate(): boolean {
    while (this.#propagated < this.#numTrue) {
      if (!this.#visitWatchers(this.#trail[this.#propagated++]! ^ 1)) return false;
    }
    return true;
  }

  /** Examines the clauses that watch a literal that became false. */
  #visitWatchers(literal: number): boolean {
    const store = this.#store;
    const truth = this.#truth;
    const list = this.#watchers[literal]!;
    const length = list.length;
    this.#steps += length;
    if (this.#steps > MAX_STEPS) refuse(`unit propagation takes more than ${MAX_STEPS} steps`);
    let kept = 0;
    let i = 0;
    let consistent = true;
    while (i < length && consistent) {
      const clause = list[i]!;
      const known = list[i + 1]!;
      i += 2;
      if (truth[known] === TRUE) {
        list[kept++] = clause;
        list[kept++] = known;
        continue;
      }
      const other = store[clause + 1]! ^ store[clause + 2]! ^ literal; // the other watched literal
      const end = clause + store[clause]!;
      let next = clause + 3;
      if (truth[other] !== TRUE) while (next <= end && truth[store[next]!] === FALSE) next++;
      if (truth[other] !== TRUE && next <= end) {
        const found = store[next]!;
        store[clause + 1] = other;
        store[clause + 2] = found;
        store[next] = literal;
        this.#watchers[found]!.push(clause, other);
        continue;
      }
      list[kept++] = clause;
      list[kept++] = other;
      consistent = this.#set(other);
    }
    while (i < length) list[kept++] = list[i++]!;
    list.length = kept;
    return consistent;
  }
}

const literalOf = (number: number): number => (number > 0 ? 2 * number - 2 : -2 * number - 1);

const TRUE = 1;
const FALSE = -1;
const MAX_STEPS = 4e9;
