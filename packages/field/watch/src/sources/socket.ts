import { once } from 'node:events';
import { statSync, unlinkSync } from 'node:fs';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { WatchError } from '../stream/errors.ts';
import { ChunkQueue } from './queue.ts';
import { Connection } from './connection.ts';
import type { Chunk, Refusal, Source } from './source.ts';

export type SocketAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/**
 * Receives lines from several concurrent senders. The stream is complete once each of them has sent an end mark
 * (`{"isolab":"end"}`) and none is connected any more. Sessions of different senders need different names.
 */
export function socketSource(address: SocketAddress, onNote: (note: string) => void): Source {
  const name = address.kind === 'unix' ? `unix:${address.path}` : `tcp://${hostOf(address.host)}:${address.port}`;
  async function* chunks(signal: AbortSignal): AsyncGenerator<Chunk> {
    const queue = new ChunkQueue();
    const server = createServer();
    const senders = new Senders(queue, onNote);
    server.on('connection', (socket) => senders.take(socket));
    await listen(server, address);
    onNote(`Listening for lines at ${address.kind === 'unix' ? name : nameOf(server)}.`);
    signal.addEventListener('abort', () => queue.close());
    if (signal.aborted) queue.close();
    try {
      yield* queue.taken();
    } finally {
      server.close();
      senders.close();
    }
  }
  return { name, hasEnd: false, chunks };
}

class Senders {
  readonly #queue: ChunkQueue;
  readonly #onNote: (note: string) => void;
  readonly #sockets = new Set<Socket>();
  #count = 0;
  #isComplete = true; // according to the senders that have disconnected

  constructor(queue: ChunkQueue, onNote: (note: string) => void) {
    this.#queue = queue;
    this.#onNote = onNote;
  }

  take(socket: Socket): void {
    const sender = new Connection();
    const who = `Sender ${++this.#count}`;
    this.#sockets.add(socket);
    const isRefused = (): boolean => socket.listenerCount('data') === 0;
    socket.on('data', (chunk: Buffer) => {
      const before = sender.lines;
      const taken = sender.take(chunk);
      const refused = (refusal: Refusal): void => this.#refuse(socket, who, before, refusal);
      if ('problem' in taken) refused({ line: sender.lines - before + 1, problem: taken.problem });
      else if (taken.lines.length > 0)
        this.#queue.put({ bytes: taken.lines, position: null, sender: { kept: null, refused, isRefused } });
      if (!this.#queue.isFull) return;
      socket.pause();
      this.#queue.whenRoom(() => socket.resume());
    });
    socket.on('error', () => {}); // an error also closes the socket
    socket.on('close', () => this.#left(socket, who, sender));
  }

  #refuse(socket: Socket, who: string, before: number, { line, problem }: Refusal): void {
    const told =
      line === null ? problem : `line ${before + line}: ${problem}; ${before + line - 1} lines before it were accepted`;
    this.#onNote(`${who} is refused: ${told}.`);
    this.#isComplete = false;
    socket.removeAllListeners('data');
    socket.end(`${JSON.stringify({ error: told })}\n`);
    socket.resume(); // further output is discarded
  }

  #left(socket: Socket, who: string, sender: Connection): void {
    if (!this.#sockets.delete(socket)) return;
    if (sender.unfinished > 0)
      this.#onNote(
        `${who} was cut off after ${sender.unfinished} bytes of a line; the ${sender.lines} lines before it were accepted.`,
      );
    else if (sender.promisesEnd && !sender.hasEnded)
      this.#onNote(`${who} disconnected after ${sender.lines} lines without an end mark.`);
    if (!sender.hasEnded && (sender.unfinished > 0 || sender.promisesEnd)) this.#isComplete = false;
    if (this.#sockets.size > 0 || !sender.hasEnded || !this.#isComplete) return;
    const refused = ({ problem }: Refusal): void => this.#onNote(`The end of all senders is refused: ${problem}.`);
    const all = { kept: null, refused, isRefused: () => false };
    this.#queue.put({ bytes: Buffer.from('{"isolab":"end"}\n'), position: null, sender: all });
    this.#queue.close();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

async function listen(server: Server, address: SocketAddress): Promise<void> {
  if (address.kind === 'tcp') server.listen(address.port, address.host);
  else {
    await removeLeftOver(address.path);
    server.listen(address.path);
  }
  await once(server, 'listening');
}

/** Removes the socket file of a killed process. */
async function removeLeftOver(path: string): Promise<void> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  const isUsed =
    !found.isSocket() ||
    (await new Promise<boolean>((resolve) => {
      const probe = connect(path);
      probe.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED'));
      probe.on('connect', () => {
        probe.destroy();
        resolve(true);
      });
    }));
  if (isUsed) throw new WatchError(`${path} exists and is not an abandoned socket; expected a free path.`);
  unlinkSync(path);
}

function nameOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `tcp://${hostOf(address)}:${port}`;
}

const hostOf = (host: string): string => (host.includes(':') ? `[${host}]` : host);
