import {
  type Atom,
  Exchange,
  type History,
  HistoryBuilder,
  type Interner,
  OPEN_BOUND,
  OpKind,
  type PositionUnit,
  TxnStatus,
  type TimeUnit,
  UNKNOWN,
  UNKNOWN_LIST,
  foldInitialTransaction,
  keyword,
  literal,
  whyNotInitial,
} from '@isolab/history';
import { FormatError, mismatch } from '../errors.ts';
import type { ByteStream } from '../input.ts';
import { JsonReader } from '../syntax/json.ts';
import { type Place, SyntaxProblem } from '../syntax/problem.ts';
import { looksLike } from '../syntax/looks-like.ts';

/** The version of the format that this reader knows and the writer writes. */
export const ISOLAB_VERSION = 1;

const STATUS_OF: Readonly<Record<string, number>> = {
  committed: TxnStatus.Committed,
  aborted: TxnStatus.Aborted,
  unknown: TxnStatus.Unknown,
};
const TIME_UNITS: readonly string[] = ['none', 'nanoseconds', 'events'] satisfies TimeUnit[];
const POSITION_UNITS: readonly string[] = ['line', 'byte', 'record'] satisfies PositionUnit[];

/** What the header says; everything has a default. */
interface Header {
  database: string | null;
  initial: Atom;
  initialOf: [key: Atom, value: Atom][];
  /** Whether the first transaction of the file is the explicit initial one. */
  hasInitialTransaction: boolean;
  times: TimeUnit;
  sessions: Atom[];
  source: { format: string; files: string[]; unit: PositionUnit; opStride: number } | null;
  /** Whether a collector wrote it, which says when it is at its end. */
  isCollected: boolean;
}

const HEADER_FIELDS = [
  'isolab',
  'version',
  'database',
  'initial',
  'initialOf',
  'initialTransaction',
  'times',
  'sessions',
  'source',
  'collected',
];
const SOURCE_FIELDS = ['format', 'files', 'unit', 'opStride'];
const TRANSACTION_FIELDS = ['session', 'ops', 'begin', 'end', 'id', 'status', 'at', 'opsAt', 'startTs', 'commitTs'];
const OUTCOME_FIELDS = ['outcome', 'session', 'end'];
const MARK_FIELDS = ['isolab', 'why'];
const REMARK_FIELDS = ['version'];
/** What others call our fields. */
const MISNAMED: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  op: 'ops',
  operations: 'ops',
  state: 'status',
});

export class IsolabReader {
  readonly #file: string;
  readonly #share: () => number;
  readonly #json = new JsonReader();
  #line = 0;
  #firstOp = 0; // of the transaction being read
  #offset = 0;
  readonly #strangers = new Set<string>(); // fields that are none of ours
  #builder: HistoryBuilder | null = null;
  #header: Header | null = null;
  /** By session: its last transaction, if its line leaves the outcome to a later one. */
  readonly #open: number[] = [];
  /** Whether a collector has said that nothing follows. */
  #ended = false;
  #firstSession = NO_SESSION; // of the first transaction in the file
  #firstLine = 0;

  constructor({ name, share }: ByteStream) {
    this.#file = name;
    this.#share = share;
  }

