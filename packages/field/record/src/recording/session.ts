import { type Fetched, type Rows, foundIn } from './found.ts';
import { type FoundRow, absentRows, foundRow } from '../recorded/rows-of-result.ts';
import type { AskServer, Parameters, Sent, SessionFacts, SessionLog, TextlessStatement } from '../wire/statement.ts';
import { type Planned, type Writing, WITHOUT_ROWS, mayWrite } from '../sql/planned.ts';
import type { Recording } from './recording.ts';
import { numberShown } from '../recorded/xids.ts';
import { SessionLocks, hasAttempt } from './locks.ts';
import { Planning, unreadable } from './planning.ts';
import { Settings } from './settings.ts';
import { Transaction } from './transaction.ts';

/** Operations of a statement, as in the line of its transaction. */
type Operations = readonly string[];

/** A statement whose answer has not yet arrived. */
interface Pending {
  readonly statement: Planned;
  readonly at: bigint;
  /** Whether the statement may still change settings. */
  mayChange: boolean;
  isKept?: true;
}

/** Records the operations of one connection, in transactions. */
export class Session implements SessionLog<Planned> {
  readonly #recording: Recording;
  readonly #name: string;
  readonly #settings: Settings;
  readonly #planning: Planning;
  #transaction: Transaction | null = null;
  #previous: Transaction | null = null;
  readonly #pending = new Set<Pending>();
  readonly #locks: SessionLocks;
  #commitSent = false;
  /** The tables that the transaction has defined; null stands for any table. */
  readonly #defined = new Set<string | null>();

  constructor(recording: Recording, name: string, facts: SessionFacts, hidden: ReadonlySet<string>) {
    this.#recording = recording;
    this.#name = name;
    this.#settings = new Settings(facts, hidden);
    this.#locks = new SessionLocks(recording.redaction);
    this.#planning = new Planning(recording.plans, this.#settings);
  }

  plan(sql: string, isPrepared: boolean, ask: AskServer | null): readonly Planned[] | Promise<readonly Planned[]> {
    // An unanswered statement may begin or end the transaction, or set a savepoint.
    const use = this.#pending.size > 0 ? 'query' : (this.#transaction?.use ?? 'numbering query');
    return this.#planning.plan(sql, isPrepared ? 'prepared' : use, ask, this.#transaction);
  }

  reports(name: string, value: string): void {
    this.#settings.reports(name, value);
  }

  withoutText(what: TextlessStatement): Planned {
    return unreadable(what, `(${what})`, '');
  }

  present(statement: Planned, ask: AskServer | null): Planned | Promise<Planned> {
    return this.#planning.present(statement, ask, this.#transaction);
  }

  sends(statement: Planned, parameters: Parameters | null): Sent {
    const pending = { statement, at: this.#recording.now(), mayChange: statement.plan.unsettles !== null };
    this.#pending.add(pending);
    if (this.#transaction) this.#announce(this.#transaction, pending);
    else this.#begins(pending.at);
    if (pending.mayChange) this.#settings.mayChange();
    else if (statement.plan.does.kind === 'definition') this.#settings.createsTemporary(statement.plan.does.temporary!);
    if (!WITHOUT_ROWS.test(statement.plan.does.kind))
      this.#recording.refusals.sends(this.#transaction!, statement, parameters);
    return this.#answers(pending, parameters);
  }

  #isAnswered(pending: Pending, hasFailed = false): void {
    this.#pending.delete(pending);
    if (pending.mayChange) this.#settings.hasChanged(hasFailed ? null : pending.statement.plan.unsettles);
    pending.mayChange = false;
  }

  /** Handles a statement that was sent and may be committed before its answers arrive. */
  #announce(transaction: Transaction, { statement, at }: Pending): void {
    transaction.mayHaveWrittenUnseen ||= statement.plan.mayWriteFollowed;
    if (statement.plan.does.kind === 'prepare') this.#recording.detaches(transaction);
    if (statement.commits || statement.plan.does.kind === 'unknown') transaction.mayCommitFrom(at);
    if (statement.commits) {
      this.#commitSent = true;
      // The transaction's line is written first, unless some of its operations are still unknown.
      if (this.#pending.size === 1 && transaction.isExplicit) this.#recording.mayCommit(transaction);
      else this.#recording.mayBeCommitted(transaction);
    } else if (statement.plan.does.kind === 'unknown') {
      this.#commitSent = true;
      this.#recording.mayBeCommitted(transaction);
    } else if (!transaction.isExplicit && mayWrite(statement)) this.#recording.mayBeCommitted(transaction);
  }

  #answers(pending: Pending, parameters: Parameters | null): Sent {
    const { statement } = pending;
    let rows: Rows[number][] = [];
    let fetched: Fetched = 'all';
    return {
      row: statement.hidden > 0 || hasAttempt(statement) ? (hidden) => void rows.push(hidden) : undefined,
      suspends: () => {
        this.#isAnswered(pending);
        fetched = fetched === 'all' ? 'first' : 'more';
        const transaction = this.#current();
        transaction.isAnswered = true;
        // The statement has already written all rows, even if the client never fetches them.
        transaction.mayHaveWrittenUnseen ||= mayWrite(statement);
        this.#records(statement, null, rows, fetched);
        this.#keeps(pending, parameters, null);
        rows = [];
      },
      resumes: () => void this.#pending.add(pending),
      complete: (tag) => {
        this.#isAnswered(pending);
        this.#completes(statement, tag);
        const result = this.#records(statement, parameters, rows, fetched === 'all' ? 'all' : 'more');
        this.#keeps(pending, parameters, result);
      },
      fails: (code) => {
        this.#isAnswered(pending, true);
        const transaction = this.#current();
        transaction.refusal ??= code;
        transaction.isAnswered = transaction.hasFailed = true;
      },
    };
  }

