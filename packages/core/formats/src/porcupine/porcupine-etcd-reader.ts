import { Exchange, HistoryBuilder, type History, NIL, OpKind, TxnStatus, UNKNOWN_VALUE } from '@isolab/history';
import { unexpected } from '../files/errors.ts';
import type { ByteStream } from '../files/input.ts';
import { LineReader } from '../files/line-reader.ts';

/** Reads the lines that porcupine-etcd.ts describes. */
export class EtcdReader extends LineReader {
  readonly #builder: HistoryBuilder;
  readonly #register: number;
  readonly #open: (Call | undefined)[] = []; // by session
  #bytes: Uint8Array = new Uint8Array(0);
  #lineEnd = 0;
  #words: readonly Word[] = [];

  constructor({ name, share }: ByteStream) {
    super(name);
    this.#builder = new HistoryBuilder({ format: 'porcupine-etcd', file: name, unit: 'line', share });
    this.#builder.timeUnit = 'events';
    this.#register = this.#builder.keys.string('register');
  }

  protected override readLine(bytes: Uint8Array, at: number, end: number): number {
    if (bytes[at] === LINE_FEED) return at + 1;
    const feed = bytes.indexOf(LINE_FEED, at);
    this.#bytes = bytes;
    this.#lineEnd = feed < 0 || feed >= end ? end : feed;
    const text = Buffer.from(bytes.subarray(at, this.#lineEnd)).toString('latin1'); // one character per byte
    const control = text.search(/[^\t\r -\xff]/);
    if (control >= 0) this.#failAt(at + control, 'a blank or a word');
    this.#words = Array.from(text.matchAll(/[^ \t\r]+/g), ({ 0: word, index }) => ({ text: word, at: at + index }));
    this.#expectEnd(VALUE + 2);
    if (this.#words.length > 0) this.#readEvent();
    return this.#lineEnd + 1;
  }

  protected override finish(): History {
    if (this.#builder.transactions === 0)
      throw unexpected(this.file, null, 'no call', "lines such as 'INFO jepsen.util - 0 :invoke :read nil'");
    this.#open.forEach((call, session) => {
      if (call) this.#close(session, call, TxnStatus.Unknown, UNKNOWN_VALUE, 0);
    });
    return this.#builder.finish();
  }

  #readEvent(): void {
    const words = this.#words;
    for (const [i, word] of PREFIX.entries()) if (words[i]?.text !== word) this.#fail(i, `'${PREFIX.join(' ')}'`);
    if (words[PROCESS]?.text.startsWith(':')) {
      this.#builder.note('nemesisEvents');
      return;
    }
    if (!/^\d+$/.test(words[PROCESS]?.text ?? '')) this.#fail(PROCESS, 'a process: a natural number or a keyword');
    const session = this.#builder.sessions.bigint(BigInt(words[PROCESS]!.text));
    const type = this.#choose(TYPE, TYPES, "':invoke', ':ok', ':fail' or ':info'");
    const name = this.#choose(FUNCTION, FUNCTIONS, "':read', ':write' or ':cas'");
    if (type === ':invoke') this.#invoke(session, name);
    else this.#complete(session, type, name);
  }

  #invoke(session: number, name: string): void {
    if (this.#open[session]) this.#fail(TYPE, 'the completion of the open call of this process');
    const operands = this.#readOperands(name);
    const t = this.#builder.begin(session, this.line);
    this.#builder.time(t, 'begin', BigInt(this.line));
    this.#open[session] = { t, name, operands };
  }

  #complete(session: number, type: string, name: string): void {
    const call = this.#open[session];
    if (!call) return this.#fail(TYPE, "':invoke', because this process has no open call");
    if (name !== call.name) this.#fail(FUNCTION, `'${call.name}', as in its invocation`);
    const hasReason = type !== ':ok' && this.#words[VALUE]?.text.startsWith(':') === true;
    const seesValue = name === ':read' && type === ':ok';
    const read = seesValue ? this.#readOperand(VALUE, false) : UNKNOWN_VALUE;
    if (hasReason || seesValue) this.#expectEnd(VALUE + 1);
    else if (this.#readOperands(name).some((operand, i) => operand !== call.operands[i]))
      this.#fail(VALUE, 'the value of its invocation');
    if (type !== ':info') this.#builder.time(call.t, 'end', BigInt(this.line));
    const compared = type === ':fail' && name === ':cas' && !hasReason;
    const outcome = type === ':ok' || compared ? TxnStatus.Committed : TxnStatus.Aborted;
    this.#close(session, call, type === ':info' ? TxnStatus.Unknown : outcome, read, compared ? Exchange.Failed : 0);
  }

  /** Adds the operation of a session's open transaction. */
  #close(session: number, { t, name, operands }: Call, status: number, read: number, flags: number): void {
    const builder = this.#builder;
    const [first = NIL, second = NIL] = operands;
    builder.resume(t);
    builder.outcome(t, status);
    if (name === ':read') builder.op(OpKind.Read, this.#register, read);
    else if (name === ':write') builder.op(OpKind.Write, this.#register, first);
    else builder.exchange(OpKind.CompareAndSet, this.#register, first, second, flags);
    this.#open[session] = undefined;
  }

  /** Reads the arguments of a call and returns their ids. The nil argument of a read does not count. */
  #readOperands(name: string): number[] {
    if (name === ':read' && this.#words[VALUE]?.text !== 'nil') this.#fail(VALUE, "'nil'");
    const operands = name === ':read' ? [] : [this.#readOperand(VALUE, name === ':cas')];
    if (name === ':cas') operands.push(this.#readOperand(VALUE + 1, true));
    this.#expectEnd(name === ':cas' ? VALUE + 2 : VALUE + 1);
    return operands;
  }

  /** Reads an integer or nil and returns its id. The two integers of a compare-and-set are in brackets. */
  #readOperand(i: number, bracketed: boolean): number {
    const word = this.#words[i] ?? this.#fail(i, bracketed ? 'two values in brackets' : 'a value');
    const opens = bracketed && i === VALUE;
    const closes = bracketed && i > VALUE;
    if (opens && !word.text.startsWith('[')) this.#fail(i, "'['");
    if (closes && !word.text.endsWith(']')) this.#fail(i, "an integer or nil, and ']'");
    const text = word.text.slice(opens ? 1 : 0, closes ? -1 : undefined);
    if (text === 'nil') return NIL;
    if (!/^-?\d+$/.test(text)) this.#failAt(word.at + (opens ? 1 : 0), 'an integer or nil');
    return this.#builder.values.bigint(BigInt(text));
  }

  #choose(i: number, names: readonly string[], expected: string): string {
    return names.find((name) => this.#words[i]?.text === name) ?? this.#fail(i, expected);
  }

  #expectEnd(i: number): void {
    if (this.#words.length > i) this.#fail(i, 'the end of the line');
  }

  #fail(i: number, expected: string): never {
    return this.#failAt(this.#words[i]?.at ?? this.#lineEnd, expected);
  }

  #failAt(at: number, expected: string): never {
    return this.fail(this.#bytes, at, this.#lineEnd, expected);
  }
}

/** Word of a line, and the byte of the window at which it begins. */
interface Word {
  readonly text: string;
  readonly at: number;
}

interface Call {
  readonly t: number;
  readonly name: string;
  readonly operands: readonly number[];
}

const PREFIX = ['INFO', 'jepsen.util', '-'];
const [PROCESS, TYPE, FUNCTION, VALUE] = [3, 4, 5, 6];
const TYPES = [':invoke', ':ok', ':fail', ':info'];
const FUNCTIONS = [':read', ':write', ':cas'];
const LINE_FEED = 10;
