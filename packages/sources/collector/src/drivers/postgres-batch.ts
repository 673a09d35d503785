import type pg from 'pg';
import type { Phase } from '../database/outcomes.ts';
import { Exchange, Statement, simpleQuery, unsynced } from './postgres-messages.ts';

/**
 * Sends the statements of a connection's transactions. BEGIN is sent together with the first statement, and so is the
 * ROLLBACK of a transaction that the server has already undone. This saves two round trips. Each group ends with one
 * Sync: if BEGIN fails, the server skips the statement instead of running it outside a transaction.
 */
export class Batch {
  readonly #client: pg.Client;
  readonly #begin: string;
  readonly #beginBytes: Buffer;
  readonly #meaning: (error: Error, phase: Phase) => Error;
  readonly #statements = new Map<string, Statement>();
  #mustRollBack = false;
  #mustBegin = false;
  #isFailed = false;

  /** `meaning` translates the errors of the client. */
  constructor(client: pg.Client, begin: string, meaning: (error: Error, phase: Phase) => Error) {
    this.#client = client;
    this.#meaning = meaning;
    this.#begin = begin;
    this.#beginBytes = unsynced(begin);
  }

  begin(): void {
    this.#isFailed = false;
    this.#mustBegin = true;
  }

  /** Runs a statement, which the server prepares once. */
  statement(text: string, values: readonly unknown[]): Promise<readonly Record<string, unknown>[]> {
    let statement = this.#statements.get(text);
    if (statement === undefined) this.#statements.set(text, (statement = new Statement(nameOf(text), text)));
    return statement.isPrepared ? this.#run(statement, values) : this.#prepare(statement, values);
  }

  /** Runs a new statement. The server may skip it after a failed BEGIN, which would leave it unprepared. */
  async #prepare(statement: Statement, values: readonly unknown[]): Promise<readonly Record<string, unknown>[]> {
    await this.#sendDue();
    return this.#run(statement, values);
  }

  #run(statement: Statement, values: readonly unknown[]): Promise<readonly Record<string, unknown>[]> {
    return this.#exchange(statement.run(this.#due(), values), ({ rows }) => rows, { statement });
  }

  /** Commits and returns the command tag of the server. */
  async commit(): Promise<string> {
    if (this.#mustBegin) await this.#sendDue();
    return this.#exchange(COMMIT, ({ tag }) => tag, { phase: 'commit' });
  }

  /** After an error the server has already undone the transaction and only waits for ROLLBACK. */
  async rollback(): Promise<void> {
    if (this.#mustBegin) this.#mustBegin = false;
    else if (this.#isFailed) this.#mustRollBack = true;
    else await this.#exchange(simpleQuery('ROLLBACK'), () => {});
  }

  async #sendDue(): Promise<void> {
    const due = [...(this.#mustRollBack ? ['ROLLBACK'] : []), ...(this.#mustBegin ? [this.#begin] : [])];
    this.#mustRollBack = false;
    this.#mustBegin = false;
    for (const sql of due) await this.#exchange(simpleQuery(sql), () => {});
  }

  #due(): Buffer {
    if (!this.#mustBegin) return NOTHING;
    const due = this.#mustRollBack ? Buffer.concat([ROLLBACK, this.#beginBytes]) : this.#beginBytes;
    this.#mustRollBack = false;
    this.#mustBegin = false;
    return due;
  }

  #exchange<T>(
    bytes: Buffer,
    answer: (exchange: Exchange) => T,
    { statement = null, phase = 'statement' }: { readonly statement?: Statement | null; readonly phase?: Phase } = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const ended = (error: Error | null, exchange: Exchange): void => {
        if (error === null) return resolve(answer(exchange));
        this.#isFailed = true;
        reject(this.#meaning(error, phase));
      };
      this.#client.query(new Exchange(this.#client, bytes, statement, ended));
    });
  }
}

const COMMIT = simpleQuery('COMMIT');
const ROLLBACK = unsynced('ROLLBACK');
const NOTHING = Buffer.alloc(0);

/** Returns a short name for a statement, identical on all connections. */
function nameOf(sql: string): string {
  let name = NAMES.get(sql);
  if (name === undefined) NAMES.set(sql, (name = `isolab ${NAMES.size}`));
  return name;
}

const NAMES = new Map<string, string>();
