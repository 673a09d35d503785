import { OpKind, type OperationId, countOperations, countTransactions } from '@isolab/history';
import { onlyKey } from './commit-order.ts';
import { type Fields, integerOf, nameTxn, refuse } from './verdict/flaw.ts';
import { SEVERAL } from './facts/internal.ts';
import { keysWritten } from './facts/last-writes.ts';
import { type RawFacts, Saw, possibleWriters } from './facts/raw-facts.ts';
import { type Rules, readsRepeat } from './facts/rules.ts';
import { placeIn, type Rows } from './facts/sorted.ts';
import { count } from './definition/refutation.ts';

/**
 * Basis of derivations: facts, level and current assumptions. The number of steps is limited, because edges that share
 * parts could take exponential time.
 */
export class Ground {
  readonly facts: RawFacts;
  readonly rules: Rules;
  readonly assumptions: Assumptions;
  readonly #keys: Rows; // the keys that each transaction writes, if it may have happened
  #steps = 0;
  #limit = MAX_STEPS;

  constructor(facts: RawFacts, rules: Rules) {
    this.facts = facts;
    this.rules = rules;
    this.assumptions = new Assumptions(countTransactions(facts.history));
    this.#keys = keysWritten(facts.history, facts.mayHaveHappened);
  }

  /** Charges a step. `depth` is the nesting depth of the current part. */
  enter(depth: number): void {
    if (depth > MAX_DEPTH) refuse(`it is nested more than ${MAX_DEPTH} deep`);
    this.spend(1);
  }

  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.#limit) refuse(`it takes more than ${this.#limit} steps to verify`);
  }

  /** Allows further steps, for another part of the certificate. */
  allow(steps: number): void {
    this.#limit += steps;
  }

  happened(t: number): boolean {
    return this.facts.happened[t] === 1 || this.assumptions.happened(t);
  }

  transaction(data: unknown, what: string): number {
    const t = integerOf(data, 0, countTransactions(this.facts.history), what);
    if (!this.happened(t)) refuse(`${what} is transaction ${t}, which did not happen`);
    if (this.rules.axiom === 'serial-by-key') onlyKey(this.facts.history, t);
    return t;
  }

  isNode(data: unknown): data is number {
    return data === -1 || (typeof data === 'number' && this.facts.happened[data] === 1);
  }

  /** Reads a transaction; −1 is the initial transaction. */
  node(data: unknown, what: string): number {
    return data === -1 ? -1 : this.transaction(data, what);
  }

  read(data: unknown): number {
    const { history, txnOf } = this.facts;
    const read = integerOf(data, 0, countOperations(history), 'the read');
    if (history.opKind[read] !== OpKind.Read && history.opKind[read] !== OpKind.ListRead)
      refuse(`operation ${read} is not a read`);
    const t = txnOf[read];
    return this.happened(t) ? read : refuse(`transaction ${t}, of operation ${read}, did not happen`);
  }

  write(data: unknown, t: number): number {
    const { history, txnOf } = this.facts;
    const write = integerOf(data, 0, countOperations(history), 'the write');
    if (history.opKind[write] !== OpKind.Write && history.opKind[write] !== OpKind.Append)
      refuse(`operation ${write} is not a write`);
    return txnOf[write] === t ? write : refuse(`operation ${write} does not belong to ${nameTxn(t)}`);
  }

  /**
   * Reads two writers of a key. Unknown outcomes are accepted only where they may matter, as in a proof about the
   * writers of reads.
   */
  writers(choice: Fields, mayBeUnknown: boolean): Writers {
    const { history, happened, mayHaveHappened } = this.facts;
    const pair = (['first', 'second'] as const).map((name) => {
      const t = integerOf(choice[name], 0, countTransactions(history), `the ${name} writer`);
      if (!(mayBeUnknown ? mayHaveHappened : happened)[t])
        refuse(`the ${name} writer is transaction ${t}, which did not happen`);
      return t;
    });
    const [first, second] = pair as [number, number];
    if (first === second) refuse(`both writers are transaction ${first}`);
    if (!this.writeOneKey(first, second)) refuse(`transactions ${first} and ${second} do not write a common key`);
    return { first, second };
  }

  writeOneKey(a: number, b: number): boolean {
    const { start, item } = this.#keys;
    const few = start[a + 1] - start[a] <= start[b + 1] - start[b] ? a : b;
    const many = few === a ? b : a;
    this.spend(start[few + 1] - start[few]);
    for (let i = start[few]; i < start[few + 1]; i++) if (placeIn(this.#keys, many, item[i]) >= 0) return true;
    return false;
  }

  /** Refuses unless a read saw a transaction's write (initial: −1), certainly or by assumption. */
  needReads(read: OperationId, writer: number): void {
    const { source, txnOf } = this.facts;
    const seen = source[read] >= 0 ? txnOf[source[read]] : source[read];
    if (seen === writer || this.assumptions.sees(this.firstRead(read), writer)) return;
    if (seen === Saw.OneOfSeveral) refuse(`operation ${read} ${SEVERAL}`);
    if (seen < Saw.Initial) refuse(`operation ${read} reads from no transaction`);
    refuse(`operation ${read} does not read from ${nameTxn(writer)}`);
  }

  /** The transactions that may have left the version of a register read; −1 stands for the initial transaction. */
  possibleWriters(read: OperationId): readonly number[] {
    const { history, source, ownWrite } = this.facts;
    if (history.opKind[read] !== OpKind.Read || ownWrite[read] >= 0 || source[read] === Saw.Nothing)
      refuse(`operation ${read} leaves no choice: it is not a read of a register from another transaction`);
    const writers = possibleWriters(this.facts, read);
    this.spend(writers.length);
    return writers.length > 0
      ? writers
      : refuse(`operation ${read} leaves no choice: no transaction can have left its value`);
  }

  /** Possible writers that do not come later in the reader's session. */
  candidates(read: OperationId): readonly number[] {
    const { history, txnOf, source } = this.facts;
    const writers = this.possibleWriters(read);
    if (source[read] >= Saw.Initial) return [source[read] < 0 ? -1 : txnOf[source[read]]];
    if (!this.rules.sessions) return writers;
    const [t, { txnSession }] = [txnOf[read], history];
    const left = writers.filter((writer) => writer < t || txnSession[writer] !== txnSession[t]);
    return left.length > 0 ? left : writers;
  }

  /** The read that represents all reads of a key in a transaction that must see the same version. */
  firstRead(read: OperationId): number {
    if (!readsRepeat(this.rules) || this.facts.history.opKind[read] !== OpKind.Read) return read;
    const { history, txnOf } = this.facts;
    const { txnStart, opKind, opKey, opValue } = history;
    let first = txnStart[txnOf[read]];
    this.spend((read - first) >> 4);
    while (opKind[first] !== OpKind.Read || opKey[first] !== opKey[read] || opValue[first] !== opValue[read]) first++;
    return first;
  }
}

/** Two writers of a key; `first` comes before `second`. */
export interface Writers {
  readonly first: number;
  readonly second: number;
}

const MAX_DEPTH = 500;
const MAX_STEPS = 4_000_000;

/** Current assumptions with their multiplicity: orders of writers, and the writes that reads saw. */
class Assumptions {
  readonly #numTxns: number;
  readonly #orders = new Map<number, number>(); // multiplicity of each assumed pair of transactions
  readonly #reads = new Map<number, number>(); // multiplicity of each assumed pair of a read and a writer
  readonly #happened = new Map<number, number>();

  constructor(numTxns: number) {
    this.#numTxns = numTxns;
  }

  /** Adds an assumed order, or with −1 removes it once. */
  assumeOrder(first: number, second: number, times: 1 | -1): void {
    count(this.#orders, first * this.#numTxns + second, times);
  }

  /** The writer may be the initial transaction, −1. */
  assumeRead(read: OperationId, reader: number, writer: number, times: 1 | -1): void {
    count(this.#reads, read * (this.#numTxns + 1) + writer + 1, times);
    count(this.#happened, reader, times);
    if (writer >= 0) count(this.#happened, writer, times);
  }

  isFirst(first: number, second: number): boolean {
    return first >= 0 && second >= 0 && this.#orders.has(first * this.#numTxns + second);
  }

  sees(read: OperationId, writer: number): boolean {
    return this.#reads.has(read * (this.#numTxns + 1) + writer + 1);
  }

  happened(t: number): boolean {
    return this.#happened.has(t);
  }
}
