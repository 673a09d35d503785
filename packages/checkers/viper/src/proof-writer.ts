import type { Edge, ProofCertificate, ProofStep } from '@isolab/contract';
import { type BeginCommitVersions, keyOfVersion } from '@isolab/polygraph';
import { PairTable } from './pair-table.ts';
import type { Order, Reasons } from './reasons.ts';

/** Writes a clausal proof, with all assumptions of its cycles. */
export class ProofWriter {
  readonly #versions: BeginCommitVersions;
  readonly #reasons: Reasons;
  readonly #pairs = new PairTable();
  readonly #keys: number[] = []; // by pair
  readonly #steps: ProofStep[] = [];
  readonly #shown = new Set<number>(); // literals of milestones

  constructor(versions: BeginCommitVersions, reasons: Reasons) {
    this.#versions = versions;
    this.#reasons = reasons;
  }

  /** Returns the literal that says that one writer of a key comes before another. */
  before(first: number, second: number, key: number): number {
    const known = this.#pairs.count;
    const pair = this.#pairs.number(Math.min(first, second), Math.max(first, second));
    if (pair === known) this.#keys.push(key);
    return first < second ? pair + 1 : -(pair + 1);
  }

  learned(clause: readonly number[]): void {
    this.#steps.push({ kind: 'learned', clause });
  }

  /** Adds a clause whose literals cannot all be false, proved by a cycle that `reasons` just returned. */
  cycle(clause: readonly number[], edges: readonly Edge[]): void {
    const milestones = this.#reasons.milestones.splice(0);
    for (const milestone of milestones) this.#show(milestone);
    const assumed = milestones.map((milestone) => -this.#literal(milestone));
    this.#steps.push({ kind: 'cycle', clause: [...new Set([...clause, ...assumed])], edges });
    if (assumed.length > 0) this.learned(clause);
  }

  /** Proves a milestone, beginning with the first milestone of its chain. */
  #show(milestone: Order): void {
    const reasons = this.#reasons;
    const toShow: Order[] = [];
    for (let order: Order | null = milestone; order !== null && reasons.isMilestone(order);) {
      if (this.#shown.has(this.#literal(order))) break;
      toShow.push(order);
      order = reasons.premise(order);
    }
    for (let order = toShow.pop(); order !== undefined; order = toShow.pop()) {
      const literal = this.#literal(order);
      const premise = reasons.premise(order);
      const clause = premise === null ? [literal] : [literal, -this.#literal(premise)];
      this.#steps.push({ kind: 'cycle', clause, edges: reasons.milestone(order) });
      reasons.milestones.length = 0; // its assumptions were shown before
      this.#shown.add(literal);
    }
  }

  #literal({ version, later }: Order): number {
    const { writer } = this.#versions;
    return this.before(writer[version], writer[later], keyOfVersion(this.#versions, later));
  }

  /** Ends the proof with the empty clause. */
  finish(): ProofCertificate {
    const { first, second } = this.#pairs;
    const choices = this.#keys.map((key, pair) => ({ first: first[pair]!, second: second[pair]!, key }));
    return { kind: 'proof', choices, steps: this.#steps };
  }
}