  /** Reads whole lines. Fails with a SyntaxProblem, which knows the line. */
  readLines(bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end;) {
      if (bytes[at] === LINE_FEED) {
        this.#line++;
        at++;
        continue;
      }
      const feed = bytes.indexOf(LINE_FEED, at);
      const isWhole = feed >= 0 && feed < end;
      // A collector that was killed leaves half a line, of which nothing had come about yet.
      if (!isWhole && this.#header?.isCollected) break;
      const lineEnd = isWhole ? feed : end;
      this.#line++;
      this.#json.reset(bytes, at, lineEnd, this.#line, this.#offset + at - start);
      if (this.#json.peek() !== 'end') {
        if (this.#builder === null) this.#readHeader();
        else this.#readLine(this.#builder);
        this.#json.finish();
      }
      at = lineEnd + 1;
    }
    this.#offset += end - start;
  }

  #readHeader(): void {
    const json = this.#json;
    const header: Header = {
      database: null,
      initial: null,
      initialOf: [],
      hasInitialTransaction: false,
      times: 'none',
      sessions: [],
      source: null,
      isCollected: false,
    };
    let kind: string | null = null;
    let version: number | null = null;
    const begin = json.place();
    json.beginObject();
    for (let key = json.nextKey(), seen = 0; key !== undefined; key = json.nextKey()) {
      if (kind === null && TRANSACTION_FIELDS.includes(key)) this.#failWithoutHeader(begin);
      seen = this.#withField(seen, key, HEADER_FIELDS);
      if (key === 'isolab') kind = json.readString();
      else if (key === 'version') version = json.readSafeInteger();
      else if (key === 'database') header.database = json.readString();
      else if (key === 'initial') header.initial = this.#readAtom();
      else if (key === 'initialOf') header.initialOf = this.#readPairs();
      else if (key === 'initialTransaction') header.hasInitialTransaction = this.#readWord(['first']) === 'first';
      else if (key === 'times') header.times = this.#readWord(TIME_UNITS) as TimeUnit;
      else if (key === 'sessions') header.sessions = this.#readArray(() => this.#readAtom());
      else if (key === 'source') header.source = this.#readSource();
      else if (key === 'collected') {
        header.isCollected = true;
        json.skipValue();
      } else json.skipValue();
    }
    if (kind === null) this.#failWithoutHeader(begin);
    if (kind !== 'history') throw this.#problem(`"isolab": ${JSON.stringify(kind)}`, '"isolab": "history"');
    if (version !== ISOLAB_VERSION) {
      throw this.#problem(`"version": ${version}`, `"version": ${ISOLAB_VERSION}, the only one that this isolab knows`);
    }
    this.#begin(header);
  }

