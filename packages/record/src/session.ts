import { type FoundRow, foundRow, keyText } from './rows-of-result.ts';
import type { Parameter, Sent, SessionFacts, SessionLog } from './statement.ts';
import { levelNamed } from './sql/commands.ts';
import type { Table } from './sql/catalog.ts';
import type { Values } from './sql/condition.ts';
import type { Level, Planned, Scan } from './sql/planned.ts';
import type { Recording } from './recording.ts';
import { Transaction } from './transaction.ts';

/** What one connection does, in transactions. */
export class Session implements SessionLog<Planned> {
  readonly #recording: Recording;
  readonly #name: string;
  readonly #names: { schemas: readonly string[] | null; readonly unreadable: ReadonlySet<string> };
  #meaning: string;
  #level: Level;
  #transaction: Transaction | null = null;
  #previous: Transaction | null = null;
  #unanswered = 0;
  #commitSent = false;
  #changesDefinitions = false;

  constructor(recording: Recording, name: string, facts: SessionFacts, unreadable: ReadonlySet<string>) {
    this.#recording = recording;
    this.#name = name;
    this.#level = levelNamed(facts.settings['level'] ?? '') ?? 'read committed';
    const schemas = JSON.parse(facts.settings['schemas'] ?? '["public"]') as string[];
    this.#names = { schemas, unreadable };
    this.#meaning = JSON.stringify([facts.user, schemas]);
  }

  plan(sql: string): readonly Planned[] | Promise<readonly Planned[]> {
    return this.#recording.plan(sql, this.#meaning, (catalog) => ({ catalog, ...this.#names }));
  }

  sends(statement: Planned, parameters: readonly Parameter[] | null): Sent {
    const transaction = this.#current();
    const isKnown = this.#unanswered === 0;
    this.#unanswered++;
    if (statement.commits) {
      this.#commitSent = true;
      // From here on it may be committed, so that its line comes first. What is under way is not known yet.
      if (isKnown && transaction.isExplicit) this.#recording.mayCommit(transaction);
    } else if (!transaction.isExplicit) this.#recording.mayWrite(transaction, statement);
    return this.#answers(statement, parameters);
  }

