import { type HistoryBuilder, type Interner, OpKind } from '@isolab/history';
import type { KeyShard } from '../files/key-shard.ts';
import { JsonReader } from '../syntax/json.ts';
import { firstInvalidUtf8 } from '../syntax/utf8.ts';

/**
 * Reads JSON, with a short cut for most operations: `["r",KEY,VALUE]` and `["w",KEY,VALUE]` with natural numbers and no
 * spaces.
 */
export class OperationsReader extends JsonReader {
  /** Shard whose operations are read; the operations on other keys are skipped. */
  readonly shard: KeyShard | null;

  constructor(shard: KeyShard | null) {
    super();
    this.shard = shard;
  }

  /**
   * Reads as many of these operations as come next in an array. Other elements, valid or not, are left for the general
   * reader.
   */
  readPlainOperations(builder: HistoryBuilder): void {
    const { bytes, end, shard } = this;
    let at = this.fresh ? this.at : this.at + 1; // skips a comma, if there is one
    if (at > this.at && bytes[this.at] !== COMMA) return;
    while (
      bytes[at] === OPEN_BRACKET &&
      bytes[at + 1] === QUOTE &&
      bytes[at + 3] === QUOTE &&
      bytes[at + 4] === COMMA
    ) {
      const letter = bytes[at + 2];
      if (letter !== LETTER_R && letter !== LETTER_W) return;
      at = this.readNatural(at + 5, COMMA);
      if (at < 0) return;
      const { hi, lo } = this;
      at = this.readNatural(at, CLOSE_BRACKET);
      if (at < 0 || at >= end) return;
      if (shard === null || shard.hasInteger(hi, lo))
        builder.integerOp(letter === LETTER_R ? OpKind.Read : OpKind.Write, hi, lo, this.hi, this.lo);
      this.at = at;
      this.fresh = false;
      if (bytes[at] !== COMMA) return;
      at++;
    }
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
