import { type Socket, connect } from 'node:net';
import type { Hold } from '../../wire/gate.ts';
import { Asked, type Answer } from './asking.ts';
import { Dialogue, type Listener } from './dialogue.ts';
import { Framer, type Packet, framed } from './framer.ts';
import {
  COMMITTED,
  Capability,
  type ClientFacts,
  Command,
  type Greeting,
  Head,
  clientFactsOf,
  greetingOf,
} from './protocol.ts';

/** The session of a connection, as its recorder sees it. */
export interface SessionLog extends Listener {
  /** Queries that the server must answer before the client's first command. */
  readonly questions: readonly string[];
  /** Returns how long a statement must wait; null sends it at once. */
  holds?(text: string): Hold | null;
  /** Called with the answers; returns the reason if the session cannot be recorded. */
  begins(answers: readonly Answer[]): string | null;
  /** Called if the connection ends or can no longer be recorded. */
  closes(): void;
}

export interface ConnectionOptions {
  readonly upstream: { readonly host: string; readonly port: number };
  readonly open: (facts: ClientFacts, server: { readonly version: string; readonly connection: number }) => SessionLog;
  readonly now: () => bigint;
  readonly onProblem: (problem: string) => void;
}

type Phase = 'greeting' | 'authentication' | 'asking' | 'commands' | 'passing';

/**
 * A relay between a client and the server. Bytes pass unchanged, except for the greeting, which offers neither TLS nor
 * compression. Between the authentication and the first command, the relay asks questions of its own.
 */