  #keeps(pending: Pending, parameters: Parameters | null, result: Operations | null): void {
    if (this.#recording.keepsStatements && !pending.isKept)
      this.#transaction?.keep(pending.statement, parameters, result);
    pending.isKept = true;
  }

  #begins(at: bigint): Transaction {
    const transaction = new Transaction(this.#name, this.#previous, at, this.#settings.level);
    this.#transaction = transaction;
    this.#recording.begins(transaction);
    this.#locks.begin(transaction);
    for (const pending of this.#pending) this.#announce(transaction, pending);
    return transaction;
  }

  /** The current transaction; a statement outside a transaction starts its own. */
  #current(): Transaction {
    return this.#transaction ?? this.#begins(this.#recording.now());
  }

  #completes(statement: Planned, tag: string | null): void {
    const transaction = this.#current();
    const { does } = statement.plan;
    transaction.isAnswered = true;
    if (statement.isAdded) return;
    this.#recording.tally.count(statement, tag);
    switch (does.kind) {
      case 'begin':
        // A second BEGIN has no effect by itself.
        if (!transaction.isExplicit) transaction.level = this.#settings.level;
        transaction.isExplicit = true;
        transaction.level = does.level ?? transaction.level;
        break;
      case 'commit':
      case 'rollback':
        this.#ends(tag === 'COMMIT' ? 'committed' : 'aborted');
        if (does.chains) Object.assign(this.#current(), { isExplicit: true, level: transaction.level });
        break;
      case 'prepare':
        if (tag === 'PREPARE TRANSACTION') this.#prepares(does.name);
        else this.#ends('aborted');
        break;
      case 'prepared':
        this.#recording.endsPrepared(does.name, does.outcome);
        break;
      case 'snapshot':
        this.#recording.detaches(transaction);
        break;
      case 'savepoint':
        transaction.savepoint(does.name);
        break;
      case 'rollback to':
        this.#recording.takesBack(transaction, transaction.rollbackTo(does.name));
        transaction.hasFailed = false;
        this.#settings.rollbackTo();
        break;
      case 'release':
        transaction.release(does.name);
        break;
      case 'level':
        transaction.level = does.level ?? transaction.level;
        break;
      case 'definition':
        this.#defined.add(does.table);
    }
    if (does.kind !== 'definition' && statement.plan.unsettles === 'definitions') this.#defined.add(null);
  }

