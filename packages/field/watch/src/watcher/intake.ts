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

/** Known facts about the stream that lines are taken from. */
interface Known {
  /** Null until it came. */
  readonly header: StreamHeader | null;
  /** Whether a reader of the stream's lines can be made: the initial transaction came, too, if there is one. */
  readonly isBegun: boolean;
  /** Whether the stream said that nothing follows. */
  readonly isComplete: boolean;
}

type Visit = (bytes: Uint8Array, from: number, to: number, number: number, now: number) => void;

/**
 * Splits the bytes of a source into lines. Leaves out lines that came twice, that were in the log before, or that are
 * the header once more. The others go to `onLine`, and then into the log.
 */
export class Intake {
  /** Number of lines that the log has. */
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

  /** Whether half a line is left. */
  get hasRest(): boolean {
    return this.#splitter.hasRest;
  }

  /** Whether the source has lines that are in the log, and has not shown all of them in this run. */
  get isBehind(): boolean {
    return this.#before !== null;
  }

  /** The source starts over, or behind some lines, after which sessions had these numbers, with lines that are in the log. */
  compare({ lines, numbers }: { readonly lines: number; readonly numbers?: SavedNumbers } = ANEW): void {
    if (this.line === 0) return;
    const { log, name } = this.#options;
    this.#before = new TakenBefore(log, name, lines, this.line);
    this.numbers.restore(lines === 0 ? [] : (numbers ?? []));
  }

  /** Takes the next bytes of the stream, wherever they end. */
  take(chunk: Uint8Array, now: number): void {
    this.#splitter.split(chunk, (bytes, from, to) => this.#takeLine(bytes, from, to, now));
    if (this.#before?.isOver) this.#before = null;
  }

  /** Takes whole lines of a sender that can receive the reason why one of them is not taken. */
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

  /** Fails where the source is over before it had all lines that are in the log, or continues behind its own end. */
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

  /** Returns whether a line is the header once more, as of another sender: it is not kept. Earlier versions kept it. */
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
