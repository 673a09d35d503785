import { type Edge, INITIAL_TXN, type ProofChoice, type ProofStep } from '@isolab/contract';
import { type Subject, txnOfVersion } from './edges.ts';

/** The clauses of a proof under construction: choices are numbered at their first mention. */
export class ProofWriter {
  readonly choices: ProofChoice[] = [];
  readonly steps: ProofStep[] = [];
  readonly #subject: Subject;
  readonly #variables = new Map<number, number>();

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /**
   * The literal that states that one version of a key precedes another. Choices concern transactions: one for all
   * common keys.
   */
  before(first: number, second: number): number {
    const t = txnOfVersion(this.#subject, first);
    const s = txnOfVersion(this.#subject, second);
    const pair = Math.min(t, s) * this.#subject.versions.history.txnStatus.length + Math.max(t, s);
    let variable = this.#variables.get(pair);
    if (variable === undefined) {
      this.choices.push({ first: Math.min(t, s), second: Math.max(t, s), key: this.#subject.versions.key[first] });
      variable = this.choices.length;
      this.#variables.set(pair, variable);
    }
    return t < s ? variable : -variable;
  }

  assumed(first: number, second: number): Edge {
    const from = txnOfVersion(this.#subject, first);
    return { from, to: txnOfVersion(this.#subject, second), reason: { kind: 'assumed' } };
  }

  /** Adds the clause that denies some orders, because the edges close a cycle under them. */
  cycle(edges: readonly Edge[], orders: Iterable<number>): void {
    this.steps.push({ kind: 'cycle', clause: [...new Set(orders)].map((literal) => -literal), edges });
  }

  learned(clause: readonly number[]): void {
    this.steps.push({ kind: 'learned', clause });
  }

  /** The transaction that overwrites a version directly precedes the successor of this version. */
  #overwrites(version: number, later: number, order: Edge): Edge {
    const { versions } = this.#subject;
    const reason = {
      kind: 'overwrites',
      read: versions.overwritesRead[version],
      write: versions.write[later],
      order: [order],
    } as const;
    return { from: txnOfVersion(this.#subject, version), to: txnOfVersion(this.#subject, later), reason };
  }

  /** The first version of the chain of the base precedes every version outside the chain. */
  firstBefore(version: number, later: number): void {
    const initial: Edge = { from: INITIAL_TXN, to: txnOfVersion(this.#subject, later), reason: { kind: 'initial' } };
    const edges = [this.#overwrites(version, later, initial), this.assumed(later, version)];
    this.cycle(edges, [this.before(later, version)]);
  }

  /** If `v` precedes a version outside the chain, so does its successor `next`. */
  nextBefore(v: number, next: number, later: number): void {
    const edges = [this.#overwrites(next, later, this.assumed(v, later)), this.assumed(later, next)];
    this.cycle(edges, [this.before(v, later), this.before(later, next)]);
  }

  /** A version that precedes `next`, and is not in its chain, also precedes `v`. */
  beforePrevious(earlier: number, v: number, next: number): void {
    const edges = [this.#overwrites(next, earlier, this.assumed(v, earlier)), this.assumed(earlier, next)];
    this.cycle(edges, [this.before(v, earlier), this.before(earlier, next)]);
  }
}
