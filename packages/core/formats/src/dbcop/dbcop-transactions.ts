import { type HistoryBuilder, TxnStatus } from '@isolab/history';
import type { ReadOptions } from '../format/format.ts';

/**
 * Builds transactions in which single statements may have failed, as dbcop's older formats record them.
 *
 * A failed statement is left out. In the published reading nothing else changes. In the rollback reading, for a
 * transaction recorded as committed,
 * - CockroachDB had rolled it back and answered COMMIT with a rollback: the whole transaction is aborted;
 * - Galera rolled back the statements before the failure (a deadlock) and continued in a new transaction: the
 * statements up to the last failure are an aborted transaction, and the statements after it a committed one.
 *
 * Only the second rule is applied to any other database. Where no statement succeeded after the failure, as in
 * PostgreSQL, which refuses all further statements, the second rule has the same effect as the first. Where a statement
 * did succeed, the failed statement cannot have doomed the transaction.
 */
export class FallibleTransactions {
  readonly #builder: HistoryBuilder;
  readonly #rollback: boolean;
  #splits = true; // whether a transaction may continue after a failure
  #placed: boolean; // whether operations need their own positions
  #session = 0;
  #txn = 0;
  #begun = 0; // position of the transaction
  // In the rollback reading, operations wait for the end of their transaction. Each takes four elements: kind, key,
  // value, position.
  readonly #waiting: number[] = [];
  #doomed = 0; // length of the part before the last failure
  #failed = false;

  constructor(builder: HistoryBuilder, { failedStatements }: ReadOptions, positions: 'by stride' | 'by operation') {
    this.#builder = builder;
    this.#rollback = failedStatements === 'rollback';
    this.#placed = positions === 'by operation';
  }

  database(name: string): void {
    this.#builder.database = name === '' ? null : name;
    this.#splits = name !== 'CockroachDB';
  }

  begin(session: number, position: number): void {
    this.#session = session;
    this.#begun = position;
    if (!this.#rollback) this.#txn = this.#builder.begin(session, position);
  }

  /** Adds a statement that succeeded. */
  op(kind: number, key: number, value: number, position: number): void {
    if (this.#rollback) this.#waiting.push(kind, key, value, position);
    else this.#add(kind, key, value, position);
  }

  failedOp(): void {
    this.#builder.note('failedStatements');
    this.#failed = true;
    this.#doomed = this.#waiting.length;
    this.#placed = true; // from here on, positions no longer follow from the stride
  }

  end(committed: boolean): void {
    const status = committed ? TxnStatus.Committed : TxnStatus.Aborted;
    if (!this.#rollback) this.#builder.outcome(this.#txn, status);
    else if (committed && this.#failed) this.#endRolledBack();
    else this.#addWaiting(0, this.#waiting.length, this.#begun, status);
    this.#waiting.length = 0;
    this.#failed = false;
  }

  #endRolledBack(): void {
    const waiting = this.#waiting;
    const survivors = this.#splits ? this.#doomed : waiting.length;
    const survives = survivors < waiting.length;
    if (survivors > 0 || !survives) {
      this.#addWaiting(0, survivors, this.#begun, TxnStatus.Aborted);
      this.#builder.note('rolledBackTransactions');
    }
    if (survives) this.#addWaiting(survivors, waiting.length, waiting[survivors + 3], TxnStatus.Committed);
  }

  #addWaiting(from: number, to: number, position: number, status: number): void {
    const waiting = this.#waiting;
    this.#begun = position;
    this.#txn = this.#builder.begin(this.#session, position);
    this.#builder.outcome(this.#txn, status);
    for (let i = from; i < to; i += 4) this.#add(waiting[i], waiting[i + 1], waiting[i + 2], waiting[i + 3]);
  }

  #add(kind: number, key: number, value: number, position: number): void {
    this.#builder.op(kind, key, value);
    if (this.#placed) this.#builder.opAt(position - this.#begun);
  }
}
