import type { FoundAnomaly, SnapshotTime, TimestampsCertificate } from '@isolab/contract';
import { type History, transactionOf } from '@isolab/history';

/** Contradictions to the timestamps, in the order in which they are found. */
export class Violations {
  readonly found: FoundAnomaly[] = [];
  readonly #history: History;
  readonly #findAll: boolean;
  readonly #at: SnapshotTime;

  constructor(history: History, at: SnapshotTime, findAll: boolean) {
    this.#at = at;
    this.#history = history;
    this.#findAll = findAll;
  }

  get isEnough(): boolean {
    return !this.#findAll && this.found.length > 0;
  }

  /** Reports a read that differs from the frontier. */
  external(read: number): void {
    this.#add([transactionOf(this.#history, read)], { kind: 'timestamps', axiom: 'EXT', read, at: this.#at });
  }

  /** Reports two concurrent transactions that write the same key. */
  conflict(write: number, other: number): void {
    const transactions = [write, other].map((op) => transactionOf(this.#history, op));
    this.#add(transactions, { kind: 'timestamps', axiom: 'NOCONFLICT', writes: [write, other] });
  }

  /** Reports a transaction that started before an earlier transaction of its session had committed. */
  session(one: number, other: number): void {
    const [first, second] = [Math.min(one, other), Math.max(one, other)];
    this.#add([first, second], { kind: 'timestamps', axiom: 'SESSION', first, second, at: this.#at });
  }

  /** Reports a transaction that committed before it started. */
  order(transaction: number): void {
    this.#add([transaction], { kind: 'timestamps', axiom: 'ORDER', transaction });
  }

  #add(transactions: readonly number[], certificate: TimestampsCertificate): void {
    if (this.isEnough) return;
    this.found.push({ name: 'contradicted-timestamp', pattern: certificate.axiom, transactions, certificate });
  }
}
