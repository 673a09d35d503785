import { FormatError, isolabReader } from '@isolab/formats';
import { isEnd, isMark } from '../stream/lines.ts';
import { firstHeader, insistOnSame, isHeader, markIn, streamHeader } from '../watcher/header.ts';
import { isBlank } from '../stream/line-splitter.ts';
import { asRefusal } from '../watcher/offered.ts';
import type { NewReader } from '../engine/snapshot.ts';
import type { Chunk, Refusal, Sender, Source } from '../sources/source.ts';
import { LINE_FEED, WholeLines } from '../stream/whole-lines.ts';
import { type Asked, type ManySource, NOTHING, type StreamPart } from './parts.ts';
import { nameIn, ownerOf } from './stream-name.ts';

/**
 * Splits a source whose lines belong to many streams: the first field of each line is `stream`. A header without this
 * field belongs to all streams, and so does an end mark without it.
 */
export function splitSource(source: Source, beginsAnew: boolean): ManySource {
  async function* parts(signal: AbortSignal, asked: Asked): AsyncGenerator<StreamPart> {
    const splitter = new Splitter(source.name, asked, await isolabReader());
    for await (const chunk of source.chunks(signal, () => !splitter.isEnded)) {
      yield* splitter.take(chunk);
      if (splitter.isEnded && !source.hasEnd) break;
    }
    if (!signal.aborted) yield* splitter.ends();
  }
  return { name: source.name, beginsAnew, parts };
}

class Splitter {
  isEnded = false;
  readonly #name: string;
  readonly #asked: Asked;
  readonly #newReader: NewReader;
  readonly #streams = new Set<string>();
  /** Streams that ended with their own marks. */
  readonly #ended = new Set<string>();
  #header: Buffer | null = null;
  readonly #whole = new WholeLines();
  #line = 0;

  constructor(name: string, asked: Asked, newReader: NewReader) {
    this.#name = name;
    this.#asked = asked;
    this.#newReader = newReader;
  }

  take({ bytes, sender }: Chunk): StreamPart[] {
    if (sender?.isRefused()) return [];
    const found = new Map<string, Buffer[]>();
    const refusal = this.#takeLines(this.#whole.take(bytes), found, sender !== undefined);
    const parts = Array.from(found, ([stream, some]) => this.#partOf(stream, Buffer.concat(some), false));
    return sender === undefined ? parts : offered(parts, sender, refusal);
  }

  #takeLines(whole: Buffer, found: Map<string, Buffer[]>, mayRefuse: boolean): Refusal | null {
    let line = 0;
    try {
      for (let at = 0; at < whole.length;) {
        const to = whole.indexOf(LINE_FEED, at) + 1;
        line++;
        this.#line++;
        if (!isBlank(whole, at, to)) this.#takeLine(whole.subarray(at, to), found);
        at = to;
      }
      return null;
    } catch (error) {
      if (!mayRefuse) throw error;
      return asRefusal(error, line);
    }
  }

  #takeLine(line: Buffer, found: Map<string, Buffer[]>): void {
    if (this.isEnded) throw this.#wrong('a line after {"isolab":"end"}, expected no line');
    const named = nameIn(line);
    if (named === null) this.#takeMark(line, found);
    else if ('problem' in named) throw this.#wrong(named.problem);
    else {
      this.#streams.add(named.stream);
      if (isEnd(named.line)) this.#ended.add(named.stream);
      addTo(found, named.stream, named.line);
    }
  }

  #takeMark(line: Buffer, found: Map<string, Buffer[]>): void {
    const text = line.toString();
    const place = `line ${this.#line}`;
    if (isHeader(line)) {
      const header = firstHeader(text, { name: this.#name, place }, this.#newReader);
      if (this.#header === null) this.#header = Buffer.from(line); // a copy
      else insistOnSame(streamHeader(this.#header.toString()), header, this.#name, this.#line);
      return;
    }
    const isOther = isMark(line, 0) && !isEnd(line) && markIn(text, this.#name, this.#line).isolab !== 'spoiled';
    if (isOther) return;
    if (!isEnd(line)) {
      const expected = '{"stream":…,"session":…}, with the stream as its first field';
      throw this.#wrong(`${text.slice(0, 40).trimEnd()}, expected ${expected}`);
    }
    this.isEnded = true;
    for (const stream of this.#streams)
      if (!this.#ended.has(stream) && !this.#asked.isOver(stream)) addTo(found, stream, line);
  }

  #wrong(problem: string): FormatError {
    return new FormatError(this.#name, `line ${this.#line}`, `found ${problem}`);
  }

  /**
   * Returns the end of every stream. An incomplete last line belongs to its own stream, or to all streams if its stream
   * is unknown.
   */
  ends(): StreamPart[] {
    const { rest } = this.#whole;
    if (this.isEnded && !isBlank(rest, 0, rest.length)) {
      this.#line++;
      throw this.#wrong('a line after {"isolab":"end"}, expected no line');
    }
    const owner = ownerOf(rest);
    return [...this.#streams].map((stream) =>
      this.#partOf(stream, (owner ?? stream) === stream ? rest : NOTHING, true),
    );
  }

  #partOf(stream: string, bytes: Uint8Array, isLast: boolean): StreamPart {
    return { stream, header: this.#header, bytes, position: null, problem: null, lease: null, isLast };
  }
}

/** Attaches the sender to parts that were sent together. If there are no parts, the sender is answered immediately. */
function offered(parts: readonly StreamPart[], sender: Sender, refusal: Refusal | null): StreamPart[] {
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

function addTo(found: Map<string, Buffer[]>, stream: string, line: Buffer): void {
  const lines = found.get(stream);
  if (lines === undefined) found.set(stream, [line]);
  else lines.push(line);
}
