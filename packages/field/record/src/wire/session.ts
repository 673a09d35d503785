import type { SessionFacts, SessionLog, Statement } from './statement.ts';
import { ClientSide } from './client-side.ts';
import { Framer } from './framer.ts';
import { type ChannelBinding, Greeting } from './greeting.ts';
import { Client, Server } from './message-types.ts';
import { Output } from './output.ts';
import { Recording, textOf } from './recording.ts';
import { ServerSide } from './server-side.ts';
import { State } from './state.ts';

export interface SessionOptions<S extends Statement> {
  readonly user: string;
  readonly database: string;
  readonly applicationName: string | null;
  readonly channelBinding: ChannelBinding;
  readonly settingsQueries: Readonly<Record<string, string>>;
  /** Called when the database has accepted the client, which waits for the result. */
  readonly open: (facts: SessionFacts) => SessionLog<S> | Promise<SessionLog<S>>;
  readonly onProblem: (problem: string) => void;
  /** Called when a promise that delayed output has resolved: more can be sent, although no input arrived. */
  readonly onProgress: () => void;
}

/**
 * A session from its first message after the StartupMessage: bytes in, bytes out. It does not use sockets. `toServer`
 * and `toClient` collect the outgoing bytes.
 */
export class Session<S extends Statement> {
  readonly toServer = new Output();
  readonly toClient = new Output();
  readonly #options: SessionOptions<S>;
  readonly #fromClient: Framer;
  readonly #fromServer: Framer;
  readonly #greeting: Greeting;
  #state: State<S> | null = null;
  #clientSide: ClientSide<S> | null = null;
  #recording: Recording<S> | null = null;
  #isRaw = false;
  #isOver = false;
  /** States that the client is to be disconnected with the error that it received. */
  isRefused = false;

  constructor(options: SessionOptions<S>) {
    this.#options = options;
    const greeting = new Greeting(
      {
        ...options,
        onFacts: (facts) => void this.#open(facts),
        onRefusal: () => void (this.isRefused = true),
        loses: (why) => this.#passAll(why),
      },
      this.toServer,
      this.toClient,
    );
    this.#greeting = greeting;
    this.#fromClient = new Framer(Client, this.toServer, greeting.clientReader);
    this.#fromServer = new Framer(Server, this.toClient, greeting.serverReader);
  }

  /** States that input from the client is being delayed. */
  get isWaiting(): boolean {
    return this.holdsBytes || this.#clientSide?.isPlanning === true;
  }

  /** States that a COMMIT is acknowledged to the client, and not yet answered by the server. */
  get isAcknowledged(): boolean {
    return this.#state !== null && (this.#state.isAcknowledged || this.#state.isMuted);
  }

  /** States that the client should stop sending. */
  get holdsBytes(): boolean {
    return this.#fromClient.isWaiting;
  }

  client(chunk: Buffer): void {
    this.#fromClient.feed(chunk);
  }

  server(chunk: Buffer): void {
    this.#fromServer.feed(chunk);
    if (this.#state?.isMuted !== true) return;
    this.toClient.take();
    this.#state.isMuted = !this.#state.expectations.isAtRest;
  }

  /** Handles the end of the server's answers. */
  end(): void {
    this.#isOver = true;
    this.#recording?.end('gone');
  }

  /** Stops following: all bytes pass in both directions, and the log is closed. */
  #passAll(why: string): void {
    if (this.#isRaw) return;
    this.#isRaw = true;
    if (!this.#isOver)
      this.#options.onProblem(`${why}. The rest of the session passes unchanged, and is not recorded.`);
    this.#recording?.end('unfollowed');
    this.#greeting.letIn();
    this.#state?.release();
    this.#clientSide?.passAll();
    this.#fromClient.passAll();
    this.#fromServer.passAll();
  }

  async #open(facts: SessionFacts): Promise<void> {
    let log: SessionLog<S> | null = null;
    try {
      const opened = this.#options.open(facts);
      log = opened instanceof Promise ? await opened : opened;
    } catch (error) {
      this.#options.onProblem(`no log could be opened, so a session is not recorded: ${textOf(error)}`);
    }
    this.#begin(log);
  }

  #begin(log: SessionLog<S> | null): void {
    const recording = new Recording(log, this.#options.onProblem);
    this.#recording = recording;
    if (this.#isRaw || this.#isOver) {
      recording.end(this.#isOver ? 'gone' : 'unfollowed');
      return;
    }
    const state = new State(recording, this.toServer, this.toClient, this.#options.onProgress);
    this.#state = state;
    const loses = (why: string): void => this.#passAll(why);
    this.#clientSide = new ClientSide(state, () => this.#resume(), loses);
    this.#fromClient.reader = this.#clientSide;
    this.#fromServer.reader = new ServerSide(state, loses);
    this.#greeting.letIn();
    this.#resume();
  }

  #resume(): void {
    this.#fromClient.resume();
    this.#options.onProgress();
  }
}
