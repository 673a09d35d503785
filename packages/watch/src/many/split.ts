import { FormatError } from '@isolab/formats';
import { isMark } from '../lines.ts';
import { insistOnSame, isHeader, streamHeader } from '../header.ts';
import { asRefusal } from '../offered.ts';
import type { Chunk, Refusal, Sender, Source } from '../sources/source.ts';
import type { Asked, ManySource, Part } from './parts.ts';

/**
 * A source whose lines are of many streams: the first field of each is `stream`. A header without it is that of all
 * streams, and so is the end.
 */
export function splitSource(source: Source, beginsAnew: boolean): ManySource {
  async function* parts(signal: AbortSignal, asked: Asked): AsyncGenerator<Part> {
    const splitter = new Splitter(source.name, asked, beginsAnew);
    for await (const chunk of source.chunks(signal)) {
      yield* splitter.take(chunk);
      if (splitter.isEnded) return;
    }
    yield* splitter.ends();
  }
  return { name: source.name, beginsAnew, parts };
}

class Splitter {
  isEnded = false;
  readonly #name: string;
  readonly #asked: Asked;
  readonly #beginsAnew: boolean;
  readonly #streams = new Set<string>();
  #header: string | null = null;
  #rest = '';
  readonly #decoder = new TextDecoder();
  #line = 0;

  constructor(name: string, asked: Asked, beginsAnew: boolean) {
    this.#name = name;
    this.#asked = asked;
    this.#beginsAnew = beginsAnew;
  }

  take({ bytes, sender }: Chunk): Part[] {
    if (sender?.isRefused()) return [];
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    const lines = text.split('\n');
    this.#rest = lines.pop()!;
    const found = new Map<string, string[]>();
    const refusal = this.#takeLines(lines, found, sender !== undefined);
    const parts = [...found].map(([stream, some]) => partOf(stream, `${some.join('\n')}\n`, false));
    if (this.isEnded) parts.push(...this.ends());
    return sender === undefined ? parts : offered(parts, sender, refusal);
  }

  #takeLines(lines: readonly string[], found: Map<string, string[]>, mayRefuse: boolean): Refusal | null {
    for (const [i, line] of lines.entries()) {
      this.#line++;
      if (line.trim() === '' || this.isEnded) continue;
      try {
        this.#takeLine(line, found);
      } catch (error) {
        if (!mayRefuse) throw error;
        return asRefusal(error, i + 1);
      }
    }
    return null;
  }

  #takeLine(line: string, found: Map<string, string[]>): void {
    const [prefix, word, comma] = STREAM.exec(line) ?? [];
    if (prefix === undefined || word === undefined) {
      this.#takeMark(line, found);
      return;
    }
    const stream = word.startsWith('"') ? (JSON.parse(word) as string) : word;
    let lines = found.get(stream);
    if (lines === undefined) found.set(stream, (lines = []));
    const rest = `{${line.slice(prefix.length)}`;
    if (comma === '}') throw this.#wrong(line);
    if (!this.#streams.has(stream)) {
      this.#streams.add(stream);
      const isNew = this.#beginsAnew || !this.#asked.isBegun(stream);
      if (this.#header !== null && isNew && !isHeader(rest)) lines.push(this.#header);
    }
    lines.push(rest);
  }

  /** What is said of all streams. */
  #takeMark(line: string, found: Map<string, string[]>): void {
    if (isHeader(line)) {
      if (this.#header !== null) insistOnSame(streamHeader(this.#header), streamHeader(line), this.#name, this.#line);
      this.#header ??= line;
    } else if (/^\s*\{\s*"isolab"\s*:\s*"end"\s*\}\s*$/.test(line)) this.isEnded = true;
    else if (isMark(Buffer.from(line), 0) && !line.includes('"spoiled"')) return;
    else throw this.#wrong(line);
    if (!this.isEnded) return;
    for (const stream of this.#streams)
      if (!this.#asked.isOver(stream)) found.set(stream, [...(found.get(stream) ?? []), line]);
  }

  #wrong(line: string): FormatError {
    const expected = '{"stream":…,"session":…}, with the stream as its first field';
    return new FormatError(this.#name, `line ${this.#line}`, `found ${line.slice(0, 40)}, expected ${expected}`);
  }

  /** The end of every stream. Half a line is left to the one that it is of; to all if nobody knows. */
  ends(): Part[] {
    const word = STREAM.exec(this.#rest)?.[1];
    const owner = word?.startsWith('"') ? (JSON.parse(word) as string) : word;
    return [...this.#streams].map((stream) => partOf(stream, (owner ?? stream) === stream ? this.#rest : '', true));
  }
}

/** Parts that somebody sent together. Where there is none, the answer is given at once. */
function offered(parts: readonly Part[], sender: Sender, refusal: Refusal | null): Part[] {
  const last = parts.at(-1);
  if (last === undefined) {
    if (refusal === null) sender.kept?.();
    else sender.refused(refusal);
    return [];
  }
  const answered: Sender =
    refusal === null ? sender : { ...sender, kept: sender.kept && (() => sender.refused(refusal)) };
  if (refusal !== null && sender.kept === null) sender.refused(refusal);
  return parts.map((part) => ({ ...part, isOffered: true, ...(part === last && { sender: answered }) }));
}

const partOf = (stream: string, text: string, isLast: boolean): Part => ({
  stream,
  bytes: Buffer.from(text),
  position: null,
  problem: null,
  lease: null,
  isLast,
});

const STREAM = /^\s*\{\s*"stream"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*([,}])/;
