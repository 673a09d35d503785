import { type History, HistoryBuilder, NIL, OpKind, TxnStatus } from '@isolab/history';
import { InitialZeros } from './dbcop-initial-zeros.ts';
import { inFile, unexpected } from '../files/errors.ts';
import { JsonReader } from '../syntax/json.ts';
import { SyntaxProblem } from '../syntax/problem.ts';

/**
 * Reads
 *
 *     file        := [session*] | {"params": …, "info": string, "start": …, "end": …, "data": [session*]}
 *     session     := [transaction*]
 *     transaction := {"events": [event*], "committed": boolean}
 *     event       := {"Write": {"variable": key, "version": integer}} | ["w", key, integer]
 *                  | {"Read": {"variable": key, "version": integer | null}} | ["r", key, integer | null]
 *
 * where null is the initial state. Other fields of an object are ignored, as in dbcop itself.
 */
export class DbcopJsonReader {
  readonly #file: string;
  readonly #bytes: Uint8Array;
  readonly #json = new JsonReader();
  readonly #builder: HistoryBuilder;
  readonly #zeros: InitialZeros;
  #begun = 0; // byte at which the transaction begins
  #key = -1; // variable of the event, -1 before it is read
  #version = -1;

  constructor(file: string, bytes: Uint8Array) {
    this.#file = file;
    this.#bytes = bytes;
    this.#builder = new HistoryBuilder({ format: 'dbcop-json', file, unit: 'byte' });
    this.#zeros = new InitialZeros(this.#builder);
  }

  read(): History {
    const json = this.#json;
    if (this.#bytes.length === 0) throw unexpected(this.#file, null, 'an empty file', FILE);
    json.reset(this.#bytes, 0, this.#bytes.length);
    inFile(this.#file, () => {
      if (json.peek() === 'object') this.#readWrapper();
      else this.#readSessions(FILE);
      json.finish();
    });
    return this.#zeros.finish();
  }

  #readWrapper(): void {
    const json = this.#json;
    const begin = json.offset;
    let hasData = false;
    json.beginObject();
    for (let key = json.nextKey(); key !== undefined; key = json.nextKey()) {
      if (key === 'info') this.#builder.database = json.readString() || null;
      else if (key !== 'data') json.skipValue();
      else if (hasData) this.#fail(json.offset, "'data' a second time", 'only one');
      else {
        hasData = true;
        this.#readSessions("an array of sessions in 'data'");
      }
    }
    if (!hasData) this.#fail(begin, "an object without 'data'", FILE);
  }

