import type { Socket } from 'node:net';
import type { Statement } from './statement.ts';
import { textOf } from './recording.ts';
import type { Session } from './session.ts';
import { abort, regulate, write } from './sockets.ts';

/** Moves bytes between two connections and through the session, until both are closed. */
export class Pump<S extends Statement> {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #session: Session<S>;
  readonly #onProblem: (problem: string) => void;
  #clientEnded = false;
  #serverEnded = false;

  constructor(client: Socket, server: Socket, session: Session<S>, onProblem: (problem: string) => void) {
    this.#onProblem = onProblem;
    this.#client = client;
    this.#server = server;
    this.#session = session;
  }

  start(): void {
    const client = this.#client;
    const server = this.#server;
    client.on('drain', () => this.#regulate()).on('end', () => this.#endClient());
    server.on('drain', () => this.#regulate()).on('end', () => this.#endServer());
    client.on('error', () => this.#abort(server)).on('close', () => this.#closed(server));
    server.on('error', () => this.#abort(client)).on('close', () => this.#closed(client));
    client.on('data', (chunk: Buffer) => this.#take('client', chunk));
    server.on('data', (chunk: Buffer) => this.#take('server', chunk));
    this.#regulate();
  }

  /** A bug in the proxy costs one connection, not all of them. */
  #take(from: 'client' | 'server', chunk: Buffer): void {
    try {
      this.#session[from](chunk);
      this.flush();
    } catch (error) {
      this.#onProblem(`a connection was closed because the proxy failed: ${textOf(error)}`);
      this.#abort(this.#client);
      this.#abort(this.#server);
    }
  }

  flush(): void {
    write(this.#server, this.#session.toServer);
    write(this.#client, this.#session.toClient);
    if (this.#clientEnded && !this.#session.isWaiting) this.#server.end();
    if (this.#session.isRefused) {
      this.#client.end();
      this.#server.destroy();
      return;
    }
    this.#regulate();
  }

  #regulate(): void {
    regulate(this.#client, !this.#server.writableNeedDrain && !this.#session.holdsBytes);
    regulate(this.#server, !this.#client.writableNeedDrain);
  }

  #endClient(): void {
    this.#clientEnded = true;
    // Its COMMIT may still wait, but a client waits for the end of its connection.
    if (this.#session.isAcknowledged) this.#client.end();
    this.flush();
  }

  #endServer(): void {
    this.#serverEnded = true;
    this.#session.end();
    this.flush();
    this.#client.end();
  }

  /** Destroys the other side too, after one side was lost: no more answers will arrive. */
  #abort(other: Socket): void {
    this.#session.end();
    if (!other.destroyed) abort(other);
  }

  #closed(other: Socket): void {
    if (other === this.#server && this.#clientEnded && this.#session.isAcknowledged) return;
    this.#session.end();
    const isOrderly = this.#clientEnded || this.#serverEnded || this.#session.isRefused;
    if (other.destroyed) return;
    if (isOrderly) other.end();
    else other.destroy();
  }
}
