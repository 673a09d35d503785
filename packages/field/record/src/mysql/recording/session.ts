import type { Answer } from '../wire/asking.ts';
import type { SessionLog } from '../wire/connection.ts';
import type { Exchange, Result } from '../wire/dialogue.ts';
import { Command, Status } from '../wire/protocol.ts';
import type { Doing, InnodbLevel } from '../sql/doing.ts';
import { valueOf } from '../sql/condition.ts';
import { type Statement, levelNamed } from '../sql/statement.ts';
import type { Recording } from './recording.ts';
import type { SessionName, Step, Transaction } from './transaction.ts';

/** The errors after which InnoDB has rolled back the whole transaction: a deadlock, and a record that has changed. */
const ROLLED_BACK: ReadonlySet<number> = new Set([1213, 1020]);

/** The errors after which a transaction is to be tried again. */
const REFUSALS: ReadonlySet<number> = new Set([...ROLLED_BACK, 1205]);

type Locking = Extract<Doing, { kind: 'lock' }>;

const keyOf = ({ statement, parameters }: Pick<Step, 'statement' | 'parameters'>): string =>
  JSON.stringify([statement.text, parameters]);

interface Pending {
  readonly exchange: Exchange;
  /** The statements of its text; null if they are unknown. */
  readonly statements: readonly Statement[] | null;
  /** Number of results that have arrived. */
  answered: number;
}

const VARIABLES = [
  'tx_isolation',
  'transaction_isolation',
  'innodb_snapshot_isolation',
  'sql_log_bin',
  'completion_type',
];

/** Records the statements of one connection, in transactions. */
export class Session implements SessionLog {
  readonly #recording: Recording;
  readonly #name: SessionName;
  #schema: string | null = null;
  #level: InnodbLevel = 'repeatable read';
  #nextLevel: InnodbLevel | null = null;
  #hasSnapshots = false;
  #status: number = Status.autocommit;
  #transaction: Transaction | null = null;
  /** The end of the last transaction: without autocommit, the next transaction may have begun then. */
  #idleSince: bigint;
  readonly #temporary = new Set<string>();
  /** The names of locks that the session holds; a lock that was taken twice must be returned twice. */
  #locks: readonly string[] = [];
  readonly #pending = new Map<Exchange, Pending>();
  /** The reason why later statements are not recorded. */
  #unfollowed: string | null = null;

  constructor(recording: Recording, name: SessionName) {
    this.#recording = recording;
    this.#name = name;
    this.#idleSince = recording.now();
  }

  get questions(): readonly string[] {
    const names = VARIABLES.map((name) => `'${name}'`).join(',');
    const variables = `SELECT VARIABLE_NAME, VARIABLE_VALUE FROM information_schema.SESSION_VARIABLES WHERE VARIABLE_NAME IN (${names}) UNION ALL SELECT 'database', DATABASE()`;
    // The last question leaves no warning and no number of rows.
    return [`SET SESSION server_id=${this.#name.serverId}`, variables, 'DO 0'];
  }

  begins([marked, variables]: readonly Answer[]): string | null {
    this.#idleSince = this.#recording.now();
    if (!marked || !variables) return 'its user may not set server_id: GRANT BINLOG REPLAY ON *.* TO that user';
    if (variables.get('sql_log_bin') === 'OFF') return 'its writes are not in the binary log';
    if ((variables.get('completion_type') ?? 'NO_CHAIN') !== 'NO_CHAIN') return 'completion_type is not NO_CHAIN';
    this.#schema = variables.get('database') || null;
    const level = variables.get('tx_isolation') ?? variables.get('transaction_isolation') ?? '';
    this.#level = levelNamed(level) ?? 'repeatable read';
    this.#hasSnapshots = variables.get('innodb_snapshot_isolation') === 'ON';
    return null;
  }

  sends(exchange: Exchange): void {
    this.#pending.set(exchange, { exchange, statements: null, answered: 0 });
  }

  wantsRows(exchange: Exchange): boolean {
    const { statements, answered } = this.#planned(exchange);
    const kind = statements?.[answered]?.does.kind;
    return (kind === 'select' || kind === 'lock') && this.#unfollowed === null;
  }

  /** Parses the statement when its first answer arrives: only then are the characters' meanings certain. */
  #planned(exchange: Exchange): Pending {
    const pending = this.#pending.get(exchange)!;
    if (pending.statements !== null || exchange.sql === null) return pending;
    const planned = { ...pending, statements: this.#recording.statements(exchange.sql, this.#status) };
    this.#pending.set(exchange, planned);
    return planned;
  }

  completes(exchange: Exchange): void {
    this.#pending.delete(exchange);
  }

