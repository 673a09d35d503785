/**
 * Client of Redis' protocol (RESP2) for one connection through a Unix socket; replies arrive in the order of the
 * commands.
 */
import { type Socket, connect } from 'node:net';

export type Reply = string | number | null | ReplyError | readonly Reply[];

/** Error reply of the server. The connection stays open. */
export class ReplyError extends Error {}

export class RespClient {
  readonly #socket: Socket;
  readonly #waiting: { resolve(reply: Reply): void; reject(error: Error): void }[] = [];
  #buffer = Buffer.alloc(0);
  #lost: Error | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#received(chunk));
    socket
      .on('error', (error) => this.#fail(error))
      .on('close', () => this.#fail(new Error('the connection was closed')));
  }

  static to(path: string): Promise<RespClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ path });
      socket.once('connect', () => resolve(new RespClient(socket))).once('error', reject);
    });
  }

  /** Returns the reply. Fails if the connection is lost. */
  ask(...words: readonly string[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#lost) return reject(this.#lost);
      this.#waiting.push({ resolve, reject });
      const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
      this.#socket.write(`*${words.length}\r\n${parts.join('')}`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #received(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    let at = 0;
    for (;;) {
      const found = parseReply(this.#buffer, at);
      if (found === null) break;
      at = found.end;
      this.#waiting.shift()?.resolve(found.reply);
    }
    this.#buffer = this.#buffer.subarray(at);
  }

  #fail(error: Error): void {
    this.#lost ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#lost);
  }
}

interface Parsed {
  readonly reply: Reply;
  readonly end: number;
}

/** Parses the reply at a position of the buffer; returns null while the reply is incomplete. */
export function parseReply(buffer: Buffer, at: number): Parsed | null {
  const lineEnd = buffer.indexOf('\r\n', at);
  if (lineEnd < 0) return null;
  const line = buffer.toString('utf8', at + 1, lineEnd);
  const next = lineEnd + 2;
  switch (String.fromCharCode(buffer[at]!)) {
    case '+':
      return { reply: line, end: next };
    case '-':
      return { reply: new ReplyError(line), end: next };
    case ':':
      return { reply: Number(line), end: next };
    case '$': {
      const length = Number(line);
      if (length < 0) return { reply: null, end: next };
      if (buffer.length < next + length + 2) return null;
      return { reply: buffer.toString('utf8', next, next + length), end: next + length + 2 };
    }
    case '*':
      return parseArray(buffer, next, Number(line));
    default:
      throw new Error(
        `Redis answered ${JSON.stringify(buffer.toString('utf8', at, lineEnd))}, which is not a valid reply`,
      );
  }
}

function parseArray(buffer: Buffer, from: number, length: number): Parsed | null {
  if (length < 0) return { reply: null, end: from };
  const replies: Reply[] = [];
  let end = from;
  for (let i = 0; i < length; i++) {
    const found = parseReply(buffer, end);
    if (found === null) return null;
    replies.push(found.reply);
    end = found.end;
  }
  return { reply: replies, end };
}
