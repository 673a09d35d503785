import type { Gate, Hold } from '../wire/gate.ts';
import type { AskServer, Parameters, Sent, SessionLog, Statement, TextlessStatement } from '../wire/statement.ts';

/** The log of a session whose statements a gate may delay. */
export class GatedLog<S extends Statement> implements SessionLog<S> {
  readonly #log: SessionLog<S>;
  readonly #gate: Gate;
  readonly #name: string;
  readonly #now: () => bigint;

  constructor(log: SessionLog<S>, gate: Gate, name: string, now: () => bigint) {
    this.#log = log;
    this.#gate = gate;
    this.#name = name;
    this.#now = now;
  }

  holds(text: string): Hold | null {
    return this.#gate.holds(this.#name, text);
  }

  plan(sql: string, isPrepared: boolean, ask: AskServer | null): readonly S[] | Promise<readonly S[]> {
    return this.#log.plan(sql, isPrepared, ask);
  }

  present(statement: S, ask: AskServer | null): S | Promise<S> {
    return this.#log.present?.(statement, ask) ?? statement;
  }

  withoutText(what: TextlessStatement): S {
    return this.#log.withoutText(what);
  }

  sends(statement: S, parameters: Parameters | null): Sent {
    if (statement.isAdded === true) return this.#log.sends(statement, parameters);
    this.#gate.sends(this.#name, { text: statement.text, parameters: listOf(parameters), at: this.#now() });
    const sent = this.#log.sends(statement, parameters);
    const fails = (code: string | null): void => {
      sent.fails(code);
      if (code !== null) this.#gate.fails(this.#name, code);
    };
    return { ...sent, fails };
  }

  reports(name: string, value: string): void {
    this.#log.reports?.(name, value);
  }

  ready(status: 'I' | 'T' | 'E'): void {
    this.#log.ready(status);
    this.#gate.rests(this.#name, status !== 'I');
  }

  failsToCommit(code: string): void {
    this.#log.failsToCommit?.(code);
    this.#gate.fails(this.#name, code);
  }

  closes(why: 'gone' | 'unfollowed'): void {
    this.#log.closes(why);
    this.#gate.closes(this.#name);
  }
}

const listOf = (parameters: Parameters | null): (string | Buffer | null)[] =>
  Array.from({ length: parameters?.length ?? 0 }, (_, i) => {
    const { value, isBinary } = parameters!.at(i)!;
    return value === null || isBinary ? value : value.toString();
  });
