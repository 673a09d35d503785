import { HEADER, LONGEST } from './message-types.ts';
import type { Output } from './output.ts';

/**
 * The treatment of a message, decided from its type: `pass` forwards each chunk on arrival; `take` needs the complete
 * message; `drop` discards it; `wait` delays it and all later messages until `resume`.
 */
export type Treatment = 'pass' | 'take' | 'drop' | 'wait';

/** Handles the messages of one direction. */
export interface Reader {
  treatment(type: number): Treatment;
  /**
   * Handles a complete message, including its header; its bytes are reused afterwards. Returns whether the message
   * passes unchanged; if not, the reader has sent the necessary messages.
   */
  take(type: number, bytes: Buffer, start: number, end: number): boolean;
  /** Handles bytes that are not messages. All of them pass from now on. */
  loses(why: string): void;
}

/** Splits a stream into messages, regardless of chunk boundaries. A chunk may be reused after it was fed. */
export class Framer {
  reader: Reader;
  readonly #out: Output;
  readonly #isKnown = new Uint8Array(256);
  /** The start of an incomplete header. */
  #start: Buffer | null = null;
  #waiting: Buffer[] | null = null;
  /** The treatment of the current message, and the number of its bytes that are still to come. */
  #treatment: Treatment = 'pass';
  #missing = 0;
  #gathering: Gathering | null = null;
  #isRaw = false;

  constructor(types: Readonly<Record<string, number>>, out: Output, reader: Reader) {
    for (const type of Object.values(types)) this.#isKnown[type] = 1;
    this.#out = out;
    this.reader = reader;
  }

  get isWaiting(): boolean {
    return this.#waiting !== null;
  }

  feed(chunk: Buffer): void {
    if (this.#waiting !== null) {
      this.#waiting.push(Buffer.from(chunk));
      return;
    }
    const start = this.#start;
    this.#start = null;
    this.#read(start === null ? chunk : Buffer.concat([start, chunk]));
  }

  resume(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting !== null) for (const chunk of waiting) this.feed(chunk);
  }

  /** Lets all bytes pass from now on, beginning with the delayed bytes. */
  passAll(): void {
    if (this.#isRaw) return;
    this.#isRaw = true;
    if (this.#gathering !== null) this.#out.give(this.#gathering.gathered());
    if (this.#treatment === 'take') this.#missing = 0;
    this.#gathering = null;
    if (this.#start !== null) this.#out.add(this.#start);
    this.#start = null;
    this.resume();
  }

  #read(bytes: Buffer): void {
    let at = this.#missing > 0 ? this.#body(bytes, 0) : 0;
    while (at < bytes.length) {
      if (this.#isRaw) {
        this.#out.pass(bytes, at, bytes.length);
        return;
      }
      if (bytes.length - at < HEADER) {
        this.#start = Buffer.from(bytes.subarray(at));
        return;
      }
      at = this.#message(bytes, at);
    }
  }

  /** Handles the message that begins at `at`, as far as it has arrived, and returns its end. */
  #message(bytes: Buffer, at: number): number {
    const type = bytes[at]!;
    const length = bytes.readInt32BE(at + 1);
    if (this.#isKnown[type] === 0 || length < HEADER - 1 || length > LONGEST) {
      this.reader.loses(`a message of type 0x${type.toString(16)} and length ${length}`);
      // The reader lets all bytes pass: nothing after this point can be split into messages.
      return at;
    }
    const treatment = this.reader.treatment(type);
    if (treatment === 'wait') {
      this.#waiting = [Buffer.from(bytes.subarray(at))];
      return bytes.length;
    }
    const end = at + 1 + length;
    if (treatment === 'take' && end <= bytes.length) {
      if (this.reader.take(type, bytes, at, end)) this.#out.pass(bytes, at, end);
      return end;
    }
    this.#treatment = treatment;
    this.#missing = 1 + length;
    if (treatment === 'take') this.#gathering = new Gathering(type, 1 + length);
    return this.#body(bytes, at);
  }

  #body(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#missing);
    this.#missing -= end - at;
    if (this.#treatment === 'pass') this.#out.pass(bytes, at, end);
    else if (this.#treatment === 'take') this.#gather(bytes, at, end);
    return end;
  }

  #gather(bytes: Buffer, at: number, end: number): void {
    const gathering = this.#gathering!;
    gathering.add(bytes, at, end);
    if (this.#missing > 0) return;
    this.#gathering = null;
    const message = gathering.gathered();
    if (this.reader.take(gathering.type, message, 0, message.length)) this.#out.give(message);
  }
}

/**
 * A message that arrives in pieces. Memory is allocated as they arrive, because its header may lie about its length.
 */
class Gathering {
  readonly type: number;
  readonly #whole: number;
  #bytes: Buffer;
  #length = 0;

  constructor(type: number, whole: number) {
    this.type = type;
    this.#whole = whole;
    this.#bytes = Buffer.allocUnsafeSlow(Math.min(whole, FIRST));
  }

  add(bytes: Buffer, at: number, end: number): void {
    const needed = this.#length + end - at;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(this.#whole, Math.max(needed, 2 * this.#bytes.length)));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.#length, at, end);
    this.#length = needed;
  }

  gathered(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

const FIRST = 1 << 16;