  answers(exchange: Exchange, result: Result): void {
    const pending = this.#planned(exchange);
    const i = pending.answered++;
    const isQuery = exchange.command === Command.query || exchange.command === Command.execute;
    if (exchange.command === Command.initDb) {
      if (result.ok) this.#schema = exchange.sql ?? this.#schema;
    } else if (isQuery || exchange.command === Command.bulkExecute) {
      const statement = pending.statements?.[i] ?? this.#recording.unreadable;
      const isUnknown = pending.statements === null || i >= pending.statements.length;
      if (isUnknown && this.#unfollowed === null) this.#leaves(`a result of unknown origin`);
      this.#takes(exchange, statement, result);
    }
    if (result.ok && exchange.command !== Command.bulkExecute) this.#status = result.ok.status;
  }

  #leaves(reason: string): void {
    this.#unfollowed = reason;
    this.#recording.leaves(this.#name, reason);
  }

  #takes(exchange: Exchange, statement: Statement, { ok, error, columns, rows, isWhole }: Result): void {
    const { does } = statement;
    const now = this.#recording.now();
    const { shape, opaque, mayWrite } = statement;
    this.#recording.tally.countShape({ shape, opaque, mayWriteUnseen: mayWrite });
    if (error) {
      this.#fails(statement, exchange, error.code, now);
      return;
    }
    const isInTransaction = ((ok?.status ?? 0) & Status.inTransaction) !== 0;
    switch (does.kind) {
      case 'begin':
        if (this.#transaction) this.#ends('committed', exchange.sent, now);
        this.#begins(exchange.sent, true, does.hasSnapshot);
        return;
      case 'commit':
      case 'rollback':
        if (this.#transaction) this.#ends(does.kind === 'commit' ? 'committed' : 'aborted', exchange.sent, now);
        if (does.chains) this.#begins(exchange.sent, true, false);
        return;
      case 'savepoint':
        this.#transaction?.savepoints.push({ name: does.name, steps: this.#transaction.steps.length });
        return;
      case 'rollback to':
        this.#rollsBackTo(does.name);
        return;
      case 'release':
        return;
      case 'use':
        this.#schema = does.schema;
        return;
      case 'lock':
        this.#locksOrUnlocks(does, exchange.parameters, rows[0]?.[0] === '1');
        return;
      case 'level':
        if (does.scope === 'session') this.#level = does.level;
        else this.#nextLevel = does.level;
        return;
      case 'set':
        for (const [name, value] of does.values) this.#sets(name, value);
        return;
      case 'definition':
        // CREATE TEMPORARY TABLE commits nothing; other definitions commit.
        if (does.temporary !== null) this.#temporary.add(does.temporary);
        else if (this.#transaction) this.#ends('committed', exchange.sent, now);
        return;
      case 'unknown':
        if (this.#unfollowed === null) this.#leaves(statement.opaque ?? 'a statement');
    }
    if (this.#transaction === null && !isInTransaction && does.kind === 'other' && !statement.mayWrite) return;
    const transaction = this.#transaction ?? this.#begins(exchange.sent, false, false);
    const isHidden = does.kind === 'select' && does.tables.some(({ table }) => this.#temporary.has(table));
    const found = does.kind === 'select' && !isHidden ? { columns, rows, isWhole } : null;
    const { changed, matched } = this.#effectOf(statement, ok?.affected ?? null, ok?.info ?? '', columns.length > 0);
    const { parameters, sent } = exchange;
    const isPrepared = exchange.command !== Command.query;
    const told = { statement, parameters, isPrepared, sent, answered: now, schema: this.#schema };
    if (transaction.steps.length === 0) this.#recording.refusals.begins(() => keyOf(told));
    transaction.steps.push({ ...told, changed, matched, found });
    if (!isInTransaction) this.#ends(does.kind === 'unknown' ? 'unknown' : 'committed', exchange.sent, now);
  }

  #locksOrUnlocks({ takes, name: given }: Locking, parameters: Exchange['parameters'], isDone: boolean): void {
    const name = given && String(valueOf(given, parameters)).toLowerCase();
    const held = this.#transaction?.locks;
    if (takes && isDone) {
      this.#locks = [...this.#locks, name!];
      held?.push({ step: this.#transaction!.steps.length, name: name! });
    } else if (!takes) {
      const at = this.#locks.indexOf(name!);
      this.#locks = name === null ? [] : this.#locks.filter((_, i) => i !== at);
      held?.splice(0, held.length, ...held.filter((each) => this.#locks.includes(each.name)));
    }
  }

  #effectOf({ does, mayWrite }: Statement, affected: number | null, info: string, hasRows: boolean) {
    if (does.kind !== 'update' && does.kind !== 'write') return { changed: mayWrite ? null : 0, matched: null };
    const [, matched, changed] = /^Rows matched: (\d+)\s+Changed: (\d+)/.exec(info) ?? [];
    if (matched !== undefined)
      return { changed: this.#temporary.size > 0 ? null : Number(changed), matched: Number(matched) };
    const isUncertain = does.kind === 'update' || does.mayKeep || hasRows || this.#temporary.size > 0;
    return { changed: affected === 0 && !hasRows ? 0 : isUncertain ? null : affected, matched: null };
  }

  #sets(name: string, value: string | null): void {
    const text = (value ?? '').toUpperCase();
    const isOn = text === 'ON' || text === '1' || text === 'TRUE';
    const level = levelNamed(text);
    if (/^(next )?(tx|transaction)_isolation$/.test(name)) {
      if (level === null) this.#leaves(`SET ${name}`);
      else if (name.startsWith('next ')) this.#nextLevel = level;
      else this.#level = level;
    } else if (name === 'innodb_snapshot_isolation') {
      this.#hasSnapshots = isOn;
      if (!isOn && !/^(OFF|0|FALSE)$/.test(text)) this.#leaves(`SET ${name}`);
    } else if (
      /^(next )?(sql_log_bin|server_id|completion_type|binlog_format|gtid_domain_id|tx_read_only)$/.test(name) &&
      !/tx_read/.test(name)
    )
      this.#leaves(`SET ${name}`);
  }

  #fails(statement: Statement, exchange: Exchange, code: number, now: bigint): void {
    const { does } = statement;
    const { sent, parameters } = exchange;
    if (REFUSALS.has(code)) {
      const first = this.#transaction?.steps[0] ?? { statement, parameters };
      this.#recording.refusals.refuses(keyOf(first), String(code), first.statement.shape);
    }
    if (!this.#transaction) return;
    if (ROLLED_BACK.has(code)) this.#ends('aborted', sent, now);
    else if (does.kind === 'commit') this.#ends('unknown', sent, now);
    else if (does.kind === 'definition' && does.temporary === null) this.#ends('unknown', sent, now);
    // A procedure may have written rows before it failed.
    else if (does.kind === 'unknown' && this.#unfollowed === null) this.#leaves('a statement that failed');
  }

  #begins(sent: bigint, isExplicit: boolean, hasSnapshotAtBegin: boolean): Transaction {
    const isAutocommit = (this.#status & Status.autocommit) !== 0;
    const transaction: Transaction = {
      session: this.#name,
      level: this.#nextLevel ?? this.#level,
      hasSnapshots: this.#hasSnapshots,
      begin: isExplicit || isAutocommit ? sent : this.#idleSince,
      isExplicit: isExplicit || !isAutocommit,
      hasSnapshotAtBegin,
      steps: [],
      locks: this.#locks.map((name) => ({ step: 0, name })),
      savepoints: [],
      committing: null,
      end: null,
      outcome: null,
    };
    this.#nextLevel = null;
    this.#transaction = transaction;
    return transaction;
  }

  #rollsBackTo(name: string): void {
    const { savepoints = [], steps = [] } = this.#transaction ?? {};
    const i = savepoints.findLastIndex((each) => each.name === name);
    if (i < 0) return;
    steps.length = Math.min(steps.length, savepoints[i]!.steps);
    savepoints.length = i + 1;
  }

  #ends(outcome: 'committed' | 'aborted' | 'unknown', committing: bigint, end: bigint | null): void {
    const transaction = this.#transaction!;
    this.#transaction = null;
    this.#idleSince = this.#recording.now();
    Object.assign(transaction, { outcome, committing, end });
    this.#recording.ends(transaction, this.#unfollowed !== null);
  }

  closes(): void {
    const [next] = this.#pending.keys();
    const sent = next?.sent ?? this.#recording.now();
    const statements = next?.sql ? this.#recording.statements(next.sql, this.#status) : [];
    const mayEnd =
      statements?.every(({ does }) =>
        /^(select|update|write|savepoint|rollback to|release|rollback)$/.test(does.kind),
      ) === false;
    if (this.#transaction) this.#ends(mayEnd || (next && this.#pending.size > 1) ? 'unknown' : 'aborted', sent, null);
    // A statement without an answer may have been committed on its own.
    else if (next && this.#unfollowed === null) {
      const transaction = this.#begins(sent, false, false);
      for (const statement of statements ?? [])
        if (statement.mayWrite || /^(update|write)$/.test(statement.does.kind))
          transaction.steps.push({
            statement,
            parameters: null,
            isPrepared: next.command !== Command.query,
            sent,
            answered: sent,
            schema: this.#schema,
            changed: null,
            matched: null,
            found: null,
          });
      this.#ends('unknown', sent, null);
    }
    this.#pending.clear();
  }
}