  #failWithoutHeader(begin: Place): never {
    const expected = 'the header, such as {"isolab":"history","version":1}, before the first transaction';
    throw new SyntaxProblem(begin, 'a line without "isolab"', expected);
  }

  #begin(header: Header): void {
    const { source } = header;
    const builder = new HistoryBuilder({
      format: source?.format ?? 'isolab',
      file: source?.files[0] ?? this.#file,
      unit: source?.unit ?? 'line',
      opStride: source?.opStride ?? 0,
      database: header.database,
      share: this.#share,
    });
    builder.timeUnit = header.times;
    header.sessions.forEach((name, s) => {
      const session = builder.session(name);
      if (session !== s) throw this.#problem('a session that is named twice', 'sessions with different names');
      if (source && source.files.length > 1) builder.sessionFile(session, source.files[s] ?? this.#file);
    });
    this.#header = header;
    this.#builder = builder;
  }

  #readSource(): NonNullable<Header['source']> {
    const json = this.#json;
    const source: NonNullable<Header['source']> = { format: 'isolab', files: [this.#file], unit: 'line', opStride: 0 };
    json.beginObject();
    for (let key = json.nextKey(), seen = 0; key !== undefined; key = json.nextKey()) {
      seen = this.#withField(seen, key, SOURCE_FIELDS);
      if (key === 'format') source.format = json.readString();
      else if (key === 'files') source.files = this.#readArray(() => json.readString());
      else if (key === 'unit') source.unit = this.#readWord(POSITION_UNITS) as PositionUnit;
      else if (key === 'opStride') source.opStride = json.readSafeInteger();
      else json.skipValue();
    }
    return source;
  }

  /** What a line is, its first field says. */
  #readLine(builder: HistoryBuilder): void {
    const json = this.#json;
    json.beginObject();
    const first = json.nextKey();
    if (this.#ended) throw this.#problem('a line after the end of the collection', 'no line');
    if (first === 'outcome') this.#readOutcome(builder);
    else if (first === 'isolab') this.#readMark();
    else this.#readTransaction(builder, first);
  }

  /** `{"outcome":"committed","session":"3","end":12}`: what became of the session's last transaction. */
  #readOutcome(builder: HistoryBuilder): void {
    const json = this.#json;
    const outcome = this.#readWord(['committed', 'aborted']);
    let session = NO_SESSION;
    let end: bigint | null = null;
    for (let key = json.nextKey(), seen = 0; key !== undefined; key = json.nextKey()) {
      seen = this.#withField(seen, key, OUTCOME_FIELDS);
      if (key === 'session') session = this.#readAtomInto(builder.sessions);
      else if (key === 'end') end = this.#readTime();
      else json.skipValue();
    }
    if (session === NO_SESSION) throw this.#problem('an outcome without a session', '"session": a name or number');
    const t = this.#open[session] ?? NO_TRANSACTION;
    if (t === NO_TRANSACTION) {
      const expected = 'one after a transaction of that session whose "status" is "unknown"';
      throw this.#problem('an outcome of no transaction', expected);
    }
    this.#open[session] = NO_TRANSACTION;
    builder.outcome(t, STATUS_OF[outcome]!);
    if (end !== null) builder.time(t, 'end', end);
  }

  /** What a collector says of its file. */
  #readMark(): void {
    const json = this.#json;
    const mark = this.#readWord(['resumed', 'end', 'spoiled']);
    let why = 'no reason is given';
    for (let key = json.nextKey(), seen = 0; key !== undefined; key = json.nextKey()) {
      seen = this.#withField(seen, key, MARK_FIELDS);
      if (key === 'why') why = json.readString();
      else json.skipValue();
    }
    if (mark === 'spoiled') throw this.#problem(`a history that is of no use: ${why}`, 'one that was collected anew');
    this.#ended = mark === 'end';
  }

  #readTransaction(builder: HistoryBuilder, first: string | undefined): void {
    const json = this.#json;
    const t = builder.begin(NO_SESSION, this.#line);
    this.#firstOp = builder.operations;
    const knowsPositions = this.#header!.source !== null;
    let session = NO_SESSION;
    for (let key = first, seen = 0; key !== undefined; key = json.nextKey()) {
      seen = this.#withField(seen, key, TRANSACTION_FIELDS);
      switch (key) {
        case 'outcome':
          throw this.#problem('"outcome" behind other fields', '"outcome" as the first field of a line of its own');
        case 'session':
          session = this.#readAtomInto(builder.sessions);
          break;
        case 'ops':
          this.#readOperations(builder);
          break;
        case 'id':
          builder.name(t, this.#readAtom());
          break;
        case 'status':
          builder.outcome(t, STATUS_OF[this.#readWord(Object.keys(STATUS_OF))]!);
          break;
        case 'begin':
        case 'end':
        case 'startTs':
        case 'commitTs':
          builder.time(t, key, this.#readTime());
          break;
        case 'at':
          if (knowsPositions) builder.place(t, json.readSafeInteger());
          else json.skipValue();
          break;
        case 'opsAt':
          this.#readPositions(builder);
          break;
        default:
          json.skipValue();
      }
    }
    if (session === NO_SESSION) throw this.#problem('a transaction without a session', '"session": a name or number');
    builder.move(t, session);
    this.#open[session] = builder.statusOf(t) === TxnStatus.Unknown ? t : NO_TRANSACTION;
    if (this.#firstSession !== NO_SESSION) return;
    this.#firstSession = session;
    this.#firstLine = this.#line;
  }

  /** Adds a field to those seen. One that is there twice is refused, and one that is nearly, but not quite, a known one. */
  #withField(seen: number, key: string, known: readonly string[]): number {
    const i = known.indexOf(key);
    if (i < 0) {
      if (this.#strangers.has(key)) return seen;
      const meant = known.find((name) => MISNAMED[key] === name || looksLike(key, name));
      const found = JSON.stringify(key);
      if (meant !== undefined)
        throw new SyntaxProblem(
          this.#json.keyPlace(),
          found,
          `"${meant}", or a field of your own that looks less like it`,
        );
      if (this.#strangers.size < 1000) this.#strangers.add(key);
      return seen;
    }
    const bit = 1 << i;
    if (seen & bit) throw new SyntaxProblem(this.#json.keyPlace(), `"${key}" a second time`, 'each field once');
    return seen | bit;
  }

  #readOperations(builder: HistoryBuilder): void {
    const json = this.#json;
    json.beginArray();
    while (json.nextElement()) {
      json.beginArray();
      json.expectElement('the kind of the operation');
      const kind = json.readString();
      json.expectElement(kind === 'range' ? 'the lower bound' : 'the key');
      if (kind === 'range') this.#readRange(builder);
      else this.#readKeyed(builder, kind);
      while (json.nextElement()) this.#readRemark(builder, kind);
    }
  }

  /** What may follow an operation: its version, or what came of an exchange. */
  #readRemark(builder: HistoryBuilder, kind: string): void {
    const json = this.#json;
    if (json.peek() === 'string' && kind in REMARKS) {
      const { word, flag } = REMARKS[kind as keyof typeof REMARKS];
      this.#readWord([word]);
      builder.flagExchange(flag);
      return;
    }
    json.beginObject();
    for (let key = json.nextKey(), seen = 0; key !== undefined; key = json.nextKey()) {
      seen = this.#withField(seen, key, REMARK_FIELDS);
      if (key === 'version') builder.opVersion(this.#readTime());
      else json.skipValue();
    }
  }

  #readKeyed(builder: HistoryBuilder, kind: string): void {
    const json = this.#json;
    const { keys, values } = builder;
    const key = this.#readAtomInto(keys);
    json.expectElement('the value');
    switch (kind) {
      case 'r':
        if (json.peek() === 'array') builder.op(OpKind.ListRead, key, this.#readList(builder, key));
        else this.#addRead(builder, key);
        break;
      case 'w':
        builder.op(OpKind.Write, key, this.#readAtomInto(values));
        break;
      case 'append':
        builder.op(OpKind.Append, key, this.#readAtomInto(values));
        break;
      case 'cas':
        this.#readExchange(builder, OpKind.CompareAndSet, key);
        break;
      case 'insert':
        this.#readExchange(builder, OpKind.Insert, key);
        break;
      case 'delete':
        this.#readExchange(builder, OpKind.Delete, key);
        break;
      default:
        throw this.#problem(`the operation ${JSON.stringify(kind)}`, 'r, w, append, cas, insert, delete or range');
    }
  }

  #addRead(builder: HistoryBuilder, key: number): void {
    if (this.#json.peek() !== 'object') {
      builder.op(OpKind.Read, key, this.#readAtomInto(builder.values));
      return;
    }
    const atom = this.#readTagged();
    if (atom === UNKNOWN_LIST_ATOM) builder.op(OpKind.ListRead, key, UNKNOWN_LIST);
    else builder.op(OpKind.Read, key, builder.values.atom(atom));
  }

  #readList(builder: HistoryBuilder, key: number): number {
    let node = 0;
    this.#json.beginArray();
    while (this.#json.nextElement()) node = builder.lists.extend(key, node, this.#readAtomInto(builder.values));
    return node;
  }

  #readExchange(builder: HistoryBuilder, kind: number, key: number): void {
    const observed = this.#readFoundInto(builder.values);
    this.#json.expectElement('the value written');
    builder.exchange(kind, key, observed, this.#readAtomInto(builder.values));
  }

  #readRange(builder: HistoryBuilder): void {
    const json = this.#json;
    const low = this.#readBound(builder);
    json.expectElement('the upper bound');
    builder.range(low, this.#readBound(builder));
    json.expectElement('the rows');
    json.beginArray();
    while (json.nextElement()) {
      json.beginArray();
      json.expectElement('the key');
      const key = this.#readAtomInto(builder.keys);
      json.expectElement('the value');
      const value = this.#readFoundInto(builder.values);
      const dead = json.nextElement() && this.#readWord(['dead']) === 'dead';
      builder.row(key, value, dead);
      if (dead) json.endArray();
    }
  }

  #readBound(builder: HistoryBuilder): number {
    if (this.#json.peek() !== 'null') return this.#readAtomInto(builder.keys);
    this.#json.readNull();
    return OPEN_BOUND;
  }

  #readPositions(builder: HistoryBuilder): void {
    const json = this.#json;
    const distances = this.#readArray(() => json.readSafeInteger());
    if (distances.length !== builder.operations - this.#firstOp) {
      throw this.#problem(`${distances.length} positions`, `as many as operations, after them`);
    }
    distances.forEach((distance, i) => builder.opAt(distance, this.#firstOp + i));
  }

  #readPairs(): [key: Atom, value: Atom][] {
    const json = this.#json;
    return this.#readArray(() => {
      json.beginArray();
      json.expectElement('a key');
      const key = this.#readAtom();
      json.expectElement('its initial value');
      const value = this.#readAtom();
      json.endArray();
      return [key, value];
    });
  }

  #readArray<Element>(read: () => Element): Element[] {
    const elements: Element[] = [];
    this.#json.beginArray();
    while (this.#json.nextElement()) elements.push(read());
    return elements;
  }

  #readTime(): bigint {
    const json = this.#json;
    if (!json.readInteger()) throw this.#problem(json.bigText, 'an integer of 64 bits');
    return BigInt(json.integer());
  }

  #readWord(words: readonly string[]): string {
    const word = this.#json.readString();
    if (words.includes(word)) return word;
    throw this.#problem(JSON.stringify(word), words.map((known) => JSON.stringify(known)).join(' or '));
  }

  /** Interns an atom; integers without an object of their own. */
  #readAtomInto(interner: Interner): number {
    const json = this.#json;
    if (json.peek() !== 'number') return interner.atom(this.#readAtom());
    return json.readInteger() ? interner.integer(json.hi, json.lo) : interner.bigint(BigInt(json.bigText));
  }

  /** What an operation found, which may be a result that the client never learned. */
  #readFoundInto(values: Interner): number {
    if (this.#json.peek() !== 'object') return this.#readAtomInto(values);
    const atom = this.#readTagged();
    if (atom === UNKNOWN_LIST_ATOM) throw this.#problem('an unknown list', 'a value');
    return values.atom(atom);
  }

  #readAtom(): Atom {
    const json = this.#json;
    switch (json.peek()) {
      case 'null':
        json.readNull();
        return null;
      case 'number':
        json.readInteger();
        return BigInt(json.integer());
      case 'object': {
        const atom = this.#readTagged();
        if (atom === UNKNOWN || atom === UNKNOWN_LIST_ATOM)
          throw this.#problem('an unknown value', 'a known one: only what an operation found may be unknown');
        return atom;
      }
      default:
        return json.readString();
    }
  }

  /** `{"keyword":"x"}`, `{"literal":"1.5"}`, `{"unknown":"value"}` or `{"unknown":"list"}`. */
  #readTagged(): Atom {
    const json = this.#json;
    json.beginObject();
    const tag = json.nextKey();
    let atom: Atom;
    if (tag === 'keyword') atom = keyword(json.readString());
    else if (tag === 'literal') atom = literal(json.readString());
    else if (tag === 'unknown') atom = this.#readWord(['value', 'list']) === 'list' ? UNKNOWN_LIST_ATOM : UNKNOWN;
    else throw this.#problem(`the tag ${JSON.stringify(tag ?? '')}`, 'keyword, literal or unknown');
    json.endObject();
    return atom;
  }

  #problem(found: string, expected: string): SyntaxProblem {
    return new SyntaxProblem(this.#json.place(), found, expected);
  }

  finish(): History {
    if (this.#builder === null || this.#header === null) {
      throw new FormatError(this.#file, null, mismatch('no line', 'a header such as {"isolab":"history","version":1}'));
    }
    const { keys, values } = this.#builder;
    const { initial, initialOf, isCollected } = this.#header;
    if (isCollected && !this.#ended) this.#builder.note('cutOffAfterLine', this.#line);
    const everywhere = values.atom(initial);
    for (let key = 0; key < keys.size; key++) this.#builder.initialOf(key, everywhere);
    for (const [key, value] of initialOf) this.#builder.initialOf(keys.atom(key), values.atom(value));
    const history = this.#builder.finish();
    return this.#header.hasInitialTransaction ? this.#withoutInitialTransaction(history) : history;
  }

  #withoutInitialTransaction(history: History): History {
    const expected = 'an initial transaction, which commits and only writes, as the header says';
    if (this.#firstSession === NO_SESSION)
      throw new FormatError(this.#file, null, mismatch('no transaction', expected));
    const first = history.sessionStart[this.#firstSession];
    const found = whyNotInitial(history, first);
    if (found !== null) throw new FormatError(this.#file, `line ${this.#firstLine}`, mismatch(found, expected));
    return foldInitialTransaction(history, first).history;
  }
}

const LINE_FEED = 10;
const NO_SESSION = -1;
const NO_TRANSACTION = -1;
/** Stands for the result of a list read that was never learned; told from UNKNOWN by identity. */
const UNKNOWN_LIST_ATOM: Atom = { type: 'unknown', text: 'list' };
const REMARKS = {
  cas: { word: 'failed', flag: Exchange.Failed },
  insert: { word: 'tombstone', flag: Exchange.FoundTombstone },
  delete: { word: 'tombstone', flag: Exchange.FoundTombstone },
} as const;
