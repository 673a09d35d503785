import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { problemOfRequest } from '../stream/own-requests.ts';
import { ChunkQueue } from './queue.ts';
import type { Chunk, Source } from './source.ts';
import { LINE_FEED, countLines } from '../stream/whole-lines.ts';

/**
 * Receives lines through POST requests; each body has complete lines. The answer is sent once the lines are in the log
 * and on disk: lines without an answer should be sent again. Sessions of different senders need different names.
 */
export function httpSource(address: URL, onNote: (note: string) => void = () => {}): Source {
  async function* chunks(signal: AbortSignal): AsyncGenerator<Chunk> {
    const queue = new ChunkQueue();
    const server = createServer((request, response) => void take(request, response, { address, queue }));
    server.listen(Number(address.port), address.hostname.replace(/^\[(.*)\]$/, '$1'));
    await once(server, 'listening');
    onNote(`Listening for lines at http://${address.hostname}:${(server.address() as AddressInfo).port}/.`);
    signal.addEventListener('abort', () => {
      server.close(); // also closes connections without a request
      setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS).unref();
      queue.close();
    });
    yield* queue.taken();
  }
  return { name: address.href, hasEnd: false, chunks };
}

async function take(
  request: IncomingMessage,
  response: ServerResponse,
  { address, queue }: { readonly address: URL; readonly queue: ChunkQueue },
): Promise<void> {
  const answer = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
  };
  const foreign = problemOfRequest(request, address);
  if (foreign !== null) return answer(403, { error: foreign });
  if (request.method !== 'POST') return answer(405, { error: `found ${request.method}, expected POST with lines` });
  if (queue.isFull) return answer(503, { error: 'too many lines wait for judgement; send the lines again later' });
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of request) {
      parts.push(part as Buffer);
      bytes += (part as Buffer).length;
      if (bytes > MOST_BYTES)
        return answer(413, { error: `found more than ${MOST_BYTES} bytes, expected fewer lines` });
    }
  } catch {
    return; // an incomplete request is ignored
  }
  const body = Buffer.concat(parts);
  if (body.length > 0 && body.at(-1) !== LINE_FEED)
    return answer(400, { error: 'the last line is cut off: expected a line feed at its end' });
  if (body.length === 0) return answer(200, { taken: 0 });
  const taken = countLines(body);
  queue.put({
    bytes: body,
    position: null,
    sender: {
      isRefused: () => false, // the sender waits for the answer before it sends more
      kept: () => answer(200, { taken }),
      refused: ({ line, problem }) =>
        answer(400, line === null ? { error: problem } : { error: `line ${line}: ${problem}`, taken: line - 1 }),
    },
  });
}

/** Time at the end for the last answers to reach their senders. */
const LAST_ANSWERS_MS = 1000;
const MOST_BYTES = 1 << 24;
