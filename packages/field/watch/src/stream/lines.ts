/**
 * Lines in order of arrival, in one buffer. Each line has its number in the stream, its arrival time, and flags for the
 * engine.
 */
export class Lines {
  bytes = new Uint8Array(FIRST_BYTES);
  count = 0;
  /** Start of each line, with one extra slot. */
  start = new Uint32Array(FIRST_LINES + 1);
  number = new Float64Array(FIRST_LINES);
  /** Arrival time of each line in milliseconds. */
  came = new Float64Array(FIRST_LINES);
  flags = new Uint8Array(FIRST_LINES);

  get size(): number {
    return this.start[this.count]!;
  }

  /** Adds a line whose last byte is the line feed. */
  add(bytes: Uint8Array, from: number, to: number, number: number, came: number, flags = 0): void {
    const at = this.start[this.count]!;
    const end = at + to - from;
    if (end > this.bytes.length) this.#growBytes(end);
    if (this.count + 1 >= this.start.length) this.#growLines();
    this.bytes.set(bytes.subarray(from, to), at);
    this.number[this.count] = number;
    this.came[this.count] = came;
    this.flags[this.count] = flags;
    this.start[++this.count] = end;
  }

  /** Keeps only the lines with a nonzero entry in `kept`. */
  keep(kept: Uint8Array): void {
    let count = 0;
    let end = 0;
    for (let line = 0; line < this.count; line++) {
      if (kept[line] === 0) continue;
      const from = this.start[line]!;
      const to = this.start[line + 1]!;
      if (from !== end) this.bytes.copyWithin(end, from, to);
      this.number[count] = this.number[line]!;
      this.came[count] = this.came[line]!;
      this.flags[count] = this.flags[line]!;
      end += to - from;
      this.start[++count] = end;
    }
    this.count = count;
  }

  /** Stores whether the latest order has the line's transaction, and whether its outcome was unknown then. */
  flagPlaced(line: number, isPlaced: boolean, isOpen: boolean): void {
    this.flags[line]! &= ~(PLACED | OPEN_WHEN_PLACED);
    if (isPlaced) this.flags[line]! |= isOpen ? PLACED | OPEN_WHEN_PLACED : PLACED;
  }

  clear(): void {
    this.count = 0;
  }

  line(i: number): Uint8Array {
    return this.bytes.subarray(this.start[i], this.start[i + 1]);
  }

  #growBytes(needed: number): void {
    const bytes = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
    bytes.set(this.bytes.subarray(0, this.size));
    this.bytes = bytes;
  }

  #growLines(): void {
    const capacity = 2 * this.number.length;
    const start = new Uint32Array(capacity + 1);
    start.set(this.start);
    const number = new Float64Array(capacity);
    number.set(this.number);
    const came = new Float64Array(capacity);
    came.set(this.came);
    const flags = new Uint8Array(capacity);
    flags.set(this.flags);
    [this.start, this.number, this.came, this.flags] = [start, number, came, flags];
  }
}

/** Returns whether a line is a mark by the stream's writer instead of a transaction: `{"isolab":…`. */
export const isMark = (bytes: Uint8Array, from: number): boolean =>
  beginsWith(bytes, from, LETTER_I, /^\s*\{\s*"isolab"/);

/** Returns whether a line is the end mark. */
export const isEnd = (line: Uint8Array): boolean =>
  isMark(line, 0) && parsed(Buffer.from(line).toString()).isolab === 'end';

/** Returns whether a line states the outcome of a session's last transaction: `{"outcome":…`. */
export const isOutcome = (bytes: Uint8Array, from: number): boolean =>
  beginsWith(bytes, from, LETTER_O, /^\s*\{\s*"outcome"/);

/** Returns whether a line has initial rows: `{"rows":…`. */
export const isInitialRows = (bytes: Uint8Array, from: number): boolean =>
  beginsWith(bytes, from, LETTER_R, /^\s*\{\s*"rows"/);

/** Returns the session of a transaction or an outcome, as spelled in the line. */
export function sessionIn(line: Uint8Array): string {
  const text = Buffer.from(line.buffer, line.byteOffset, line.length).toString();
  return (
    /^\{(?:"outcome":"\w+",)?"session":("(?:[^"\\]|\\.){0,1000}"|-?\d+)[,}]/.exec(text)?.[1] ??
    JSON.stringify(parsed(text).session)
  );
}

/** Returns the outcome that a line gives for a session's last transaction. */
export function outcomeIn(line: Uint8Array): { readonly outcome: string; readonly end: bigint | null } {
  const text = Buffer.from(line.buffer, line.byteOffset, line.length).toString();
  const end = /[,{]\s*"end"\s*:\s*(-?\d+)/.exec(text)?.[1];
  return { outcome: parsed(text).outcome ?? '', end: end === undefined ? null : BigInt(end) };
}

function parsed(text: string): { readonly session?: unknown; readonly outcome?: string; readonly isolab?: unknown } {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {}; // the reader of the line reports the error
  }
}

/** Checks first the letter that nearly always decides. */
function beginsWith(bytes: Uint8Array, from: number, letter: number, pattern: RegExp): boolean {
  if (bytes[from] === OPENING && bytes[from + 1] === QUOTE && bytes[from + 2] !== letter) return false;
  return pattern.test(Buffer.from(bytes.subarray(from, from + 40)).toString('latin1'));
}

const OPENING = 0x7b;
const QUOTE = 0x22;
const LETTER_I = 0x69;
const LETTER_O = 0x6f;
const LETTER_R = 0x72;

/**
 * Flags of a line: its transaction began before the latest cut; has a read that is trusted; is part of the latest
 * order, perhaps before its outcome was known.
 */
export const BEGUN = 1;
export const BELIEVED = 2;
export const PLACED = 4;
export const OPEN_WHEN_PLACED = 8;

const FIRST_BYTES = 1 << 12;
const FIRST_LINES = 1 << 6;
