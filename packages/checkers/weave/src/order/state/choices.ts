import { addTo } from '@isolab/graph';

/**
 * Variables and the clauses over them. A variable is the order of a pair of transactions, or the question whether a
 * read saw one of its candidates. Variables are created only when a conflict first names them, which keeps them few.
 * The literal 2·variable means that the smaller transaction comes first, or that the read saw the version; 2·variable +
 * 1 means the opposite.
 */
export class Choices {
  /** 1 for each transaction that a variable names. */
  readonly isNamed: Uint8Array;
  readonly #byTxn = new Map<number, number[]>();
  readonly #byPair = new Map<number, number>();
  readonly #byRead = new Map<number, number[]>();
  readonly #byVersion = new Map<number, number[]>();
  readonly #numTxns: number;
  // Columns by variable:
  readonly lesser: number[] = [];
  readonly greater: number[] = [];
  readonly key: number[] = []; // a key that both write
  readonly read: number[] = []; // −1 for pairs of transactions
  readonly version: number[] = []; // the candidate of the read
  readonly value: number[] = []; // lowest bit of the true literal; −1 while neither is true
  readonly position: number[] = []; // place on the trail where it got its value; −1 for literals without a premise
  readonly reason: number[] = []; // clause that implies the value, or −1
  // Clauses: at least one literal of each is true. The first two literals are watched.
  readonly clauses: number[][] = [];
  readonly #watches: number[][] = []; // by literal: the clauses to visit when it becomes false
  readonly #queue: number[] = []; // true literals that are not propagated yet

  constructor(numTxns: number) {
    this.#numTxns = numTxns;
    this.isNamed = new Uint8Array(numTxns);
  }

  variablesOf(t: number): readonly number[] {
    return this.#byTxn.get(t) ?? NONE;
  }

  /** Returns the literal that says that `first` comes before `second`, and creates its variable if necessary. */
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

  ofRead(read: number): readonly number[] {
    return this.#byRead.get(read) ?? NONE;
  }

  ofVersion(version: number): readonly number[] {
    return this.#byVersion.get(version) ?? NONE;
  }

  /** Returns the variable that says that a read saw a version, or −1 if it does not exist yet. */
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

  /** Returns the transaction that comes first if the literal is true, and the other transaction. */
  firstOf(literal: number): number {
    return literal & 1 ? this.greater[literal >> 1]! : this.lesser[literal >> 1]!;
  }

  secondOf(literal: number): number {
    return this.firstOf(literal ^ 1);
  }

  /** Enters a new literal that has been true since an earlier place on the trail. */
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

  unassignAll(): number[] {
    const certain: number[] = [];
    for (let variable = 0; variable < this.value.length; variable++) {
      if (this.isSet(variable) && this.position[variable]! < 0) certain.push(2 * variable + this.value[variable]!);
      this.unassign(variable);
    }
    return certain;
  }

  /** Forgets unpropagated literals, because they are about to be taken back. */
  clearQueue(): void {
    this.#queue.length = 0;
  }

  /** Adds a clause of two or more literals. The first two are watched. */
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
