import { addTo } from '@isolab/graph';

/**
 * Pairs of transactions whose order is a choice, reads with a version that they may have seen, and clauses over them. A
 * variable is made only when a conflict names it, which keeps them few. A literal is 2·variable if the smaller
 * transaction comes first, and 2·variable + 1 if the greater one does; or if the read saw the version, and not.
 */
export class Choices {
  /** Whether a variable names each transaction. */
  readonly isNamed: Uint8Array;
  readonly #byTxn = new Map<number, number[]>();
  readonly #byPair = new Map<number, number>();
  readonly #byRead = new Map<number, number[]>();
  readonly #byVersion = new Map<number, number[]>();
  readonly #numTxns: number;
  // Columns by variable:
  readonly lesser: number[] = [];
  readonly greater: number[] = [];
  readonly key: number[] = []; // one that both write
  readonly read: number[] = []; // −1 for pairs of transactions
  readonly version: number[] = []; // that the read may have seen
  readonly value: number[] = []; // of the literal that is true: its lowest bit; −1 while neither is
  readonly position: number[] = []; // where on the trail it got its value; −1 for literals without a premise
  readonly reason: number[] = []; // the clause from which the value follows, or −1
  // Clauses: at least one literal of each is true. The first two are watched.
  readonly clauses: number[][] = [];
  readonly #watches: number[][] = []; // by literal: the clauses to visit when it becomes false
  readonly #queue: number[] = []; // literals that became true, to be propagated

  constructor(numTxns: number) {
    this.#numTxns = numTxns;
    this.isNamed = new Uint8Array(numTxns);
  }

  variablesOf(t: number): readonly number[] {
    return this.#byTxn.get(t) ?? NONE;
  }

  /** The literal that says that `first` comes before `second`, of a new variable if need be. */
  ofOrder(first: number, second: number, key: number): number {
    const [lesser, greater] = first < second ? [first, second] : [second, first];
    const pair = lesser * this.#numTxns + greater;
    let variable = this.#byPair.get(pair);
    if (variable === undefined) {
      variable = this.#newVariable(lesser, greater, key, -1, -1);
      this.#byPair.set(pair, variable);
      for (const t of [lesser, greater]) {
        this.isNamed[t] = 1;
        addTo(this.#byTxn, t, variable);
      }
    }
    return 2 * variable + (first < second ? 0 : 1);
  }

  #newVariable(lesser: number, greater: number, key: number, read: number, version: number): number {
    this.lesser.push(lesser);
    this.greater.push(greater);
    this.key.push(key);
    this.read.push(read);
    this.version.push(version);
    this.value.push(-1);
    this.position.push(-1);
    this.reason.push(-1);
    this.#watches.push([], []);
    return this.value.length - 1;
  }

  /** Variables for the sources of a read. */
  ofRead(read: number): readonly number[] {
    return this.#byRead.get(read) ?? NONE;
  }

  /** Variables for the readers of a version. */
  ofVersion(version: number): readonly number[] {
    return this.#byVersion.get(version) ?? NONE;
  }

  /** The variable that says that a read saw a version, or −1 as long as there is none. */
  findSeen(read: number, version: number): number {
    for (const variable of this.ofRead(read)) if (this.version[variable] === version) return variable;
    return -1;
  }

  addSeen(read: number, version: number): number {
    const variable = this.#newVariable(-1, -1, -1, read, version);
    addTo(this.#byRead, read, variable);
    addTo(this.#byVersion, version, variable);
    return variable;
  }

  isSet(variable: number): boolean {
    return this.value[variable]! >= 0;
  }

  isTrue(literal: number): boolean {
    return this.value[literal >> 1] === (literal & 1);
  }

  isFalse(literal: number): boolean {
    return this.value[literal >> 1] === 1 - (literal & 1);
  }

  /** The transaction that comes first if the literal is true, and the other one. */
  firstOf(literal: number): number {
    return literal & 1 ? this.greater[literal >> 1]! : this.lesser[literal >> 1]!;
  }

  secondOf(literal: number): number {
    return this.firstOf(literal ^ 1);
  }

  /** Enters a literal that has been true since a place on the trail, when nothing named it. */
  enter(literal: number, at: number): void {
    this.value[literal >> 1] = literal & 1;
    this.position[literal >> 1] = at;
  }

  assign(literal: number, at: number, reason: number): void {
    const variable = literal >> 1;
    this.value[variable] = literal & 1;
    this.position[variable] = at;
    this.reason[variable] = reason;
    this.#queue.push(literal);
  }

  unassign(variable: number): void {
    this.value[variable] = -1;
    this.reason[variable] = -1;
  }

  /** Unassigns unforced literals, and removes forced ones; returns the latter. */
  unassignAll(): number[] {
    const certain: number[] = [];
    for (let variable = 0; variable < this.value.length; variable++) {
      if (this.isSet(variable) && this.position[variable]! < 0) certain.push(2 * variable + this.value[variable]!);
      this.unassign(variable);
    }
    return certain;
  }

  /** Forgets literals still to be propagated, because they are about to be taken back. */
  clearQueue(): void {
    this.#queue.length = 0;
  }

  /** A clause of two literals or more, the first two to be watched. */
  addClause(literals: number[]): number {
    const clause = this.clauses.push(literals) - 1;
    this.#watches[literals[0]!]!.push(clause);
    this.#watches[literals[1]!]!.push(clause);
    return clause;
  }

  /** Calls `imply` for each literal that follows; returns a clause whose literals are all false, or −1. */
  propagate(imply: (literal: number, reason: number) => void): number {
    const queue = this.#queue;
    for (let next = 0; next < queue.length; next++) {
      const falsified = queue[next]! ^ 1;
      const watching = this.#watches[falsified]!;
      let kept = 0;
      for (let i = 0; i < watching.length; i++) {
        const clause = watching[i]!;
        const literals = this.clauses[clause]!;
        if (literals[0] === falsified) {
          literals[0] = literals[1]!;
          literals[1] = falsified;
        }
        const other = literals[0]!;
        if (!this.isTrue(other)) {
          let k = 2;
          while (k < literals.length && this.isFalse(literals[k]!)) k++;
          if (k < literals.length) {
            literals[1] = literals[k]!;
            literals[k] = falsified;
            this.#watches[literals[1]]!.push(clause);
            continue;
          }
          if (this.isFalse(other)) {
            while (i < watching.length) watching[kept++] = watching[i++]!;
            watching.length = kept;
            queue.length = 0;
            return clause;
          }
          imply(other, clause);
        }
        watching[kept++] = clause;
      }
      watching.length = kept;
    }
    queue.length = 0;
    return -1;
  }
}

const NONE: readonly number[] = [];