  #answers(statement: Planned, parameters: readonly Parameter[] | null): Sent {
    const rows: (readonly (string | null)[])[] = [];
    return {
      ...(statement.hidden > 0 && { row: (_, hidden) => void rows.push(hidden) }),
      complete: (tag) => {
        this.#unanswered--;
        this.#completes(statement, parameters, rows, tag);
      },
      fails: () => {
        this.#unanswered--;
        this.#current().hasFailed = true;
      },
    };
  }

  /** The transaction under way; a statement outside one begins its own. */
  #current(): Transaction {
    if (!this.#transaction) {
      this.#transaction = new Transaction(this.#name, this.#previous, this.#recording.now(), this.#level);
      this.#recording.begins(this.#transaction);
    }
    return this.#transaction;
  }

  #completes(
    statement: Planned,
    parameters: readonly Parameter[] | null,
    rows: readonly (readonly (string | null)[])[],
    tag: string | null,
  ): void {
    const transaction = this.#current();
    const { does } = statement;
    this.#recording.counts(statement, tag);
    switch (does.kind) {
      case 'begin':
        transaction.isExplicit = true;
        transaction.level = does.level ?? this.#level;
        break;
      case 'commit':
      case 'rollback':
        this.#ends(tag === 'COMMIT' ? 'committed' : 'aborted');
        if (does.chains) this.#chains(transaction.level);
        break;
      case 'savepoint':
        transaction.savepoint(does.name);
        break;
      case 'rollback to':
        transaction.rollbackTo(does.name);
        transaction.hasFailed = false;
        break;
      case 'release':
        transaction.release(does.name);
        break;
      case 'level':
        if (does.scope === 'session') this.#level = does.level ?? this.#level;
        else transaction.level = does.level ?? transaction.level;
        break;
      case 'names':
        this.#names.schemas = null;
        this.#meaning = 'a search path that was changed';
        break;
      case 'definition':
        this.#changesDefinitions = true;
        break;
      case 'select':
      case 'insert':
      case 'update':
      case 'delete':
        this.#records(transaction, statement, parameters, rows);
        break;
      case 'other':
    }
  }

  #chains(level: Level): void {
    const next = this.#current();
    next.isExplicit = true;
    next.level = level;
  }

  #records(
    transaction: Transaction,
    statement: Planned,
    parameters: readonly Parameter[] | null,
    rows: readonly (readonly (string | null)[])[],
  ): void {
    const { does } = statement;
    const operations: string[] = [];
    if (does.kind === 'select') {
      const found = new Map<string, FoundRow>();
      for (const hidden of rows)
        for (const source of does.sources) {
          const row = foundRow(source, hidden, this.#recording.redaction);
          if (row) found.set(row.place, row);
        }
      for (const row of found.values()) operations.push(this.#reads(transaction, row));
      const isExact = !does.locks || transaction.level !== 'read committed';
      const scan =
        isExact && does.scan
          ? this.#absent(does.sources[0]!.table, does.scan, { parameters, literals: statement.literals }, found.size)
          : null;
      this.#recording.steps(transaction, statement.shape, operations, scan);
    } else if (does.kind === 'insert' || does.kind === 'update' || does.kind === 'delete') {
      for (const hidden of rows) {
        const row = foundRow(does.source, hidden, this.#recording.redaction);
        const old =
          does.old === null ? null : foundRow({ ...does.source, at: does.old }, hidden, this.#recording.redaction);
        if (old) {
          operations.push(this.#reads(transaction, old));
          // INSERT … ON CONFLICT DO UPDATE; its tag does not tell the rows that were updated.
          if (does.kind === 'insert') this.#recording.tally.change(does.source.table.name, 1);
        }
        if (!row) continue;
        if (does.kind === 'delete') operations.push(this.#reads(transaction, row), this.#deletes(transaction, row));
        else operations.push(this.#writes(transaction, row));
      }
      this.#recording.steps(transaction, statement.shape, operations, null);
    }
  }

  /** What a SELECT says of rows that it did not return, for the line of its transaction. */
  #absent(table: Table, scan: Scan, values: Values, rows: number): string | null {
    const { redaction } = this.#recording;
    const name = JSON.stringify(table.name);
    const point = scan.point?.(values) ?? null;
    if (point !== null) return rows > 0 ? null : `${name},null,${keyText(table, point, redaction)}`;
    return table.isWhole ? `${name},${JSON.stringify(redaction.condition(scan.where(values)))}` : null;
  }

  #reads(transaction: Transaction, { place, version, xmin }: FoundRow): string {
    if (!transaction.written.get(place)?.has(version)) {
      transaction.seen.push({ row: place, version });
      this.#recording.sees(place, version, xmin);
    }
    return `["get",${place},${version}]`;
  }

  #writes(transaction: Transaction, { place, version }: FoundRow): string {
    transaction.writes(place, version);
    this.#recording.writes(transaction, place, version);
    return `["put",${place},${version}]`;
  }

  #deletes(transaction: Transaction, { place }: FoundRow): string {
    transaction.writes(place, 'null');
    return `["put",${place},null]`;
  }

  ready(status: 'I' | 'T' | 'E'): void {
    this.#unanswered = 0;
    if (status !== 'I' || !this.#transaction) return;
    const { isExplicit, hasFailed } = this.#transaction;
    this.#ends(isExplicit || hasFailed ? 'aborted' : 'committed');
  }

  failsToCommit(): void {
    if (this.#transaction) this.#transaction.hasFailed = true;
  }

  closes(): void {
    if (!this.#transaction) return;
    const { isExplicit } = this.#transaction;
    const mayHaveHappened = this.#commitSent || (!isExplicit && this.#unanswered > 0);
    this.#ends(mayHaveHappened ? 'unknown' : 'aborted');
  }

  #ends(outcome: 'committed' | 'aborted' | 'unknown'): void {
    const transaction = this.#transaction!;
    this.#transaction = null;
    this.#commitSent = false;
    if (!transaction.isEmpty || transaction.isWritten) this.#previous = transaction;
    this.#recording.ends(transaction, outcome);
    // Not earlier: what is not committed, only its own session sees.
    if (this.#changesDefinitions) this.#recording.definitionsChange();
    this.#changesDefinitions = false;
  }
}
