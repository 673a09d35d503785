import { Exchange, type History, HistoryBuilder, NIL, OpKind, TxnStatus, UNKNOWN_VALUE } from '@isolab/history';
import { quoteBytes, unexpected } from '../files/errors.ts';
import type { ByteStream } from '../files/input.ts';

/** Reads the lines that porcupine-etcd.ts describes. */
export class EtcdReader {
  readonly #file: string;
  readonly #builder: HistoryBuilder;
  readonly #register: number;
  #line = 0;
  // The line being read, and the blank-separated tokens in it.
  #bytes: Uint8Array = new Uint8Array(0);
  #lineStart = 0;
  #lineEnd = 0;
  #tokens = 0;
  readonly #from = new Int32Array(MOST_TOKENS);
  readonly #to = new Int32Array(MOST_TOKENS);
  // Open transaction of each session, or -1, and the arguments of its invocation.
  readonly #open: number[] = [];
  readonly #function: number[] = []; // an index into FUNCTIONS
  readonly #first: number[] = []; // value written, or expected
  readonly #second: number[] = []; // value set

  constructor({ name, share }: ByteStream) {
    this.#file = name;
    this.#builder = new HistoryBuilder({ format: 'porcupine-etcd', file: name, unit: 'line', share });
    this.#builder.timeUnit = 'events';
    this.#register = this.#builder.keys.string('register');
  }

  readLines(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes;
    for (let at = start; at < end;) {
      const lineFeed = bytes.indexOf(LINE_FEED, at);
      this.#line++;
      this.#lineStart = at;
      this.#lineEnd = lineFeed < 0 || lineFeed >= end ? end : lineFeed;
      at = this.#lineEnd + 1;
      this.#split();
      if (this.#tokens > 0) this.#readEvent();
    }
  }

  finish(): History {
    const builder = this.#builder;
    if (builder.transactions === 0) {
      throw unexpected(this.#file, null, 'no call', "lines such as 'INFO jepsen.util - 0 :invoke :read nil'");
    }
    this.#open.forEach((t, session) => {
      if (t >= 0) this.#close(session, TxnStatus.Unknown, UNKNOWN_VALUE, 0);
    });
    return builder.finish();
  }

