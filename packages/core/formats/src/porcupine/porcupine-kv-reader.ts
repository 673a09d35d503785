import { type History, HistoryBuilder, OpKind, TxnStatus, UNKNOWN_VALUE } from '@isolab/history';
import { unexpected } from '../files/errors.ts';
import type { ByteStream } from '../files/input.ts';
import { EdnReader } from '../syntax/edn.ts';
import { SyntaxProblem } from '../syntax/problem.ts';

/** Reads the maps that porcupine-kv.ts describes. */
export class KvReader {
  readonly reader = new EdnReader();
  readonly #file: string;
  readonly #builder: HistoryBuilder;
  readonly #initial: number;
  readonly #open: (Call | undefined)[] = []; // by session
  #events = 0;
  // Current event; a field is -1, '' or undefined if the map does not state it.
  #session = -1;
  #type = '';
  #function = '';
  #key: string | undefined;
  #value: string | null | undefined;

  constructor({ name, share }: ByteStream) {
    this.#file = name;
    this.#builder = new HistoryBuilder({ format: 'porcupine-kv', file: name, unit: 'line', share });
    this.#builder.timeUnit = 'events';
    this.#initial = this.#builder.values.string('');
  }

  /** Reads the next map, which begins on this line. */
  readEvent(line: number): void {
    this.#readMap();
    const number = ++this.#events;
    const session = this.#session;
    const open = this.#open[session];
    if (this.#type === 'ok') {
      if (!open)
        return this.#failAt(line, 'the return of a call', 'an invocation, because this process has no open call');
      this.#return(open, line, number);
      this.#open[session] = undefined;
    } else {
      if (open) this.#failAt(line, 'an invocation', `the return of the call on line ${open.line}, by the same process`);
      this.#open[session] = this.#invoke(session, line, number);
    }
  }

  finish(): History {
    if (this.#events === 0) {
      throw unexpected(
        this.#file,
        null,
        'no call',
        'maps such as {:process 0, :type :invoke, :f :get, :key "3", :value nil}',
      );
    }
    for (const call of this.#open) {
      if (!call) continue;
      this.#builder.outcome(call.t, TxnStatus.Unknown);
      this.#addOperation(call, call.value === null ? UNKNOWN_VALUE : this.#builder.values.string(call.value));
    }
    return this.#builder.finish();
  }

  #invoke(session: number, line: number, number: number): Call {
    const [f, key, value] = [this.#function, this.#key!, this.#value!];
    if (f === 'get' && value !== null) this.#failAt(line, 'a value', 'nil, because a get has no argument');
    if (f !== 'get' && value === null) this.#failAt(line, 'nil', `the string to ${f}`);
    const t = this.#builder.begin(session, line);
    this.#builder.time(t, 'begin', BigInt(number));
    return { t, line, f, key, value };
  }

  #return(call: Call, line: number, number: number): void {
    if (this.#function !== call.f || this.#key !== call.key) {
      this.#failAt(line, `the return of another ${this.#function}`, `that of the ${call.f} on line ${call.line}`);
    }
    const value = this.#value!;
    if (value === null) return this.#failAt(line, 'nil', 'a string');
    if (call.f !== 'get' && value !== call.value) {
      this.#failAt(line, 'another value', `the value of the ${call.f} on line ${call.line}`);
    }
    this.#builder.time(call.t, 'end', BigInt(number));
    this.#addOperation(call, this.#builder.values.string(value));
  }

  #addOperation({ t, f, key }: Call, value: number): void {
    const builder = this.#builder;
    const keyId = builder.keys.string(key);
    builder.initialOf(keyId, this.#initial);
    builder.resume(t);
    builder.op(f === 'get' ? OpKind.Read : f === 'put' ? OpKind.Write : OpKind.Append, keyId, value);
  }

  #readMap(): void {
    const { reader } = this;
    this.#session = -1;
    this.#type = this.#function = '';
    this.#key = this.#value = undefined;
    reader.beginMap();
    while (reader.nextElement()) {
      switch (reader.readKeyword()) {
        case 'process':
          this.#session = this.#readProcess();
          break;
        case 'type':
          this.#type = this.#choose(TYPES);
          break;
        case 'f':
          this.#function = this.#choose(FUNCTIONS);
          break;
        case 'key':
          this.#key = reader.readString();
          break;
        case 'value':
          this.#value = this.#readValue();
          break;
        default:
          reader.skipValue();
      }
    }
    if (this.#session < 0) this.#fail('no process', 'one');
    if (this.#type === '') this.#fail('no type', 'one');
    if (this.#function === '') this.#fail('no function', 'one');
    if (this.#key === undefined) this.#fail('no key', 'one');
    if (this.#value === undefined) this.#fail('no value', 'a value or nil');
  }

  #readProcess(): number {
    const { reader } = this;
    const { sessions } = this.#builder;
    return reader.readInteger() ? sessions.integer(reader.hi, reader.lo) : sessions.bigint(BigInt(reader.bigText));
  }

  #readValue(): string | null {
    if (this.reader.peek() !== 'nil') return this.reader.readString();
    this.reader.readNull();
    return null;
  }

  #choose(names: readonly string[]): string {
    const name = this.reader.readKeyword();
    return names.includes(name) ? name : this.#fail(`:${name}`, names.map((choice) => `:${choice}`).join(' or '));
  }

  #fail(found: string, expected: string): never {
    throw new SyntaxProblem(this.reader.place(), found, expected);
  }

  #failAt(line: number, found: string, expected: string): never {
    throw unexpected(this.#file, `line ${line}`, found, expected);
  }
}

interface Call {
  readonly t: number;
  readonly line: number;
  readonly f: string;
  readonly key: string;
  /** Null for a get. */
  readonly value: string | null;
}

const TYPES = ['invoke', 'ok'];
const FUNCTIONS = ['get', 'put', 'append'];
