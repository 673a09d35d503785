import { closedConnection } from './connect.ts';
import { setMaxListeners } from 'node:events';
import type { Connection } from '../database/database.ts';
import { SilentDatabase } from '../database/errors.ts';
import { Interrupted, pause } from '@isolab/engines';

/** Time without an answer after which a collection gives up. */
export const DEFAULT_STALL_MS = 60_000;

/** Ends a collection early, after an interrupt, a failure or a long silence. Closes connections that do not answer. */
export class Stop {
  readonly #asked = new AbortController();
  readonly #stallMs: number;
  readonly #connections = new Set<Connection>();
  #failure: { readonly error: unknown } | null = null;
  #lastAnswer = performance.now();

  constructor(stallMs: number, interrupted?: AbortSignal) {
    this.#stallMs = stallMs;
    setMaxListeners(0, this.#asked.signal); // every session adds a listener
    if (interrupted?.aborted) this.#asked.abort();
    interrupted?.addEventListener('abort', () => this.#asked.abort(), { signal: this.#asked.signal });
  }

  /** Signal that is aborted when the sessions must end. */
  get signal(): AbortSignal {
    return this.#asked.signal;
  }

  get isAsked(): boolean {
    return this.#asked.signal.aborted;
  }

  /** Records that the database has answered a session. */
  answered(): void {
    this.#lastAnswer = performance.now();
  }

  /** Makes sure that the connection does not outlast the collection. */
  watched(connection: Connection): Connection {
    this.#connections.add(connection);
    this.answered();
    return connection;
  }

  forget(connection: Connection): void {
    this.#connections.delete(connection);
  }

  async close(connection: Connection): Promise<void> {
    this.forget(connection);
    await closedConnection(connection);
  }

  /** Waits for all tasks, up to a time limit. Fails with the first error. */
  async during(tasks: readonly (() => Promise<void>)[]): Promise<void> {
    this.answered();
    const watch = setInterval(() => this.#lookForStall(), Math.min(1000, this.#stallMs / 4));
    const running = tasks.map((task) => task().catch((error: unknown) => this.#fail(error)));
    try {
      await Promise.race([Promise.all(running), this.#wayOut()]);
    } finally {
      clearInterval(watch);
    }
    if (this.#failure) throw this.#failure.error;
  }

  /** After a request to stop, gives transactions a while to end, then closes their connections. */
  async #wayOut(): Promise<void> {
    if (!this.isAsked) await new Promise((resolve) => this.signal.addEventListener('abort', resolve, { once: true }));
    await pause(this.#failure?.error instanceof Stalled ? 0 : TO_END_MS);
    for (const connection of this.#connections) connection.abandon();
    await pause(TO_NOTICE_MS);
  }

  #fail(error: unknown): void {
    if (!(error instanceof Interrupted)) this.#failure ??= { error };
    this.#asked.abort();
  }

  #lookForStall(): void {
    if (performance.now() - this.#lastAnswer < this.#stallMs || this.isAsked) return;
    const waits = [...this.#connections].map((one) => one.underWay?.()).find(Boolean);
    this.#fail(new Stalled(this.#stallMs, waits));
  }
}

class Stalled extends SilentDatabase {
  constructor(ms: number, waits?: string | null) {
    super(
      `The database answered no session for ${ms / 1000} seconds${waits ? `: ${waits}` : ''}. The file has the history up to that point.`,
    );
  }
}

const TO_END_MS = 1_500;
const TO_NOTICE_MS = 300;
