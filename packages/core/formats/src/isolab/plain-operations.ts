import { type HistoryBuilder, type Interner, OpKind } from '@isolab/history';
import { JsonReader } from '../syntax/json.ts';
import { firstInvalidUtf8 } from '../syntax/utf8.ts';

/**
 * Reads JSON, with a short cut for most operations: `["r",KEY,VALUE]` and `["w",KEY,VALUE]` with natural numbers and no
 * spaces.
 */
export class OperationsReader extends JsonReader {
  readonly #kind = new Uint8Array(MOST_GATHERED);
  readonly #key = new Int32Array(MOST_GATHERED);
  readonly #keyHigh = new Int32Array(MOST_GATHERED);
  readonly #value = new Int32Array(MOST_GATHERED);
  readonly #valueHigh = new Int32Array(MOST_GATHERED);

  /**
   * Reads as many of these operations as come next in an array. Other elements, valid or not, are left for the general
   * reader. Gathers numbers first and finds their ids afterwards: reading digits between two searches would make each
   * search wait for the memory by itself.
   */
  readPlainOperations(builder: HistoryBuilder): void {
    for (let count = MOST_GATHERED; count === MOST_GATHERED;) {
      count = this.gatherOperations();
      builder.keys.integers(this.#keyHigh, this.#key, count);
      builder.values.integers(this.#valueHigh, this.#value, count);
      builder.ops(this.#kind, this.#key, this.#value, count);
    }
  }

  private gatherOperations(): number {
    const { bytes, end } = this;
    let at = this.fresh ? this.at : this.at + 1; // skips a comma, if there is one
    if (at > this.at && bytes[this.at] !== COMMA) return 0;
    let count = 0;
    while (
      count < MOST_GATHERED &&
      bytes[at] === OPEN_BRACKET &&
      bytes[at + 1] === QUOTE &&
      bytes[at + 3] === QUOTE &&
      bytes[at + 4] === COMMA
    ) {
      const letter = bytes[at + 2];
      if (letter !== LETTER_R && letter !== LETTER_W) break;
      at = this.readNatural(at + 5, COMMA);
      if (at < 0) break;
      this.#key[count] = this.lo;
      this.#keyHigh[count] = this.hi;
      at = this.readNatural(at, CLOSE_BRACKET);
      if (at < 0 || at >= end) break;
      this.#value[count] = this.lo;
      this.#valueHigh[count] = this.hi;
      this.#kind[count++] = letter === LETTER_R ? OpKind.Read : OpKind.Write;
      this.at = at;
      this.fresh = false;
      if (bytes[at] !== COMMA) break;
      at++;
    }
    return count;
  }

  /**
   * Interns a string exactly as written in the file. Returns −1, and reads nothing, if it has escapes, is long or is
   * not UTF-8.
   */
  readStringInto(interner: Interner): number {
    const { bytes, end } = this;
    if (this.next() !== QUOTE) return -1;
    const first = this.at + 1;
    let at = first;
    while (at < end && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH && bytes[at] >= SPACE) at++;
    if (at === end || bytes[at] !== QUOTE || at - first > LONGEST || firstInvalidUtf8(bytes, first, at) >= 0) return -1;
    this.at = at + 1;
    return interner.utf8(bytes, first, at);
  }

  /**
   * Reads a natural number and the byte that must follow it. Returns the index after that byte, or −1 if they are not
   * there.
   */
  private readNatural(first: number, closing: number): number {
    const { bytes, end } = this;
    const at = this.readDigits(first, false);
    const isPlain = at > first && at < end && bytes[at] === closing && this.bigText === '';
    return isPlain && (bytes[first] !== ZERO || at === first + 1) ? at + 1 : -1;
  }
}

const [QUOTE, COMMA, ZERO, OPEN_BRACKET, CLOSE_BRACKET] = [0x22, 0x2c, 0x30, 0x5b, 0x5d];
const [LETTER_R, LETTER_W, BACKSLASH, SPACE] = [0x72, 0x77, 0x5c, 0x20];
const LONGEST = 1 << 16;
/** Enough for most transactions, and few enough for the nearest cache. */
const MOST_GATHERED = 256;
