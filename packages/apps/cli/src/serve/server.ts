import { addAbortSignal, type Readable } from 'node:stream';
import { type LimitsOfServer, Place } from './place.ts';
import { type Request, failure, requestIn } from './protocol.ts';

/** Answers requests, some at a time. */
export class Server {
  readonly #tell: (answer: string) => void;
  readonly #waiting: Request[] = [];
  readonly #places: readonly Place[];
  #onAnswer: () => void = () => {};

  constructor(jobs: number, limits: LimitsOfServer, tell: (answer: string) => void) {
    this.#tell = tell;
    this.#places = Array.from({ length: jobs }, () => new Place(limits));
  }

  /** Answers the request on each line; the signal ends the input and all checks. */
  async answer(input: Readable, signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#end());
    try {
      for await (const line of linesIn(addAbortSignal(signal, input))) {
        this.#take(line);
        while (this.#waiting.length >= this.#places.length) await this.#nextAnswer();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    while (this.#places.some(({ isBusy }) => isBusy)) await this.#nextAnswer();
    this.#end();
  }

  #take(line: string | null): void {
    if (line?.trim() === '') return;
    const parsed =
      line === null ? { answer: failure({}, `The line has more than ${LONGEST_BYTES} bytes`) } : requestIn(line);
    if ('answer' in parsed) this.#tell(parsed.answer);
    else this.#waiting.push(parsed.request);
    this.#begin();
  }

  #begin(): void {
    for (const place of this.#places) {
      const request = place.isBusy ? undefined : this.#waiting.shift();
      if (request === undefined) continue;
      void place.check(request).then((answer) => {
        this.#tell(answer);
        this.#begin();
        this.#onAnswer();
      });
    }
  }

  #nextAnswer(): Promise<void> {
    return new Promise((resolve) => (this.#onAnswer = resolve));
  }

  #end(): void {
    for (const request of this.#waiting.splice(0)) this.#tell(failure(request, ABORTED, { reason: 'aborted' }));
    for (const place of this.#places) place.end('aborted', ABORTED);
  }
}

const ABORTED = 'isolab was interrupted before the verdict';

/** Lines of an input; null for a line that is too long. */
async function* linesIn(input: AsyncIterable<Buffer>): AsyncGenerator<string | null> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const line = (): string | null => {
    const whole = bytes > LONGEST_BYTES ? null : Buffer.concat(parts).toString();
    [parts, bytes] = [[], 0];
    return whole;
  };
  const add = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > LONGEST_BYTES) parts = [];
    else parts.push(part);
  };
  for await (const chunk of input) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      add(chunk.subarray(begin, end));
      begin = end + 1;
      yield line();
    }
    add(chunk.subarray(begin));
  }
  if (bytes > 0) yield line();
}

const NEWLINE = 10;
/** A longer history has a file. */
const LONGEST_BYTES = 1 << 24;