  #split(): void {
    const bytes = this.#bytes;
    const end = this.#lineEnd;
    let count = 0;
    for (let at = this.#lineStart; at < end;) {
      const byte = bytes[at]!;
      if (byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN) {
        at++;
        continue;
      }
      if (byte < SPACE) this.#failAt(at, 'a blank or a word');
      if (count === MOST_TOKENS) this.#failAt(at, 'the end of the line');
      this.#from[count] = at;
      while (at < end && bytes[at]! > SPACE) at++;
      this.#to[count++] = at;
    }
    this.#tokens = count;
  }

  #readEvent(): void {
    for (let i = 0; i < PREFIX.length; i++) if (!this.#is(i, PREFIX[i])) this.#fail(i, `'${PREFIX_TEXT}'`);
    if (this.#tokens > PROCESS && this.#bytes[this.#from[PROCESS]] === COLON) {
      this.#builder.note('nemesisEvents');
      return;
    }
    const session = this.#readProcess();
    const type = this.#choose(TYPE, TYPES, "':invoke', ':ok', ':fail' or ':info'");
    const call = this.#choose(FUNCTION, FUNCTIONS, "':read', ':write' or ':cas'");
    if (type === INVOKE) this.#invoke(session, call);
    else this.#complete(session, type, call);
  }

  #invoke(session: number, call: number): void {
    if (this.#open[session] !== undefined && this.#open[session] >= 0) {
      this.#fail(TYPE, 'the completion of the open call of this process');
    }
    const builder = this.#builder;
    let [first, second] = [NIL, NIL];
    if (call === READ) this.#expectNil();
    else {
      first = this.#readOperand(VALUE, call === CAS);
      if (call === CAS) second = this.#readOperand(VALUE + 1, true);
    }
    this.#expectEnd(call === CAS ? VALUE + 2 : VALUE + 1);
    const t = builder.begin(session, this.#line);
    builder.time(t, 'begin', BigInt(this.#line));
    this.#open[session] = t;
    this.#function[session] = call;
    this.#first[session] = first;
    this.#second[session] = second;
  }

  #complete(session: number, type: number, call: number): void {
    const t = this.#open[session] ?? -1;
    if (t < 0) this.#fail(TYPE, "':invoke', because this process has no open call");
    if (call !== this.#function[session])
      this.#fail(FUNCTION, `'${FUNCTIONS[this.#function[session]]}', as it was invoked`);
    const hasReason = type !== OK && this.#tokens > VALUE && this.#bytes[this.#from[VALUE]] === COLON;
    let read = UNKNOWN_VALUE;
    if (hasReason) this.#expectEnd(VALUE + 1);
    else if (call !== READ) this.#expectInvokedValue(session, call);
    else if (type === OK) {
      read = this.#readOperand(VALUE, false);
      this.#expectEnd(VALUE + 1);
    } else this.#expectNil();

    if (type !== INFO) this.#builder.time(t, 'end', BigInt(this.#line));
    const compared = type === FAIL && call === CAS && !hasReason;
    if (type === INFO) this.#close(session, TxnStatus.Unknown, read, 0);
    else if (type === OK || compared) this.#close(session, TxnStatus.Committed, read, compared ? Exchange.Failed : 0);
    else this.#close(session, TxnStatus.Aborted, read, 0);
  }

  /** Adds the operation of a session's open transaction. */
  #close(session: number, status: number, read: number, flags: number): void {
    const builder = this.#builder;
    const t = this.#open[session];
    const [first, second] = [this.#first[session], this.#second[session]];
    builder.resume(t);
    builder.outcome(t, status);
    if (this.#function[session] === READ) builder.op(OpKind.Read, this.#register, read);
    else if (this.#function[session] === WRITE) builder.op(OpKind.Write, this.#register, first);
    else builder.exchange(OpKind.CompareAndSet, this.#register, first, second, flags);
    this.#open[session] = -1;
  }

  #readProcess(): number {
    const expected = 'a process: a natural number or a keyword';
    if (PROCESS >= this.#tokens || this.#bytes[this.#from[PROCESS]] === MINUS) this.#fail(PROCESS, expected);
    const process = this.#parseInteger(this.#from[PROCESS], this.#to[PROCESS]);
    if (process === null) this.#fail(PROCESS, expected);
    return this.#builder.sessions.bigint(process);
  }

  /** The id of the integer or nil at a token; a compare-and-set has two of them, in brackets. */
  #readOperand(token: number, bracketed: boolean): number {
    const bytes = this.#bytes;
    if (token >= this.#tokens) this.#fail(token, bracketed ? 'two values in brackets' : 'a value');
    let from = this.#from[token];
    let to = this.#to[token];
    if (bracketed && token === VALUE && bytes[from++] !== OPEN) this.#fail(token, "'['");
    if (bracketed && token === VALUE + 1 && bytes[--to] !== CLOSE) this.#fail(token, "an integer or nil, and ']'");
    if (
      to - from === 3 &&
      bytes[from] === NIL_TEXT[0] &&
      bytes[from + 1] === NIL_TEXT[1] &&
      bytes[from + 2] === NIL_TEXT[2]
    ) {
      return NIL;
    }
    const value = this.#parseInteger(from, to);
    if (value === null) this.#failAt(from, 'an integer or nil');
    return this.#builder.values.bigint(value);
  }

  #expectInvokedValue(session: number, call: number): void {
    const first = this.#readOperand(VALUE, call === CAS);
    const same =
      first === this.#first[session] &&
      (call === WRITE || this.#readOperand(VALUE + 1, true) === this.#second[session]);
    if (!same) this.#fail(VALUE, 'the value that the call was invoked with');
    this.#expectEnd(call === CAS ? VALUE + 2 : VALUE + 1);
  }

  #expectNil(): void {
    if (!this.#is(VALUE, NIL_TEXT)) this.#fail(VALUE, "'nil'");
    this.#expectEnd(VALUE + 1);
  }

  #expectEnd(token: number): void {
    if (this.#tokens > token) this.#fail(token, 'the end of the line');
  }

  #parseInteger(from: number, to: number): bigint | null {
    const bytes = this.#bytes;
    let at = bytes[from] === MINUS ? from + 1 : from;
    if (at >= to) return null;
    let number = 0;
    for (; at < to; at++) {
      if (bytes[at]! < ZERO || bytes[at]! > NINE) return null;
      number = number * 10 + (bytes[at]! - ZERO);
    }
    if (number > Number.MAX_SAFE_INTEGER) return BigInt(Buffer.from(bytes.subarray(from, to)).toString('latin1'));
    return BigInt(bytes[from] === MINUS ? -number : number);
  }

  #choose(token: number, names: readonly string[], expected: string): number {
    for (let i = 0; i < names.length; i++) if (this.#is(token, BYTES_OF.get(names[i])!)) return i;
    return this.#fail(token, expected);
  }

  #is(token: number, text: Uint8Array): boolean {
    if (token >= this.#tokens) return false;
    const from = this.#from[token];
    if (this.#to[token] - from !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (this.#bytes[from + i] !== text[i]) return false;
    return true;
  }

  #fail(token: number, expected: string): never {
    return this.#failAt(token < this.#tokens ? this.#from[token] : this.#lineEnd, expected);
  }

  #failAt(at: number, expected: string): never {
    const found = at >= this.#lineEnd ? 'the end of the line' : quoteBytes(this.#bytes, at, this.#lineEnd);
    const position = `line ${this.#line}, column ${at - this.#lineStart + 1}`;
    throw unexpected(this.#file, position, found, expected);
  }
}

// Tokens of a line.
const [PROCESS, TYPE, FUNCTION, VALUE] = [3, 4, 5, 6];
const MOST_TOKENS = VALUE + 2;
const PREFIX_TEXT = 'INFO jepsen.util -';
const TYPES = [':invoke', ':ok', ':fail', ':info'];
const [INVOKE, OK, FAIL, INFO] = [0, 1, 2, 3];
const FUNCTIONS = [':read', ':write', ':cas'];
const [READ, WRITE, CAS] = [0, 1, 2];

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const PREFIX = PREFIX_TEXT.split(' ').map(bytesOf);
const NIL_TEXT = bytesOf('nil');
const BYTES_OF = new Map([...TYPES, ...FUNCTIONS].map((name) => [name, bytesOf(name)]));
const [ZERO, NINE, MINUS, COLON, OPEN, CLOSE] = [0x30, 0x39, 0x2d, 0x3a, 0x5b, 0x5d];
const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE] = [9, 10, 13, 32];
