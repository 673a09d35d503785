import type { SessionFacts } from './statement.ts';
import type { Reader, Treatment } from './framer.ts';
import { HEADER, Client, Server } from './message-types.ts';
import type { Output } from './output.ts';
import { fatalError, readError, readParameterStatus, readRow } from './server-messages.ts';
import { endOfText } from './text.ts';

/**
 * The use of SCRAM's channel binding, which proves to client and server that there is no third party between them. If
 * the proxy makes its own TLS connection to the server, the server's offer is removed, unless the client sees the
 * server's own certificate.
 */
export type ChannelBinding = 'as it is' | 'not offered';

export interface GreetingOptions {
  readonly user: string;
  readonly database: string;
  readonly applicationName: string | null;
  readonly settingsQueries: Readonly<Record<string, string>>;
  readonly channelBinding: ChannelBinding;
  readonly onProblem: (problem: string) => void;
  /** Called when the database has accepted the client, which waits for `letIn`. */
  readonly onFacts: (facts: SessionFacts) => void;
  /** Called when the proxy has answered the client with an error; both connections are then closed. */
  readonly onRefusal: () => void;
  readonly loses: (why: string) => void;
}

/** Logs a client in, and queries all facts about its connection before the client may send queries. */
export class Greeting {
  readonly #options: GreetingOptions;
  readonly #toServer: Output;
  readonly #toClient: Output;
  readonly #settings: Record<string, string> = {};
  readonly #reported: Record<string, string> = {};
  readonly #names: string[];
  #applicationName: string | null;
  #ready: Buffer | null = null;

  readonly clientReader: Reader;
  readonly serverReader: Reader;

  constructor(options: GreetingOptions, toServer: Output, toClient: Output) {
    this.#options = options;
    this.#toServer = toServer;
    this.#toClient = toClient;
    this.#names = Object.keys(options.settingsQueries);
    this.#applicationName = options.applicationName;
    this.clientReader = {
      treatment: (type) => this.#treatmentOfClient(type),
      take: (_, bytes, start, end) => this.#password(bytes.subarray(start, end)),
      loses: (why) => options.loses(`the client sent ${why}`),
    };
    this.serverReader = {
      treatment: (type) => (type === Server.NoticeResponse || type === Server.NotificationResponse ? 'pass' : 'take'),
      take: (type, bytes, start, end) => this.#server(type, bytes.subarray(start, end)),
      loses: (why) => options.loses(`the database sent ${why}`),
    };
  }

  /** Notifies the client, once, that it may send queries. */
  letIn(): void {
    if (this.#ready !== null) this.#toClient.add(this.#ready);
    this.#ready = null;
  }

  #treatmentOfClient(type: number): Treatment {
    if (type === Client.Terminate) return 'pass';
    // A password passes without buffering, except if its first byte decides about channel binding.
    if (type === Client.Password) return this.#options.channelBinding === 'not offered' ? 'take' : 'pass';
    return 'wait';
  }

  #password(message: Buffer): boolean {
    const behind = endOfText(message, HEADER, message.length);
    const isFirst = message.toString('latin1', HEADER, behind - 1) === SCRAM;
    if (!isFirst || message[behind + 4] !== WOULD_HAVE_BOUND) return true;
    this.#toClient.add(fatalError(CHANNEL_BINDING));
    this.#options.onProblem(`${CHANNEL_BINDING.message} ${CHANNEL_BINDING.hint}`);
    this.#options.onRefusal();
    return false;
  }

  #server(type: number, message: Buffer): boolean {
    if (type === Server.ParameterStatus) {
      const parameter = readParameterStatus(message);
      if (parameter?.name === 'application_name') this.#applicationName = parameter.value;
      if (parameter) this.#reported[parameter.name] = parameter.value;
      return true;
    }
    if (this.#ready !== null) return this.#answer(type, message);
    if (type === Server.Authentication) return this.#authentication(message);
    if (type !== Server.ReadyForQuery) return true;
    this.#ready = Buffer.from(message);
    const queries = Object.values(this.#options.settingsQueries);
    for (const query of queries) this.#toServer.message(Client.Query, NO_BYTES, query, 'utf8', NO_BYTES);
    if (queries.length === 0) this.#finish();
    return false;
  }

  /** The answers to the proxy's own queries are not passed to the client. */
  #answer(type: number, message: Buffer): boolean {
    const [name] = this.#names;
    if (name === undefined) return true;
    if (type === Server.DataRow) {
      const value = readRow(message, 0, message.length, 1)?.hidden[0];
      if (typeof value === 'string') this.#settings[name] ??= value;
    } else if (type === Server.ErrorResponse) {
      const error = readError(message);
      this.#options.onProblem(
        `the database did not answer the query for its ${name}: ${error.message} (${error.code})`,
      );
      return error.isFatal;
    } else if (type === Server.ReadyForQuery) {
      this.#names.shift();
      if (this.#names.length === 0) this.#finish();
    }
    return false;
  }

  #finish(): void {
    const { user, database, onFacts } = this.#options;
    const [settings, reported] = [this.#settings, this.#reported];
    onFacts({ user, database, applicationName: this.#applicationName, settings, reported });
  }

  /** Removes SCRAM with channel binding from the server's offers. */
  #authentication(message: Buffer): boolean {
    if (this.#options.channelBinding === 'as it is' || message.length < 10) return true;
    if (message.readInt32BE(HEADER) !== SASL) return true;
    const offered = message.toString('latin1', HEADER + 4).split('\0');
    const left = offered.filter((name) => name !== SCRAM_PLUS);
    if (left.length === offered.length || left.every((name) => name === '')) return true;
    const list = Buffer.from(left.join('\0'), 'latin1');
    const shorter = Buffer.concat([message.subarray(0, HEADER + 4), list]);
    shorter.writeInt32BE(shorter.length - 1, 1);
    this.#toClient.give(shorter);
    return false;
  }
}

const NO_BYTES = Buffer.alloc(0);
const SASL = 10;
const SCRAM = 'SCRAM-SHA-256';
const SCRAM_PLUS = 'SCRAM-SHA-256-PLUS';
/** `y`: the client supports channel binding and believes that the server does not, which the server rejects. */
const WOULD_HAVE_BOUND = 0x79;

const CHANNEL_BINDING = {
  code: '28000',
  message: 'The client wants to bind its password to the TLS connection, but the proxy splits this connection in two.',
  hint: 'Set channel_binding=disable in the connection string, connect to the proxy without TLS (sslmode=disable), or give the proxy the certificate and the key of the server.',
};
