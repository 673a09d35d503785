import type { Journal } from '../recorded/journal.ts';
import type { Plans } from './plans.ts';
import type { Redaction } from '../recorded/redaction.ts';
import { Refusals } from './refusals.ts';
import type { Plan } from '../sql/planned.ts';
import { Tally } from './tally.ts';
import type { TransactionOutcome, Seen, Transaction, Version } from './transaction.ts';
import { RowVersions } from './versions.ts';

export interface RecordingOptions {
  readonly journal: Journal;
  readonly plans: Plans;
  readonly redaction: Redaction;
  /** Whether a version, given its writer's number, existed when the recording began. */
  readonly isInitial: (xmin: number) => boolean;
  /** Returns the number of a transaction during the recording, given the number in the versions that it wrote. */
  readonly wholeNumber: (xmin: number) => string;
  readonly now: () => bigint;
  /** Keeps statements with their parameters and results, for a replay. */
  readonly keepsStatements?: boolean;
}

/**
 * All sessions of a recording, and the order of its lines. A file that is truncated anywhere is a valid history up to
 * that point: a transaction's line is written before it can be committed, and after the lines of all transactions that
 * it read from.
 */
export class Recording {
  readonly redaction: Redaction;
  readonly keepsStatements: boolean;
  readonly now: () => bigint;
  readonly wholeNumber: RecordingOptions['wholeNumber'];
  readonly tally: Tally;
  readonly refusals = new Refusals();
  readonly #journal: Journal;
  readonly plans: Plans;
  readonly #isInitial: (xmin: number) => boolean;
  readonly #versions = new RowVersions();
  readonly #active = new Set<Transaction>();
  /** Transactions whose writes may become known only after the commit: transactions of one statement or one run. */
  readonly #mayBeCommitted = new Set<Transaction>();
  /** Transactions whose lines wait, with the `#mayBeCommitted` transactions that they wait for. */
  readonly #waiting = new Map<Transaction, Set<Transaction>>();
  readonly #initialRows: string[] = [];
  readonly #openXids = new Set<string>();
  readonly #prepared = new Map<string, Transaction>();
  #apart = 0;
  #outsiders = 0;
  #transactions = 0;

  constructor({ journal, plans, redaction, isInitial, wholeNumber, now, keepsStatements }: RecordingOptions) {
    this.#journal = journal;
    this.keepsStatements = keepsStatements ?? false;
    this.wholeNumber = wholeNumber;
    this.plans = plans;
    this.redaction = redaction;
    this.tally = new Tally(redaction.shape);
    this.#isInitial = isInitial;
    this.now = now;
  }

