/** A client that speaks the protocol by hand, and keeps every byte that it is sent. */
import { type Socket, connect } from 'node:net';
import { int32, message } from './messages.ts';

const PROTOCOL_3_0 = 0x3_0000;
const CANCEL = 80_877_102;

export interface Greeted {
  readonly processId: number;
  readonly key: Buffer;
}

export interface RawOptions {
  readonly protocol?: number;
  readonly parameters?: Readonly<Record<string, string>>;
}

export class RawClient {
  readonly socket: Socket;
  readonly greeting: Buffer;
  readonly #received: Buffer[];

  private constructor(socket: Socket, greeting: Buffer, received: Buffer[]) {
    this.socket = socket;
    this.greeting = greeting;
    this.#received = received;
  }

  static async connect(url: string, { protocol = PROTOCOL_3_0, parameters = {} }: RawOptions = {}): Promise<RawClient> {
    const { port, username, password, pathname } = new URL(url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk)).on('error', () => {});
    socket.write(startup(protocol, { user: username, database: pathname.slice(1), ...parameters }));
    const greeting: Buffer[] = [];
    const ask = async (answer: Buffer | null, type = 'R'): Promise<string> => {
      if (answer) socket.write(answer);
      const messages = messagesIn(await bytesUntil(socket, received, type, 1));
      // The challenge for the password differs with each connection.
      greeting.push(...messages.filter(([kind, bytes]) => kind !== 'R' || bytes.equals(OK)).map(([, bytes]) => bytes));
      return messages.find(([kind]) => kind === 'R')![1].toString('latin1', TEXT_AT);
    };
    await ask(await prove(password, ask), 'Z');
    return new RawClient(socket, Buffer.concat(greeting), received);
  }

  /** Sends bytes, and gives the bytes up to the `count`th message of a type. */
  async ask(bytes: Buffer, type = 'Z', count = 1): Promise<Buffer> {
    this.socket.write(bytes);
    return bytesUntil(this.socket, this.#received, type, count);
  }

  /** All bytes until the connection ends. */
  async rest(): Promise<Buffer> {
    if (!this.socket.destroyed) await new Promise((resolve) => this.socket.once('close', resolve));
    return Buffer.concat(this.#received.splice(0));
  }

  get greeted(): Greeted {
    const key = messagesIn(this.greeting).find(([type]) => type === 'K')![1];
    return { processId: key.readInt32BE(5), key: key.subarray(9) };
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Internals of pg in use. */
interface Scram {
  startSession(mechanisms: readonly string[]): ScramSession;
  continueSession(session: ScramSession, password: string, said: string): Promise<void>;
}

interface ScramSession {
  readonly mechanism: string;
  readonly response: string;
}

/** Says by SCRAM that a client knows the password: the last message, to which the server answers that it is let in. */
async function prove(password: string, ask: (answer: Buffer | null) => Promise<string>): Promise<Buffer> {
  const { default: scram } = (await import('pg/lib/crypto/sasl.js' as string)) as { default: Scram };
  const session = scram.startSession((await ask(null)).split('\0'));
  const first = Buffer.from(session.response);
  const said = await ask(message('p', session.mechanism, int32(first.length), first));
  await scram.continueSession(session, password, said);
  return message('p', Buffer.from(session.response));
}

/** Content of a message of authentication, behind type, length and kind. */
const TEXT_AT = 9;
const OK = Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0]);

function startup(protocol: number, parameters: Readonly<Record<string, string>>): Buffer {
  return message('', int32(protocol), ...Object.entries(parameters).flat(), Buffer.alloc(1));
}

/** Asks a server to cancel the statement of another connection; resolves once it has closed the connection. */
export function cancel(url: string, { processId, key }: Greeted): Promise<void> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  socket.end(message('', int32(CANCEL), int32(processId), key)).resume();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** Whole messages, as far as they came. */
export function messagesIn(bytes: Buffer): (readonly [type: string, bytes: Buffer])[] {
  const messages: (readonly [string, Buffer])[] = [];
  for (let at = 0; at + 5 <= bytes.length;) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (end > bytes.length) break;
    messages.push([String.fromCharCode(bytes[at]!), bytes.subarray(at, end)]);
    at = end;
  }
  return messages;
}

function bytesUntil(socket: Socket, received: Buffer[], type: string, count: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Counted as they come: examined bytes are not examined again.
    let missing = count;
    let header = Buffer.alloc(0);
    let skip = 0;
    const look = (chunk: Buffer): void => {
      let at = 0;
      while (at < chunk.length) {
        const passed = Math.min(skip, chunk.length - at);
        skip -= passed;
        at += passed;
        if (skip > 0 || (passed > 0 && ended())) break;
        const more = chunk.subarray(at, at + 5 - header.length);
        header = Buffer.concat([header, more]);
        at += more.length;
        if (header.length < 5) break;
        skip = header.readInt32BE(1) - 4;
        if (skip === 0 && ended()) break;
      }
      if (missing === 0) finish();
    };
    const ended = (): boolean => {
      if (header[0] === type.charCodeAt(0)) missing--;
      header = Buffer.alloc(0);
      return missing === 0;
    };
    const finish = (): void => {
      socket.off('data', look).off('close', onClose);
      resolve(Buffer.concat(received.splice(0)));
    };
    const onClose = (): void => {
      const told = Buffer.concat(received).toString('latin1');
      reject(new Error(`the connection was closed before a message of type ${type}: ${told}`));
    };
    socket.on('data', look).once('close', onClose);
    for (const chunk of received) look(chunk);
  });
}
