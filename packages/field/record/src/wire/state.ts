import type { AskServer, Parameters, Statement } from './statement.ts';
import { Expectations } from './expectations.ts';
import { Names } from './names.ts';
import type { Output } from './output.ts';
import { type Question, sendQuestion } from './question.ts';
import type { Recording, Run } from './recording.ts';

/** A statement with its parameters. */
export interface Portal<S extends Statement> {
  readonly statement: S;
  readonly parameters: Parameters;
  /** The portal's run, from its first Execute on. */
  run: Run<S> | null;
}

/** A prepared statement with the numbers of its parameters' types, as far as the client gave them. */
export interface Prepared<S extends Statement> {
  readonly statement: S;
  readonly types: readonly number[];
}

/** The state that both sides of a session share. */
export class State<S extends Statement> {
  readonly toServer: Output;
  readonly toClient: Output;
  readonly recording: Recording<S>;
  readonly expectations: Expectations<S>;
  readonly statements = new Names<Prepared<S>>();
  readonly portals = new Names<Portal<S>>();
  /** A query of the recording that the server has not yet answered. */
  question: Question | null = null;
  /** The completion of the client's last statement, which is only known to be committed once the added one is over. */
  held: Buffer | null = null;
  /** States that a COMMIT is acknowledged to the client, and waits. */
  isAcknowledged = false;
  /** States that the server answers a COMMIT that was acknowledged before. */
  isMuted = false;

  readonly #flush: () => void;

  constructor(recording: Recording<S>, toServer: Output, toClient: Output, flush: () => void) {
    this.#flush = flush;
    this.recording = recording;
    this.toServer = toServer;
    this.toClient = toClient;
    this.expectations = new Expectations(recording);
  }

  /** The recording may ask the server while it waits for the client's next messages. */
  get ask(): AskServer | null {
    return this.expectations.isAtRest ? this.#ask : null;
  }

  readonly #ask: AskServer = (sql) =>
    new Promise((answer) => {
      this.question = { row: null, answer };
      sendQuestion(this.toServer, sql);
      this.#flush();
    });

  /** Sends the held message to the client. */
  release(): void {
    if (this.held !== null) this.toClient.give(this.held);
    this.held = null;
  }
}
