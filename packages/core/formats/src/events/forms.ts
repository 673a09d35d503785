import { inFile, unexpected } from '../files/errors.ts';
import type { ByteStream } from '../files/input.ts';
import { EdnScanner } from '../syntax/edn-scanner.ts';
import { type Place, SyntaxProblem } from '../syntax/problem.ts';
import { readWindows } from '../files/windows.ts';

/** The part of an EdnReader or a JsonReader that {@link readForms} needs. */
export interface FormReader {
  reset(bytes: Uint8Array, start: number, end: number, line: number, offset: number, column: number): void;
  /** Fails if anything other than blanks and comments is left. */
  finish(): void;
  place(): Place;
  peek(): string;
}

export interface FormOptions {
  /** JSON has commas between the elements of an array, no comments, and no lists. */
  readonly syntax: 'edn' | 'json';
  readonly reader: FormReader;
  /** Reads the form at the reader's position, which begins on this line; `rewind` goes back to its beginning. */
  readonly readForm: (line: number, rewind: () => void) => void;
}

/**
 * Passes on the forms of a file one by one, whether they follow one another or are the elements of a single vector,
 * list or array. Syntax problems become format errors.
 *
 * The scanner for EDN serves JSON as well: brackets and strings end at the same places in both, and the reader of the
 * form refuses any text in which they do not.
 */
export async function readForms(stream: ByteStream, options: FormOptions): Promise<void> {
  const walk = new FormWalk(stream.name, options);
  await readWindows(stream, (bytes, start, end, last) =>
    inFile(stream.name, () => walk.readWindow(bytes, start, end, last)),
  );
}

class FormWalk {
  readonly #file: string;
  readonly #options: FormOptions;
  readonly #scanner = new EdnScanner();
  // Line where the scanner began: at the first significant byte, or after the opening bracket there.
  #line = 1;
  #column = 1;
  #offset = 0;
  #begun = false;
  #inComment = false;
  #closer = 0; // bracket that ends the file, 0 if there is none
  #closed = false;
  #forms = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #from = 0;
  #to = 0;
  readonly #rewind = (): void => this.#reset(this.#bytes, this.#from, this.#to);

  constructor(file: string, options: FormOptions) {
    this.#file = file;
    this.#options = options;
  }

  readWindow(bytes: Uint8Array, start: number, end: number, last: boolean): number {
    let at = this.#begun ? start : this.#begin(bytes, start, end);
    if (!this.#begun) return end;
    const scanner = this.#scanner;
    for (let stop = scanner.scan(bytes, at, end); stop >= 0; stop = scanner.scan(bytes, at, end)) {
      this.#readForm(bytes, at, stop);
      at = stop;
    }
    if (!last) return at;
    this.#reset(bytes, scanner.formStart, end);
    if (this.#options.reader.peek() !== 'end') this.#readForm(bytes, at, end);
    else this.#checkGap(bytes, at, end, 0, true);
    if (this.#isOpen) this.#failAtEnd('the end of the input', `'${String.fromCharCode(this.#closer)}'`);
    return end;
  }

  /** Skips the text before the first form, and the bracket around all forms if there is one. */
  #begin(bytes: Uint8Array, start: number, end: number): number {
    const isEdn = this.#options.syntax === 'edn';
    for (let at = start; at < end; at++) {
      const byte = bytes[at];
      if (this.#inComment) this.#inComment = byte !== LINE_FEED;
      else if (isEdn && byte === SEMICOLON) this.#inComment = true;
      else if (!isBlank(byte) && !(isEdn && byte === COMMA)) {
        this.#begun = true;
        this.#closer = byte === 0x5b ? 0x5d : isEdn && byte === 0x28 ? 0x29 : 0;
        if (this.#closer === 0) return at;
        this.#column++;
        this.#offset++;
        return at + 1;
      }
      this.#column = byte === LINE_FEED ? 1 : this.#column + 1;
      if (byte === LINE_FEED) this.#line++;
      this.#offset++;
    }
    return end;
  }

  /** Reads the form that ends at `stop`; `before` is the end of the previous form. */
  #readForm(bytes: Uint8Array, before: number, stop: number): void {
    const { reader, readForm } = this.#options;
    const { formStart } = this.#scanner;
    const first = bytes[formStart];
    const closes = this.#isOpen && bytes[stop - 1] === this.#closer && (first === this.#closer || first === HASH);
    this.#checkGap(bytes, before, formStart, this.#isOpen && !closes && this.#forms > 0 ? 1 : 0, false);
    this.#bytes = bytes;
    this.#from = formStart;
    this.#to = closes ? stop - 1 : stop;
    this.#rewind();
    if (!closes && !this.#closed) readForm(this.#line + this.#scanner.line - 1, this.#rewind);
    reader.finish(); // only discarded forms can be left
    this.#closed ||= closes;
    this.#forms++;
  }

  /** Whether the bracket around all forms is still open. */
  get #isOpen(): boolean {
    return this.#closer !== 0 && !this.#closed;
  }

  /** Checks that only white space and the wanted commas separate two JSON forms. */
  #checkGap(bytes: Uint8Array, from: number, to: number, wantedCommas: number, isEnd: boolean): void {
    if (this.#options.syntax === 'edn') return;
    let commas = 0;
    let comments = 0;
    for (let at = from; at < to; at++) {
      if (bytes[at] === COMMA) commas++;
      else if (bytes[at] > SPACE) comments++;
    }
    if (commas === wantedCommas && comments === 0) return;
    const found = comments > 0 ? 'a comment' : commas < wantedCommas ? 'no comma' : 'a comma too many';
    const expected = comments > 0 ? 'JSON without comments' : wantedCommas === 0 ? 'no comma' : 'a comma';
    if (isEnd) this.#failAtEnd(`${found} at the end`, expected);
    this.#reset(bytes, to, to);
    throw new SyntaxProblem(this.#options.reader.place(), found, `${expected} before this`);
  }

  /** Reports an error at the end of the file, whose position the scanner does not know. */
  #failAtEnd(found: string, expected: string): never {
    throw unexpected(this.#file, null, found, expected);
  }

  #reset(bytes: Uint8Array, start: number, end: number): void {
    const { line, column, offset } = this.#scanner;
    const inFirstLine = line === 1 ? this.#column - 1 : 0;
    this.#options.reader.reset(bytes, start, end, this.#line + line - 1, this.#offset + offset, column + inFirstLine);
  }
}

/** Other control characters do not count as blanks: a disk that lost a block leaves zeros. */
const isBlank = (byte: number): boolean => byte === SPACE || (byte >= TAB && byte <= CARRIAGE_RETURN);

const [HASH, COMMA, SEMICOLON] = [0x23, 0x2c, 0x3b];
const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE] = [9, 10, 13, 32];