  initialRow(place: string, version: string): void {
    this.#versions.tell(place, version);
    this.#initialRows.push(`[${place},${version}]`);
    if (this.#initialRows.length >= 100) this.#writeInitialRows();
  }

  begins(transaction: Transaction): void {
    this.#active.add(transaction);
  }

  /** Prepares for the transaction's COMMIT, which is about to be sent. */
  mayCommit(transaction: Transaction): void {
    transaction.isCommitting = true;
    if (transaction.isEmpty) return;
    this.#waiting.set(transaction, new Set(this.#mayBeCommitted));
    this.#writeWhatCanBe();
    this.#journal.flush();
  }

  /** Notes that a transaction may be committed before its operations are known. */
  mayBeCommitted(transaction: Transaction): void {
    this.#mayBeCommitted.add(transaction);
  }

  /** Places a transaction outside its session's order: its snapshot or its end belongs to no place in that order. */
  detaches(transaction: Transaction): void {
    if (!transaction.isWritten) transaction.session += `, apart ${++this.#apart}`;
  }

  /** Notes that a transaction was prepared: all its operations are known, and its outcome comes later. */
  prepares(name: string, transaction: Transaction): void {
    this.#prepared.set(name, transaction);
    this.#isKnown(transaction);
    if (!transaction.isWritten) this.mayCommit(transaction);
  }

  endsPrepared(name: string, outcome: TransactionOutcome): void {
    const transaction = this.#prepared.get(name);
    this.#prepared.delete(name);
    if (transaction) this.ends(transaction, outcome);
  }

  steps(
    transaction: Transaction,
    { shape, mayWriteUnseen }: Pick<Plan, 'shape' | 'mayWriteUnseen'>,
    operations: readonly string[],
    scan: string | null,
  ): void {
    const isInLog = this.plans.catalog.xid !== null && mayWriteUnseen;
    if (operations.length > 0 || scan !== null) transaction.begun ??= this.now();
    if (operations.length > 0 || scan !== null || isInLog)
      transaction.step(this.tally.numberOf(shape), operations, scan, isInLog);
  }

  /** Returns whether the file can name the writer of a version, now or after the log was read. */
  knowsWriter(place: string, version: string, xmin: number): boolean {
    return (
      this.plans.catalog.xid !== null ||
      this.#isInitial(xmin) ||
      this.#versions.isTold(place, version, xmin) ||
      this.#versions.writerOf(place, version) !== null
    );
  }

  /** Notes that the transaction saw another writer's version. */
  sees(place: string, version: string, xmin: number): void {
    if (this.#isInitial(xmin) && !this.#versions.isTold(place, version, xmin)) this.initialRow(place, version);
  }

  writes(transaction: Transaction, place: string, version: string): void {
    this.#versions.writes(place, version, transaction);
  }

  /** Removes versions that a rollback to a savepoint has undone. */
  takesBack(transaction: Transaction, versions: readonly Version[]): void {
    for (const { row, version } of versions) this.#versions.remove(row, version, transaction);
  }

  ends(transaction: Transaction, outcome: TransactionOutcome): void {
    transaction.outcome = outcome;
    if (outcome === 'aborted') this.refusals.aborted(transaction);
    transaction.end = outcome === 'unknown' ? null : this.now();
    if (outcome === 'unknown' && transaction.xid !== null) this.#openXids.add(transaction.xid);
    this.#active.delete(transaction);
    this.#isKnown(transaction);
    if (transaction.isOpen) this.#writeOutcome(transaction);
    else if (!transaction.isEmpty && !this.#waiting.has(transaction))
      this.#waiting.set(transaction, new Set(this.#mayBeCommitted));
    if (this.#waiting.size > 0) this.#writeWhatCanBe();
  }

  #isKnown(transaction: Transaction): void {
    this.#mayBeCommitted.delete(transaction);
    for (const others of this.#waiting.values()) others.delete(transaction);
  }

  #writeOutcome({ session, outcome, end }: Transaction): void {
    if (outcome === 'unknown') return;
    this.#journal.add(`{"outcome":${JSON.stringify(outcome)},"session":${JSON.stringify(session)},"end":${end}}\n`);
  }

  #writeWhatCanBe(): void {
    for (let before = -1; before !== this.#waiting.size && this.#waiting.size > 0;) {
      before = this.#waiting.size;
      for (const [transaction, others] of this.#waiting)
        if (others.size === 0 || this.#isReady(transaction)) this.#write(transaction);
    }
  }

  /** Returns whether the file has all transactions that this one read from, and its session's previous ones. */
  #isReady({ previous, seen }: Transaction): boolean {
    if (previous && !previous.isWritten) return false;
    return seen.every(({ row, version, xmin }) => this.#versions.isTold(row, version, xmin));
  }

  #write(transaction: Transaction): void {
    if (transaction.isWritten) return;
    this.#waiting.delete(transaction);
    transaction.isWritten = true; // set first, so that the recursion ends for two transactions that read from each other
    const { previous, seen } = transaction;
    if (previous && this.#waiting.has(previous)) this.#write(previous);
    for (const each of seen) {
      const writer = this.#versions.writerOf(each.row, each.version);
      if (writer && this.#waiting.has(writer)) this.#write(writer);
      else if (!writer && !this.#versions.isTold(each.row, each.version, each.xmin)) this.#writeOutsider(each);
    }
    this.#writeInitialRows();
    transaction.isOpen = transaction.outcome === null;
    this.#transactions++;
    this.#journal.add(transaction.line(this.tally.takeNewShapes()));
    this.#versions.settle(transaction, !transaction.mayHaveWrittenUnseen && transaction.outcome !== 'unknown');
    transaction.forget();
  }

  /** Writes a version from outside the proxy; nothing else is known about its writer. */
  #writeOutsider({ row, version }: Seen): void {
    this.#versions.tell(row, version);
    const session = `outside ${++this.#outsiders}`;
    this.#journal.add(`{"session":${JSON.stringify(session)},"status":"unknown","ops":[["put",${row},${version}]]}\n`);
  }

  #writeInitialRows(): void {
    if (this.#initialRows.length > 0) this.#journal.add(`{"rows":[${this.#initialRows.join()}]}\n`);
    this.#initialRows.length = 0;
  }

  /**
   * Ends all transactions: an unfinished transaction has an unknown outcome if it may have been committed; the others
   * were not committed.
   */
  finish(): { readonly outsiders: number; readonly transactions: number; readonly openXids: readonly string[] } {
    for (const transaction of this.#active) {
      const mayHaveHappened = transaction.isCommitting || this.#mayBeCommitted.has(transaction);
      this.ends(transaction, mayHaveHappened ? 'unknown' : 'aborted');
    }
    for (const transaction of this.#waiting.keys()) this.#write(transaction);
    this.#writeInitialRows();
    return { outsiders: this.#outsiders, transactions: this.#transactions, openXids: [...this.#openXids] };
  }
}
