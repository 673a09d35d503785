import { MEANING, MEANING_OF_BYTE } from './edn-bytes.ts';

const { BLANK, NEWLINE, COMMENT, QUOTE, BACKSLASH, OPEN, CLOSE, HASH } = MEANING;
const meaningOf = MEANING_OF_BYTE;

// State of the scan besides its depth.
const BETWEEN = 0; // between forms; inside a collection, also in the middle of a token
const IN_TOKEN = 1; // at the top level, like the next two states
const IN_TAG = 2;
const AFTER_HASH = 3;
const AFTER_BACKSLASH = 4; // the first byte of a character, of any kind
const IN_STRING = 5;
const AFTER_ESCAPE = 6; // the byte after a backslash in a string
const IN_COMMENT = 7;

/**
 * Finds the ends of top-level EDN forms in bytes that arrive piece by piece, without interpreting the forms: it knows
 * only brackets, strings, characters, comments, tags and discards. It remembers the bytes it has scanned, so a form of
 * a gigabyte costs one pass however many pieces it arrives in.
 *
 * One scanner serves one file, from its beginning.
 */
export class EdnScanner {
  /**
   * Beginning of the last found form, as an index into the bytes and a place in the file. After -1 they describe the
   * unfinished form; `formStart` is `end` if none has begun.
   */
  formStart = 0;
  line = 1;
  column = 1;
  offset = 0;

  private state = BETWEEN;
  private depth = 0;
  private missing = 1; // forms still missing before a form is complete at the top level; each `#_` adds one
  // Offsets in the file, because a caller may move bytes to another index between calls.
  private consumed = 0; // beginning of the bytes not yet passed on
  private scanned = 0; // end of the scanned bytes
  private formOffset = -1; // beginning of the current form, -1 before it
  private currentLine = 1;
  private lineOffset = 0; // beginning of the current line

  /**
   * Returns the index after the next form in `bytes[start, end)`, or -1 if the form does not end there: then call again
   * with these bytes and more. A token such as `17` ends at the byte after it. At the end of the file, the remaining
   * bytes belong to a reader.
   */
  scan(bytes: Uint8Array, start: number, end: number): number {
    const shift = this.consumed - start; // offset = index + shift
    let { state, depth } = this;
    let at = this.scanned - shift;
    while (at < end) {
      switch (state) {
        case BETWEEN: {
          if (depth > 0) while (at < end && meaningOf[bytes[at]] <= BLANK) at++;
          if (at === end) break;
          const meaning = meaningOf[bytes[at]];
          if (depth === 0 && meaning !== BLANK && meaning !== NEWLINE && meaning !== COMMENT) this.begin(at + shift);
          at++;
          if (meaning === NEWLINE) this.countLine(at + shift);
          else if (meaning === OPEN) depth++;
          else if (meaning === QUOTE) state = IN_STRING;
          else if (meaning === COMMENT) state = IN_COMMENT;
          else if (meaning === BACKSLASH) state = AFTER_BACKSLASH;
          else if (meaning === CLOSE) {
            // A bracket without an opening bracket is passed on by itself, so that a reader reports it.
            if (depth === 0) this.missing = 1;
            if (depth <= 1 && this.completes()) return this.hand(at, shift);
            depth--;
          } else if (depth === 0 && meaning !== BLANK) state = meaning === HASH ? AFTER_HASH : IN_TOKEN;
          break;
        }
        case IN_STRING: {
          let byte = 0;
          while (at < end && (byte = bytes[at]) !== 0x22 && byte !== 0x5c && byte !== 0x0a) at++;
          if (at === end) break;
          at++;
          if (byte === 0x0a) this.countLine(at + shift);
          else if (byte === 0x5c) state = AFTER_ESCAPE;
          else {
            state = BETWEEN;
            if (depth === 0 && this.completes()) return this.hand(at, shift);
          }
          break;
        }
        case IN_TOKEN:
          while (at < end && meaningOf[bytes[at]] < BLANK) at++;
          if (at === end) break;
          state = BETWEEN;
          if (this.completes()) return this.hand(at, shift);
          break;
        default:
          this.state = state;
          this.depth = depth;
          at = this.pass(bytes, at, end, shift);
          state = this.state;
      }
    }
    this.state = state;
    this.depth = depth;
    this.scanned = end + shift;
    this.formStart = this.formOffset < 0 ? end : this.formOffset - shift;
    return -1;
  }

  /** Continues a tag, a comment or an escape. All of these are rare. */
  private pass(bytes: Uint8Array, start: number, end: number, shift: number): number {
    const { state } = this;
    let at = start;
    if (state === IN_TAG) {
      while (at < end && meaningOf[bytes[at]] < BLANK) at++;
      if (at < end) this.state = BETWEEN;
    } else if (state === IN_COMMENT) {
      while (at < end && bytes[at] !== 0x0a) at++;
      if (at < end) this.state = BETWEEN;
    } else if (state === AFTER_HASH) {
      this.state = bytes[at] === 0x5f || bytes[at] === 0x7b ? BETWEEN : IN_TAG;
      if (bytes[at] === 0x5f) {
        this.missing++;
        at++;
      }
    } else {
      if (bytes[at++] === 0x0a) this.countLine(at + shift);
      this.state = state === AFTER_ESCAPE ? IN_STRING : this.depth === 0 ? IN_TOKEN : BETWEEN;
    }
    return at;
  }

  /** Records the beginning of a form, unless the form began at an earlier `#_` or tag. */
  private begin(offset: number): void {
    if (this.formOffset >= 0) return;
    this.formOffset = offset;
    this.line = this.currentLine;
    this.column = offset - this.lineOffset + 1;
    this.offset = offset;
  }

  private countLine(offset: number): void {
    this.currentLine++;
    this.lineOffset = offset;
  }

  /** Counts a top-level form; returns true unless it is discarded. */
  private completes(): boolean {
    return --this.missing === 0;
  }

  private hand(at: number, shift: number): number {
    this.formStart = this.formOffset - shift;
    this.state = BETWEEN;
    this.depth = 0;
    this.missing = 1;
    this.formOffset = -1;
    this.consumed = this.scanned = at + shift;
    return at;
  }
}
