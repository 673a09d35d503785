import { FormatError } from '@isolab/formats';
import { WatchError } from '../stream/errors.ts';
import { type StreamHeader, insistOnSame, isHeader, streamHeader } from './header.ts';
import { LineSplitter } from '../stream/line-splitter.ts';
import { isMark } from '../stream/lines.ts';
import { Numbers, type SavedNumbers } from './numbers.ts';
import { asRefusal, later, lineAt, linesBefore, problemIn } from './offered.ts';
import type { NewReader } from '../engine/snapshot.ts';
import { LINE_FEED } from '../stream/whole-lines.ts';
import type { Refusal } from '../sources/source.ts';
import { TakenBefore } from './taken-before.ts';
import type { WatchOptions } from './watch-options.ts';

interface Known {
  /** Null until the header has arrived. */
  readonly header: StreamHeader | null;
  /** Whether lines can be read: the header has arrived, and the initial transaction if there is one. */
  readonly isBegun: boolean;
  /** Whether the end mark has arrived. */
  readonly isComplete: boolean;
}

type Visit = (bytes: Uint8Array, from: number, to: number, number: number, now: number) => void;

/**
 * Splits the bytes of a source into lines. Drops duplicates, lines that are already in the log, and repeated headers.
 * The other lines go to `onLine`, and then into the log.
 */
export class Intake {
  /** Number of lines in the log. */
  line = 0;
  duplicates = 0;
  readonly numbers = new Numbers();
  readonly #options: Pick<WatchOptions, 'log' | 'name'>;
  readonly #known: Known;
  readonly #onLine: Visit;
  readonly #splitter = new LineSplitter();
  #before: TakenBefore | null = null;

  constructor(options: Pick<WatchOptions, 'log' | 'name'>, known: Known, onLine: Visit) {
    this.#options = options;
    this.#known = known;
    this.#onLine = onLine;
  }

  /** Whether an incomplete line is left. */
  get hasRest(): boolean {
    return this.#splitter.hasRest;
  }

  /** Whether the source is repeating lines from the log and has not yet sent all of them in this run. */
  get isBehind(): boolean {
    return this.#before !== null;
  }

  /**
   * Announces that the source starts over, or continues after some lines (with the given session numbers), and repeats
   * lines from the log.
   */
  compare({ lines, numbers }: { readonly lines: number; readonly numbers?: SavedNumbers } = ANEW): void {
    if (this.line === 0) return;
    const { log, name } = this.#options;
    this.#before = new TakenBefore(log, name, lines, this.line);
    this.numbers.restore(lines === 0 ? [] : (numbers ?? []));
  }

  /** Takes the next bytes of the stream, which may end anywhere. */
  take(chunk: Uint8Array, now: number): void {
    this.#splitter.split(chunk, (bytes, from, to) => this.#takeLine(bytes, from, to, now));
    if (this.#before?.isOver) this.#before = null;
  }

  /** Takes complete lines from a sender that accepts results, and returns the reason why a line was refused. */
  offer(chunk: Uint8Array, now: number, newReader: NewReader): Refusal | null {
    const { header } = this.#known;
    if (header === null) {
      const end = chunk.indexOf(LINE_FEED) + 1;
      const refusal = this.#offer(chunk.subarray(0, end), now);
      if (refusal !== null || end === chunk.length) return refusal;
      return later(this.offer(chunk.subarray(end), now, newReader), 1);
    }
    const wrong = problemIn(chunk, Buffer.from(`${header.text}\n`), newReader);
    if (wrong?.line === null) return wrong;
    return this.#offer(wrong === null ? chunk : linesBefore(chunk, wrong.line), now) ?? wrong;
  }

  #offer(chunk: Uint8Array, now: number): Refusal | null {
    let at = 0;
    try {
      this.#splitter.split(chunk, (bytes, from, to) => {
        at = from;
        this.#takeLine(bytes, from, to, now);
      });
      return null;
    } catch (error) {
      if (!this.#known.isBegun) this.numbers.restore([]);
      return asRefusal(error, lineAt(chunk, at));
    }
  }

  /** Throws if the source ended before it repeated all lines of the log, or continues after its own end. */
  insistOnEnd(): void {
    const { name } = this.#options;
    if (this.#before !== null)
      throw new WatchError(
        `${name} has ${this.#before.number - 1} of the ${this.line} lines that were watched before, so it was cut or replaced; watch it in another folder.`,
      );
    if (this.#known.isComplete && this.hasRest) throw this.#behindEnd(this.line + 1);
  }

  #takeLine(bytes: Uint8Array, from: number, to: number, now: number): void {
    const { log, name } = this.#options;
    const before = this.#before?.isOver === false ? this.#before : null;
    const number = before?.number ?? this.line + 1;
    const line = bytes.subarray(from, to);
    if (isMark(bytes, from)) {
      if (this.#isRepeatedHeader(line, number, before)) return;
    } else if (this.numbers.isAgain(line, name, number)) {
      if (before === null) this.duplicates++;
      return;
    }
    if (before !== null) {
      before.pass(line);
      return;
    }
    if (this.#known.isComplete) throw this.#behindEnd(number);
    this.#onLine(bytes, from, to, number, now);
    this.line = number;
    log.append(bytes, from, to, number);
  }

  #behindEnd(number: number): FormatError {
    const problem = 'found a line after {"isolab":"end"}, expected no line';
    return new FormatError(this.#options.name, `line ${number}`, problem);
  }

  /**
   * Returns whether a line is a repeated header, for example from another sender: it is dropped. Earlier versions kept
   * it.
   */
  #isRepeatedHeader(line: Uint8Array, number: number, before: TakenBefore | null): boolean {
    const { header } = this.#known;
    if (header === null || number === 1 || !isHeader(line)) return false;
    const kept = before?.expected ?? null;
    if (kept !== null && isHeader(kept)) return false;
    const other = streamHeader(Buffer.from(line).toString());
    insistOnSame(header, other, this.#options.name, number);
    header.promisesEnd ||= other.promisesEnd;
    return true;
  }
}

const ANEW = { lines: 0 };