  #readSessions(expected: string): void {
    const json = this.#json;
    if (json.peek() !== 'array') this.#fail(json.offset, this.#describe(), expected);
    json.beginSequence();
    for (let session = 1; json.nextElement(); session++) {
      const id = this.#builder.sessions.integer(0, session);
      if (json.peek() !== 'array') this.#fail(json.offset, this.#describe(), 'a session, an array of transactions');
      json.beginSequence();
      while (json.nextElement()) this.#readTransaction(id);
    }
  }

  #readTransaction(session: number): void {
    const json = this.#json;
    if (json.peek() !== 'object')
      this.#fail(json.offset, this.#describe(), "a transaction, an object with 'events' and 'committed'");
    this.#begun = json.offset;
    const t = this.#builder.begin(session, this.#begun);
    let hasEvents = false;
    let committed: boolean | undefined;
    json.beginObject();
    for (let key = json.nextKey(); key !== undefined; key = json.nextKey()) {
      if (key === 'committed') {
        if (committed !== undefined) this.#fail(json.offset, "'committed' a second time", 'only one');
        committed = json.readBoolean();
      } else if (key === 'events') {
        if (hasEvents) this.#fail(json.offset, "'events' a second time", 'only one');
        hasEvents = true;
        json.beginSequence();
        while (json.nextElement()) this.#readEvent();
      } else json.skipValue();
    }
    if (!hasEvents) this.#fail(this.#begun, "a transaction without 'events'", 'its events');
    if (committed === undefined)
      this.#fail(this.#begun, "a transaction without 'committed'", "'committed' with true or false");
    if (!committed) this.#builder.outcome(t, TxnStatus.Aborted);
  }

  #readEvent(): void {
    const json = this.#json;
    const shape = json.peek();
    const begin = json.offset;
    this.#key = this.#version = -1;
    let kind: number;
    if (shape === 'object') kind = this.#readTagged(begin);
    else if (shape === 'array') kind = this.#readCompact();
    else return this.#fail(begin, this.#describe(), EVENT);
    this.#builder.op(kind, this.#key, this.#version);
    this.#builder.opAt(begin - this.#begun);
  }

  /** Reads an event such as `{"Read": {"variable": 0, "version": 1}}`. */
  #readTagged(begin: number): number {
    const json = this.#json;
    json.beginObject();
    const tag = json.nextKey();
    if (tag !== 'Read' && tag !== 'Write')
      this.#fail(begin, tag === undefined ? 'an empty object' : `a ${JSON.stringify(tag)}`, EVENT);
    const kind = tag === 'Read' ? OpKind.Read : OpKind.Write;
    json.beginObject();
    let zero = false;
    for (let field = json.nextKey(); field !== undefined; field = json.nextKey()) {
      if (field === 'variable') {
        if (this.#key >= 0) this.#fail(json.offset, "'variable' a second time", 'only one');
        this.#readVariable();
      } else if (field === 'version') {
        if (this.#version >= 0) this.#fail(json.offset, "'version' a second time", 'only one');
        zero = this.#readVersion(kind);
      } else json.skipValue();
    }
    if (this.#key < 0) this.#fail(begin, "an event without 'variable'", 'one');
    if (this.#version < 0) this.#fail(begin, "an event without 'version'", 'one');
    if (zero) this.#zeros.see(kind, this.#key);
    json.endObject();
    return kind;
  }

  /** Reads an event such as `["r", 0, 1]`. */
  #readCompact(): number {
    const json = this.#json;
    json.beginSequence();
    json.expectElement("'r' or 'w'");
    const begin = json.offset;
    const tag = json.readString();
    if (tag !== 'r' && tag !== 'w') this.#fail(begin, JSON.stringify(tag), "'r' or 'w'");
    const kind = tag === 'r' ? OpKind.Read : OpKind.Write;
    json.expectElement('a variable');
    this.#readVariable();
    json.expectElement('a version');
    if (this.#readVersion(kind)) this.#zeros.see(kind, this.#key);
    json.endSequence();
    return kind;
  }

  #readVariable(): void {
    const { keys } = this.#builder;
    const json = this.#json;
    if (json.peek() === 'string') this.#key = keys.string(json.readString());
    else {
      const begin = json.offset;
      if (!json.readInteger()) this.#key = keys.bigint(this.#unsigned(begin));
      else if (json.hi >= 0) this.#key = keys.integer(json.hi, json.lo);
      else this.#fail(begin, String(json.integer()), NATURAL);
    }
  }

  #readVersion(kind: number): boolean {
    const { values } = this.#builder;
    const json = this.#json;
    if (json.peek() === 'null' && kind === OpKind.Read) {
      json.readNull();
      this.#version = NIL;
      return false;
    }
    const begin = json.offset;
    if (!json.readInteger()) this.#version = values.bigint(this.#unsigned(begin));
    else if (json.hi >= 0) this.#version = values.integer(json.hi, json.lo);
    else this.#fail(begin, String(json.integer()), NATURAL);
    return (json.hi | json.lo) === 0;
  }

  /** Returns the integer just read, which begins at `begin` and does not fit a signed 64-bit integer. */
  #unsigned(begin: number): bigint {
    const integer = BigInt(this.#json.bigText);
    if (BigInt.asUintN(64, integer) !== integer) this.#fail(begin, shortened(this.#json.bigText), NATURAL);
    return integer;
  }

  #describe(): string {
    const kind = this.#json.peek();
    return kind === 'end'
      ? 'the end of the input'
      : kind === 'null'
        ? 'null'
        : kind === 'array' || kind === 'object'
          ? `an ${kind}`
          : `a ${kind}`;
  }

  #fail(offset: number, found: string, expected: string): never {
    throw new SyntaxProblem(this.#json.placeOf(offset), found, expected);
  }
}

const shortened = (digits: string): string => (digits.length > 40 ? `${digits.slice(0, 40)}…` : digits);

const FILE = "an array of sessions or an object with 'data'";
const EVENT = 'an event such as {"Read": …}, {"Write": …}, ["r", …] or ["w", …]';
const NATURAL = 'a natural number below 2^64';
