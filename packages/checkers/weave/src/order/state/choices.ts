/**
 * The variables of a search. A variable is the order of a pair of transactions, or the question whether a read saw one
 * of its candidates. Variables are created only when a conflict first names them, which keeps them few. The literal
 * 2·variable means that the smaller transaction comes first, or that the read saw the version; 2·variable + 1 means
 * the opposite. `@isolab/solver` keeps the values and propagates the clauses.
 */
import { addTo } from '@isolab/graph';
import { Propagator } from '@isolab/solver';

export class Choices extends Propagator {
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
  readonly position: number[] = []; // place on the trail where it got its value; −1 for literals without a premise

  constructor(numTxns: number) {
    super();
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
      variable = this.#add(lesser, greater, key, -1, -1);
      this.#byPair.set(pair, variable);
      for (const t of [lesser, greater]) {
        this.isNamed[t] = 1;
        addTo(this.#byTxn, t, variable);
      }
    }
    return 2 * variable + (first < second ? 0 : 1);
  }

  #add(lesser: number, greater: number, key: number, read: number, version: number): number {
    this.lesser.push(lesser);
    this.greater.push(greater);
    this.key.push(key);
    this.read.push(read);
    this.version.push(version);
    this.position.push(-1);
    return this.newVariable();
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
    const variable = this.#add(-1, -1, -1, read, version);
    addTo(this.#byRead, read, variable);
    addTo(this.#byVersion, version, variable);
    return variable;
  }

  /** Returns the transaction that comes first if the literal is true, and the other transaction. */
  firstOf(literal: number): number {
    return literal & 1 ? this.greater[literal >> 1]! : this.lesser[literal >> 1]!;
  }

  secondOf(literal: number): number {
    return this.firstOf(literal ^ 1);
  }

  /** Enters a new literal that has been true since an earlier place on the trail. */
  enterAt(literal: number, at: number): void {
    this.enter(literal);
    this.position[literal >> 1] = at;
  }

  assignAt(literal: number, at: number): void {
    this.assign(literal);
    this.position[literal >> 1] = at;
  }

  /** Takes back all values, and returns the literals that are certain. */
  unassignAll(): number[] {
    const certain: number[] = [];
    for (let variable = 0; variable < this.lesser.length; variable++) {
      if (this.isSet(variable) && this.position[variable]! < 0) certain.push(this.trueLiteral(variable));
      this.unassign(variable);
    }
    return certain;
  }
}

const NONE: readonly number[] = [];