export class Connection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #options: ConnectionOptions;
  readonly #fromClient = new Framer();
  readonly #fromServer = new Framer();
  #phase: Phase = 'greeting';
  #greeting: Greeting | null = null;
  #facts: ClientFacts | null = null;
  #log: SessionLog | null = null;
  #dialogue: Dialogue | null = null;
  /** Bytes of the server that wait until their packet is complete or the questions are answered. */
  #held: Buffer[] = [];
  /** Chunks of the client that wait until the questions are answered. */
  #waiting: Buffer[] = [];
  #asked: { readonly at: Asked; readonly answers: Answer[] } | null = null;
  /** States that a statement waits; later chunks of the client wait behind it. */
  #isHolding = false;
  /** States that a COMMIT is acknowledged to the client, and not yet answered by the server. */
  #isAcknowledged = false;
  readonly #onceAnswered: (() => void)[] = [];
  /** States that the server answers a COMMIT that was acknowledged before. */
  #isMuted = false;
  readonly closed: Promise<void>;

  constructor(client: Socket, options: ConnectionOptions) {
    this.#client = client;
    this.#options = options;
    this.#server = connect({ ...options.upstream, noDelay: true, allowHalfOpen: true });
    client.setNoDelay(true);
    client.on('data', (chunk: Buffer) =>
      this.#guarded(
        () => this.#readsClient(chunk),
        () => this.#write(this.#server, chunk, client),
      ),
    );
    this.#server.on('data', (chunk: Buffer) =>
      this.#guarded(
        () => this.#readsServer(chunk),
        () => this.#write(client, chunk, this.#server),
      ),
    );
    client.on('end', () => this.#afterHold(() => this.#server.end()));
    this.#server.on('end', () => client.end());
    client.on('error', () => this.#server.destroy());
    this.#server.on('error', () => client.destroy());
    this.closed = new Promise((resolve) => {
      let open = 2;
      const close = (other: Socket): void => {
        other.destroySoon();
        this.#stops();
        if (--open === 0) resolve();
      };
      client.on('close', () => this.#afterHold(() => close(this.#server)));
      this.#server.on('close', () => {
        this.#ends();
        close(client);
      });
    });
  }

  /** Does something once the server has answered the acknowledged COMMIT. */
  #afterHold(then: () => void): void {
    if (!this.#isAcknowledged) then();
    else {
      this.#client.end();
      this.#onceAnswered.push(then);
    }
  }

  /** Notes that no COMMIT is waiting any more. */
  #ends(): void {
    this.#isAcknowledged = this.#isMuted = false;
    for (const then of this.#onceAnswered.splice(0)) then();
  }

  close(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  #stops(): void {
    const log = this.#log;
    this.#log = null;
    log?.closes();
  }

  /** Passes all later bytes, without looking at them. */
  #passes(reason: string | null): void {
    if (reason !== null && this.#phase !== 'passing')
      this.#options.onProblem(`A connection is not recorded: ${reason}.`);
    this.#phase = 'passing';
    this.#stops();
  }

  /** Reads a chunk with `read`. If the chunk cannot be understood, it passes unchanged, and so do all later ones. */
  #guarded(read: () => void, pass: () => void): void {
    if (this.#phase === 'passing') {
      pass();
      return;
    }
    try {
      read();
    } catch (error) {
      this.#passes(`it does not follow the protocol (${(error as Error).message})`);
      this.#release();
    }
  }

  #write(to: Socket, bytes: Buffer, from: Socket): void {
    if (this.#isMuted && to === this.#client) return;
    if (bytes.length === 0 || to.write(bytes) || to.destroyed) return;
    if (from.isPaused()) return;
    from.pause();
    to.once('drain', () => from.resume());
  }

  #readsClient(chunk: Buffer): void {
    if (this.#phase === 'asking' || this.#isHolding) {
      this.#waiting.push(chunk);
      return;
    }
    const hold = this.#phase === 'commands' ? this.#holdOf(chunk) : null;
    if (hold === null) this.#relays(chunk);
    else this.#hold(hold, chunk);
  }

  /** Asks whether the statement that a chunk begins with must wait. */
  #holdOf(chunk: Buffer): Hold | null {
    if (!this.#fromClient.isIdle || chunk.length < 5) return null;
    const statement = this.#dialogue!.statementIn(chunk.subarray(4, 4 + chunk.readUIntLE(0, 3)));
    return statement === null ? null : (this.#log?.holds?.(statement) ?? null);
  }

  #hold({ until, isAcknowledged }: Hold, chunk: Buffer): void {
    this.#isHolding = true;
    this.#isAcknowledged = isAcknowledged;
    if (isAcknowledged) this.#write(this.#client, COMMITTED, this.#server);
    void until.then(() => {
      this.#isHolding = false;
      this.#isMuted = isAcknowledged;
      this.#guarded(
        () => this.#relays(chunk),
        () => this.#write(this.#server, chunk, this.#client),
      );
      this.#release();
    });
  }

  #relays(chunk: Buffer): void {
    let reason: string | null = null;
    let failure: unknown = null;
    try {
      for (const { payload } of this.#fromClient.push(chunk)) {
        if (this.#phase === 'authentication') this.#facts ??= this.#clientFacts(payload);
        else if (this.#phase === 'commands') reason ??= this.#dialogue!.sends(payload);
      }
    } catch (error) {
      failure = error;
    }
    this.#write(this.#server, chunk, this.#client);
    if (reason !== null) this.#passes(reason);
    if (failure !== null) throw failure;
  }

  #clientFacts(payload: Buffer): ClientFacts {
    const { version, capabilities } = this.#greeting!;
    const facts = clientFactsOf(payload);
    const wanted = facts.capabilities & (Capability.tls | Capability.compress | Capability.zstd);
    // Both sides must have a capability.
    const shared = (facts.capabilities & capabilities) | wanted;
    return { ...facts, capabilities: shared, mariadb: version.includes('MariaDB') ? facts.mariadb : 0 };
  }

  #readsServer(chunk: Buffer): void {
    // Whole packets are needed where an answer may have to wait.
    const isCareful = this.#phase !== 'commands' || this.#isResetting;
    let from = 0;
    let isWhole = true;
    let failure: unknown = null;
    try {
      for (const packet of this.#fromServer.push(chunk)) {
        if (this.#phase === 'passing') break;
        const part = chunk.subarray(from, packet.end);
        from = packet.end;
        this.#readsPacket(packet, part, isCareful);
      }
      isWhole = this.#fromServer.isIdle;
    } catch (error) {
      failure = error;
    }
    const rest = chunk.subarray(from);
    // While the recorder asks, the rest belongs to its answer.
    if (
      failure !== null ||
      (isCareful &&
        !isWhole &&
        (this.#phase === 'greeting' || this.#phase === 'authentication' || this.#phase === 'commands'))
    )
      this.#held.push(rest);
    else if (this.#phase !== 'asking') this.#write(this.#client, rest, this.#server);
    if (failure !== null) throw failure;
  }

  get #isResetting(): boolean {
    return this.#dialogue?.isResetting === true;
  }

  #readsPacket({ payload }: Packet, bytes: Buffer, isCareful: boolean): void {
    switch (this.#phase) {
      case 'greeting': {
        const greeting = payload[0] === Head.error ? null : greetingOf(payload);
        this.#greeting = greeting;
        const whole = Buffer.concat([...this.#held, bytes]);
        this.#held = [];
        this.#write(
          this.#client,
          greeting ? Buffer.concat([whole.subarray(0, 4), greeting.plain]) : whole,
          this.#server,
        );
        if (greeting) this.#phase = 'authentication';
        else this.#passes(null);
        return;
      }
      case 'authentication':
        this.#held.push(bytes);
        if (payload[0] === Head.ok) this.#begins();
        else this.#release();
        return;
      case 'asking':
        this.#answered(payload);
        return;
      case 'commands': {
        if (!isCareful) {
          this.#write(this.#client, bytes, this.#server);
          this.#dialogue!.answers(payload);
          if (this.#isMuted && this.#dialogue!.pending === 0) this.#ends();
          return;
        }
        this.#held.push(bytes);
        const done = this.#dialogue!.answers(payload);
        const isReset = done?.command === Command.resetConnection || done?.command === Command.changeUser;
        if (isReset && payload[0] === Head.ok) this.#begins();
        else this.#release();
      }
    }
  }

  /** Sends the bytes that the client waits for. */
  #release(): void {
    const held = this.#held;
    this.#held = [];
    if (held.length > 0) this.#write(this.#client, Buffer.concat(held), this.#server);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const chunk of waiting)
      if (this.#phase === 'passing') this.#write(this.#server, chunk, this.#client);
      else
        this.#guarded(
          () => this.#readsClient(chunk),
          () => this.#write(this.#server, chunk, this.#client),
        );
  }

  /** Begins a session: the client has authenticated itself, or has reset its connection. */
  #begins(): void {
    this.#stops();
    if (this.#facts === null || (this.#dialogue?.pending ?? 0) > 0 || !this.#fromClient.isIdle) {
      this.#passes('it sends commands before it has their answers');
      this.#release();
      return;
    }
    if (this.#facts.capabilities & (Capability.tls | Capability.compress | Capability.zstd)) {
      this.#passes('it uses TLS or compression');
      this.#release();
      return;
    }
    this.#log = this.#options.open(this.#facts, this.#greeting!);
    this.#phase = 'asking';
    this.#ask([]);
  }

  #ask(answers: Answer[]): void {
    const question = this.#log!.questions[answers.length];
    if (question === undefined) {
      const reason = this.#log!.begins(answers);
      this.#asked = null;
      this.#dialogue = new Dialogue(this.#facts!, this.#log!, this.#options.now);
      this.#phase = 'commands';
      if (reason !== null) this.#passes(reason);
      this.#release();
      return;
    }
    const { capabilities } = this.#facts!;
    this.#asked = { at: new Asked((capabilities & Capability.withoutEof) === 0), answers };
    this.#server.write(framed(Buffer.concat([commandOf(this.#facts!), Buffer.from(question)])));
  }

  #answered(payload: Buffer): void {
    const answer = this.#asked!.at.read(payload);
    if (answer !== undefined) this.#ask([...this.#asked!.answers, answer]);
  }
}

/** The start of a COM_QUERY without attributes. */
const commandOf = ({ capabilities }: ClientFacts): Buffer =>
  Buffer.from(capabilities & Capability.queryAttributes ? [Command.query, 0, 1] : [Command.query]);
