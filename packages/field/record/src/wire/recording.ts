import type { Hold } from './gate.ts';
import type { AskServer, Parameters, Sent, SessionLog, Statement, TextlessStatement } from './statement.ts';

export interface Run<S extends Statement> {
  readonly statement: S;
  /** Null if nothing is recorded from then on. */
  readonly sent: Sent | null;
  isOver: boolean;
}

/** A wrapper of a session's log. If the log fails, the session continues and the log is closed. */
export class Recording<S extends Statement> {
  #log: SessionLog<S> | null;
  readonly #onProblem: (problem: string) => void;

  constructor(log: SessionLog<S> | null, onProblem: (problem: string) => void) {
    this.#log = log;
    this.#onProblem = onProblem;
  }

  holds(text: string): Hold | null {
    return this.#ask((log) => log.holds?.(text) ?? null);
  }

  /** Null if nothing is recorded. */
  plan(sql: string, isPrepared: boolean, ask: AskServer | null): readonly S[] | Promise<readonly S[] | null> | null {
    const plan = this.#ask((log) => log.plan(sql, isPrepared, ask));
    return plan instanceof Promise ? plan.catch((error: unknown) => this.#givesUp(error)) : plan;
  }

  /** Returns a prepared statement as it is now; null if nothing is recorded. */
  present(statement: S, ask: AskServer | null): S | Promise<S | null> | null {
    const present = this.#ask((log) => log.present?.(statement, ask) ?? statement);
    return present instanceof Promise ? present.catch((error: unknown) => this.#givesUp(error)) : present;
  }

  /** Returns executions of statements whose text is not on the wire. */
  unknown(what: TextlessStatement): readonly Run<S>[] {
    const statement = this.#ask((log) => log.withoutText(what));
    return statement === null ? [] : [this.begin(statement, null)];
  }

  begin(statement: S, parameters: Parameters | null): Run<S> {
    return { statement, sent: this.#ask((log) => log.sends(statement, parameters)), isOver: false };
  }

  wantsRows(run: Run<S>): boolean {
    return this.#log !== null && !run.isOver && run.sent?.row !== undefined;
  }

  row(run: Run<S>, hidden: readonly (string | null)[]): void {
    if (this.wantsRows(run)) this.#ask(() => run.sent!.row!(hidden));
  }

  suspends(run: Run<S>): void {
    if (!run.isOver) this.#ask(() => run.sent?.suspends?.());
  }

  resumes(run: Run<S>): void {
    if (!run.isOver) this.#ask(() => run.sent?.resumes?.());
  }

  completes(run: Run<S>, tag: string | null): void {
    if (run.isOver) return;
    run.isOver = true;
    this.#ask(() => run.sent?.complete(tag));
  }

  fails(run: Run<S>, code: string | null): void {
    if (run.isOver) return;
    run.isOver = true;
    this.#ask(() => run.sent?.fails(code));
  }

  failsToCommit(code: string): void {
    this.#ask((log) => log.failsToCommit?.(code));
  }

  reports(name: string, value: string): void {
    this.#ask((log) => log.reports?.(name, value));
  }

  ready(status: 'I' | 'T' | 'E'): void {
    this.#ask((log) => log.ready(status));
  }

  /** Closes the log, which receives nothing afterwards. */
  end(why: 'gone' | 'unfollowed'): void {
    const log = this.#log;
    this.#log = null;
    try {
      log?.closes(why);
    } catch (error) {
      this.#onProblem(`the log of a session failed after the session was over: ${textOf(error)}`);
    }
  }

  #ask<T>(question: (log: SessionLog<S>) => T): T | null {
    if (this.#log === null) return null;
    try {
      return question(this.#log);
    } catch (error) {
      return this.#givesUp(error);
    }
  }

  #givesUp(error: unknown): null {
    if (this.#log === null) return null;
    this.#onProblem(`the log of a session failed, so the rest of the session is not recorded: ${textOf(error)}`);
    this.end('unfollowed');
    return null;
  }
}

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
