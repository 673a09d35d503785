import type { Gate, Hold } from '../../wire/gate.ts';
import type { Answer } from '../wire/asking.ts';
import type { SessionLog } from '../wire/connection.ts';
import type { Exchange, Result } from '../wire/dialogue.ts';
import { Command, Status } from '../wire/protocol.ts';

/** The log of a session whose statements a gate may delay. */
export class GatedLog implements SessionLog {
  readonly #log: SessionLog;
  readonly #gate: Gate;
  readonly #name: string;
  #isInTransaction = false;

  constructor(log: SessionLog, gate: Gate, name: string) {
    this.#log = log;
    this.#gate = gate;
    this.#name = name;
  }

  get questions(): readonly string[] {
    return this.#log.questions;
  }

  begins(answers: readonly Answer[]): string | null {
    return this.#log.begins(answers);
  }

  holds(text: string): Hold | null {
    return this.#gate.holds(this.#name, text);
  }

  sends(exchange: Exchange): void {
    const { command, sql, parameters, sent: at } = exchange;
    if (sql !== null && isStatement(command))
      this.#gate.sends(this.#name, { text: sql, parameters: parameters ?? [], at });
    this.#log.sends(exchange);
  }

  wantsRows(exchange: Exchange): boolean {
    return this.#log.wantsRows(exchange);
  }

  answers(exchange: Exchange, result: Result): void {
    this.#log.answers(exchange, result);
    if (result.ok) this.#isInTransaction = (result.ok.status & Status.inTransaction) !== 0;
    if (result.error) this.#gate.fails(this.#name, String(result.error.code));
  }

  completes(exchange: Exchange): void {
    this.#log.completes(exchange);
    if (isStatement(exchange.command)) this.#gate.rests(this.#name, this.#isInTransaction);
  }

  closes(): void {
    this.#log.closes();
    this.#gate.closes(this.#name);
  }
}

const isStatement = (command: number): boolean => command === Command.query || command === Command.execute;
