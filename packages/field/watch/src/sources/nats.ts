/** A stream of NATS JetStream: requests about it are repeated while the connection is lost. */
import { optionalPackage } from '@isolab/collector';
import { withoutPassword } from '@isolab/collector/queue';
import { setTimeout as sleep } from 'node:timers/promises';
import { WatchError } from '../stream/errors.ts';
import { type Message, type NumberedStream, type QueuedOptions, numberedSource } from './numbered.ts';
import type { Source } from './source.ts';

export const natsSource = (options: QueuedOptions): Source =>
  numberedSource({
    ...options,
    kind: 'stream',
    atOnce: 200,
    open: (signal) => NatsStream.open(options.url, options.name, signal),
  });

/** The part of the package @nats-io/transport-node that this source uses. */
interface Nats {
  connect(options: object): Promise<Client>;
}

interface Client {
  request(subject: string, body: string, options: { readonly timeout: number }): Promise<{ string(): string }>;
  close(): Promise<void>;
  isClosed(): boolean;
}

interface Answer {
  readonly error?: { readonly code: number; readonly description: string };
  readonly created?: string;
  readonly state?: { readonly last_seq: number };
  readonly message?: { readonly data?: string; readonly time: string };
}

class NatsStream implements NumberedStream {
  readonly #client: Client;
  readonly #name: string;
  readonly #signal: AbortSignal;
  #hasAnswered = false;

  static async open(url: string, name: string, signal: AbortSignal): Promise<NatsStream> {
    const { connect } = await optionalPackage<Nats>('@nats-io/transport-node', 'NATS');
    const { host, username, password } = new URL(url);
    const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
    const login = pass === '' ? user !== '' && { token: user } : { user, pass };
    try {
      const client = await connect({ servers: host, ...login, maxReconnectAttempts: -1, reconnectTimeWait: RETRY_MS });
      return new NatsStream(client, name, signal);
    } catch (error) {
      const { message } = error as Error;
      throw new WatchError(`There is no NATS server at ${withoutPassword(url)}: ${message}.`, { cause: error });
    }
  }

  private constructor(client: Client, name: string, signal: AbortSignal) {
    this.#client = client;
    this.#name = name;
    this.#signal = signal;
  }

  async last(): Promise<{ readonly number: number; readonly created: string } | null> {
    const { created, state } = await this.#ask('INFO', '');
    return state === undefined ? null : { number: state.last_seq, created: created! };
  }

  messages(from: number, to: number): Promise<(Message | null)[]> {
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    return Promise.all(
      numbers.map(async (seq) => {
        if (seq === 0) return null;
        const { message } = await this.#ask('MSG.GET', JSON.stringify({ seq }));
        if (message === undefined) return null;
        return { text: Buffer.from(message.data ?? '', 'base64').toString(), time: message.time };
      }),
    );
  }

  /** Asks until there is an answer; one of code 404 has neither a stream nor a message. */
  async #ask(what: string, body: string): Promise<Answer> {
    for (;;) {
      const answer = await this.#request(`$JS.API.STREAM.${what}.${this.#name}`, body);
      if (answer !== null) {
        const { error } = answer;
        if (error === undefined || error.code === 404) return answer;
        if (error.code < 500) throw new WatchError(`NATS answered about ${this.#name}: ${error.description}.`);
      }
      await sleep(RETRY_MS, null, { signal: this.#signal });
    }
  }

  /** Returns null if a later attempt may succeed. */
  async #request(subject: string, body: string): Promise<Answer | null> {
    try {
      const answer = JSON.parse(
        (await this.#client.request(subject, body, { timeout: TIMEOUT_MS })).string(),
      ) as Answer;
      this.#hasAnswered = true;
      return answer;
    } catch (error) {
      const { message } = error as Error;
      if (this.#client.isClosed()) throw new WatchError(`The connection to NATS is closed: ${message}.`);
      if (message.startsWith('no responders') && !this.#hasAnswered)
        throw new WatchError('This NATS server has no JetStream, which keeps messages; start it with -js.');
      return null;
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

const TIMEOUT_MS = 2000;
const RETRY_MS = 200;