  /** Returns the operations of the statement; null if some are unknown. */
  #records(statement: Planned, parameters: Parameters | null, rows: Rows, fetched: Fetched): Operations | null {
    const { does } = statement.plan;
    if (WITHOUT_ROWS.test(does.kind)) return null;
    const transaction = this.#current();
    this.#locks.calls(statement, parameters, rows[0]?.at(-1), transaction);
    const xid = numberShown(statement, rows, this.#recording.wholeNumber);
    if (xid) transaction.numbers(xid);
    if (does.kind === 'select') {
      const { found, isClear } = foundIn(rows, does.sources, {
        transaction,
        fetched,
        redaction: this.#recording.redaction,
      });
      const told = found.filter((row) => !this.#mayBeOwn(transaction, row));
      const operations = told.flatMap((row) => this.#reads(transaction, row));
      const isExact =
        isClear &&
        told.length === found.length &&
        fetched === 'all' &&
        (!does.locks || transaction.level !== 'read committed');
      const values = { parameters, literals: statement.literals };
      const scan =
        isExact && does.scan
          ? absentRows(does.sources[0]!.table, does.scan, values, found.length, this.#recording.redaction)
          : null;
      this.#recording.steps(transaction, statement.plan, operations, scan);
      return isClear && does.sources.length > 0 && told.length === found.length ? operations : null;
    }
    if (does.kind === 'insert' || does.kind === 'update' || does.kind === 'delete') {
      const operations: string[] = [];
      const isReadable = rows.map((hidden) => this.#recordsWrite(transaction, does, hidden, operations)).every(Boolean);
      transaction.mayHaveWrittenUnseen ||= !isReadable;
      const { shape, mayWriteUnseen } = statement.plan;
      const seen = { shape, mayWriteUnseen: mayWriteUnseen || !isReadable };
      this.#recording.steps(transaction, seen, operations, null);
      if (isReadable) return operations;
    } else this.#recording.steps(transaction, statement.plan, [], null);
    return null;
  }

  /** Adds the operations of one row; returns false if the row is unreadable. */
  #recordsWrite(transaction: Transaction, does: Writing, hidden: Rows[number], operations: string[]): boolean {
    const { redaction, tally } = this.#recording;
    const row = foundRow(does.source, hidden, redaction);
    if (row === 'unreadable') return false;
    const { table } = does.source;
    const isStale = does.kind === 'update' && table.returnsStaleOld && transaction.level === 'read committed';
    const old = does.old === null || isStale ? null : foundRow({ ...does.source, at: does.old }, hidden, redaction);
    if (old === 'unreadable') return false;
    if (old) {
      if (!this.#mayBeOwn(transaction, old)) operations.push(...this.#reads(transaction, old));
      // INSERT … ON CONFLICT DO UPDATE: the command tag does not show the number of updated rows.
      if (does.kind === 'insert') tally.change(table.name, 1);
    } else if (does.kind === 'update') tally.updatesUnknown(table.name);
    if (!row) return true;
    if (does.kind === 'delete') {
      if (!this.#mayBeOwn(transaction, row)) operations.push(...this.#reads(transaction, row));
      transaction.write(row.place, 'null');
      operations.push(`["put",${row.place},null]`);
    } else operations.push(this.#writes(transaction, row));
    return true;
  }

  /**
   * Returns whether a version is of unknown origin and may have been written by a trigger or a function of the
   * transaction: in a subtransaction, which has a different number, or before the transaction's own number was known.
   */
  #mayBeOwn(transaction: Transaction, { place, version, xmin }: FoundRow): boolean {
    if (!transaction.mayHaveWrittenUnseen || transaction.xmins.has(xmin)) return false;
    return !this.#recording.knowsWriter(place, version, xmin);
  }

  #reads(transaction: Transaction, row: FoundRow): string[] {
    const { place, version, xmin } = row;
    const read = `["get",${place},${version}]`;
    if (transaction.written.get(place)?.has(version)) return [read];
    // A trigger or a function wrote the version.
    if (transaction.xmins.has(xmin)) return [this.#writes(transaction, row), read];
    transaction.seen.push({ row: place, version, xmin });
    this.#recording.sees(place, version, xmin);
    return [read];
  }

  #writes(transaction: Transaction, { place, version, xmin }: FoundRow): string {
    transaction.xmins.add(xmin);
    transaction.write(place, version);
    this.#recording.writes(transaction, place, version);
    return `["put",${place},${version}]`;
  }

  ready(status: 'I' | 'T' | 'E'): void {
    if (status !== 'I' && this.#transaction?.isAnswered) this.#transaction.isExplicit = true;
    // A transaction that has only been sent follows the transaction of this answer.
    if (status !== 'I' || !this.#transaction?.isAnswered) return;
    const { isExplicit, hasFailed } = this.#transaction;
    if (hasFailed) this.#ends('aborted');
    // A transaction that began but did not end with COMMIT or ROLLBACK was ended by an unsupported statement, such as
    // PREPARE TRANSACTION.
    else this.#ends(isExplicit ? 'unknown' : 'committed');
  }

  failsToCommit(code: string): void {
    if (this.#transaction) Object.assign(this.#transaction, { hasFailed: true, refusal: code });
  }

  closes(why: 'gone' | 'unfollowed'): void {
    this.#pending.clear();
    if (!this.#transaction) return;
    const { isExplicit, hasFailed } = this.#transaction;
    // Outside a transaction, a completed statement may be committed later and the answer may be lost.
    const mayHaveHappened = isExplicit ? this.#commitSent : !hasFailed;
    this.#ends(mayHaveHappened || why === 'unfollowed' ? 'unknown' : 'aborted');
  }

  /** Any session may end the transaction from now on, at any time. */
  #prepares(name: string): void {
    this.#recording.prepares(name, this.#transaction!);
    this.#leaves();
  }

  #ends(outcome: 'committed' | 'aborted' | 'unknown'): void {
    const transaction = this.#transaction!;
    if (transaction.session === this.#name && (!transaction.isEmpty || transaction.isWritten))
      this.#previous = transaction;
    this.#recording.ends(transaction, outcome);
    this.#leaves();
  }

  #leaves(): void {
    this.#transaction = null;
    this.#commitSent = false;
    this.#settings.ends();
    // Not before the commit: only the session itself sees its uncommitted changes.
    if (this.#defined.size > 0) this.#recording.plans.forget(this.#defined);
    this.#defined.clear();
    const [next] = this.#pending;
    if (next) this.#begins(next.at);
  }
}
