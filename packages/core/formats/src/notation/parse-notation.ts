import {
  type Atom,
  Exchange,
  type History,
  HistoryBuilder,
  OPEN_BOUND,
  OpKind,
  TxnStatus,
  UNKNOWN,
  UNKNOWN_LIST,
} from '@isolab/history';
import { finished, unexpected } from '../files/errors.ts';
import { RowParser } from './parse-rows.ts';
import { NotationProblem, Words } from './words.ts';

/**
 * Returns whether a text begins with an operation of the notation, well-formed or not, after a line such as `initial
 * nil`. `r(1,2,` and `w(1,2,` begin a line of the text format.
 */
export const beginsWithOperation = (text: string): boolean =>
  BEGINNING.test(text.replace(/^\s*initial\b[^\n]*\n/, '').replace(/^[\s|]*[!?]?\s*/, ''));

/** Parses the notation strictly: unknown text is an error with its position. */
export function parseNotation(text: string, file = 'a history'): History {
  return new NotationParser(file).parse(text);
}

class NotationParser {
  readonly #file: string;
  readonly #builder: HistoryBuilder;
  readonly #rows: RowParser;
  #line = 0;

  constructor(file: string) {
    this.#file = file;
    this.#builder = new HistoryBuilder({ format: 'notation', file, unit: 'line', initial: 0n });
    this.#rows = new RowParser(this.#builder);
  }

  parse(text: string): History {
    const lines = text.split('\n');
    const first = lines.findIndex((line) => line.trim() !== '');
    const hasInitial = first >= 0 && /^\s*initial\b/.test(lines[first]!);
    let sessions = 0;
    for (let i = hasInitial ? first + 1 : 0; i < lines.length; i++) {
      this.#line = i + 1;
      if (lines[i]!.trim() !== '') this.#parseSession(this.#builder.session(BigInt(sessions++)), lines[i]!);
    }
    if (hasInitial) {
      this.#line = first + 1;
      this.#parseInitial(lines[first]!.trimEnd());
    }
    return finished(this.#builder, this.#file);
  }

  #parseInitial(line: string): void {
    const expected = 'initial states such as initial nil, or initial 0 x=5';
    const refuse = (): never => {
      throw unexpected(this.#file, `line ${this.#line}`, quote(line.trim()), expected);
    };
    const [head, everywhere] = INITIAL.exec(line) ?? refuse();
    const { keys, values } = this.#builder;
    this.#builder.initialEverywhere(values.atom(parseAtom(everywhere!)));
    let at = head.length;
    while (at < line.length) {
      STATE.lastIndex = at;
      const state = STATE.exec(line);
      if (state !== null) {
        this.#builder.initialOf(keys.atom(parseKey(state[1]!)), values.atom(parseAtom(state[2]!)));
        at += state[0].length;
      } else if (ROW_STATE.test(line.slice(at))) {
        const words = new Words(line, at);
        this.#builder.initialOf(...this.#read(line, () => this.#rows.initialRow(words)));
        at = words.at;
      } else refuse();
    }
  }

  #parseSession(session: number, line: string): void {
    let at = 0;
    do at = this.#parseTransaction(session, line, at) + 1;
    while (at <= line.length);
  }

  /** Parses a transaction and returns its end, which is at a bar or the end of the line. */
  #parseTransaction(session: number, text: string, from: number): number {
    HEAD.lastIndex = from;
    const [head, mark] = HEAD.exec(text)!;
    const t = this.#builder.begin(session, this.#line);
    if (mark === '!') this.#builder.outcome(t, TxnStatus.Aborted);
    if (mark === '?') this.#builder.outcome(t, TxnStatus.Unknown);
    let at = from + head.length;
    while (at < text.length && text[at] !== '@' && text[at] !== '|') {
      const rowsEnd = this.#read(text, () => this.#rows.operation(text, at));
      if (rowsEnd >= 0) {
        at = rowsEnd;
        continue;
      }
      OPERATION.lastIndex = at;
      const matched = OPERATION.exec(text);
      if (matched === null) {
        const kind = /^[a-z]+/.exec(text.slice(at))?.[0] ?? '';
        this.#fail(
          text,
          at,
          FORMS.get(kind) ?? 'an operation: w, r, a, inc, cas, ins, del, range, get, put or scan, as in r(x,1)',
        );
      }
      this.#addOperation(matched[1]!, matched[2]!);
      at += matched[0].length;
    }
    if (text[at] !== '@') return at;
    TIMES.lastIndex = at;
    const times = TIMES.exec(text);
    if (times === null) this.#fail(text, at, 'times such as @3-7 or @3..4-6..7, and nothing after them');
    this.#builder.timeUnit = 'events';
    TIME_COLUMNS.forEach((column, i) => {
      const time = times[i + 1];
      if (time !== undefined) this.#builder.time(t, column, BigInt(time));
    });
    return at + times[0].length;
  }

  /** Adds the row's position to its problem. */
  #read<Result>(line: string, read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof NotationProblem)) throw error;
      return this.#fail(line, error.at, error.expected, error.found);
    }
  }

  #addOperation(name: string, inside: string): void {
    const builder = this.#builder;
    const [first = '', ...rest] = inside.split(',').map((part) => part.trim());
    if (name === 'range') return this.#addRange(first, rest[0]!, rest[1] ?? '');
    if (name === 'inc') return void builder.increment(parseKey(first), BigInt(rest[0]!));
    const key = builder.keys.atom(parseKey(first));
    const value = (text: string): number => builder.values.atom(parseAtom(text));
    if (name.length === 1) {
      const isList = rest[0]!.startsWith('[');
      if (isList) builder.op(OpKind.ListRead, key, this.#listOf(key, rest[0]!.slice(1, -1)));
      else builder.op(SIMPLE_KINDS[name]!, key, value(rest[0]!));
      return undefined;
    }
    const isMarked = name.endsWith('!');
    const kind = name.startsWith('cas') ? OpKind.CompareAndSet : name.startsWith('ins') ? OpKind.Insert : OpKind.Delete;
    const flag = kind === OpKind.CompareAndSet ? Exchange.Failed : Exchange.FoundTombstone;
    builder.exchange(kind, key, value(rest[0]!), value(rest[1]!), isMarked ? flag : 0);
    return undefined;
  }

  #listOf(key: number, inside: string): number {
    if (inside.trim() === '?') return UNKNOWN_LIST;
    let node = 0;
    for (const word of words(inside))
      node = this.#builder.lists.extend(key, node, this.#builder.values.atom(parseAtom(word)));
    return node;
  }

  #addRange(low: string, high: string, rows: string): void {
    const { keys, values } = this.#builder;
    const bound = (word: string): number => (word === '*' ? OPEN_BOUND : keys.atom(parseKey(word)));
    this.#builder.range(bound(low), bound(high));
    for (const row of words(rows)) {
      const [key, value] = row.split('=');
      this.#builder.row(keys.atom(parseKey(key!)), values.atom(parseAtom(value!.replace('!', ''))), row.endsWith('!'));
    }
  }

  #fail(text: string, at: number, expected: string, found: string | null = null): never {
    const position = `line ${this.#line}, column ${at + 1}`;
    const [rest = ''] = text.slice(at).split('|');
    throw unexpected(this.#file, position, found ?? quote(rest.trim()), expected);
  }
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
const parseKey = (text: string): Atom => (INTEGER_KEY.test(text) ? BigInt(text) : text);
const parseAtom = (text: string): Atom => (text === 'nil' ? null : text === '?' ? UNKNOWN : BigInt(text));

function quote(text: string): string {
  if (text === '') return 'nothing';
  return `'${text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text}'`;
}

const SIMPLE_KINDS: Readonly<Record<string, number>> = { r: OpKind.Read, w: OpKind.Write, a: OpKind.Append };

const WORD = String.raw`[^\s,()|=!]+`;
const KEY = String.raw`\s*${WORD}\s*`;
const ATOM = String.raw`\s*(?:-?\d+|nil|\?)\s*`;
const LIST = String.raw`\s*\[(?:\?|\s*(?:(?:-?\d+|nil)(?:\s+(?:-?\d+|nil))*)?\s*)\]\s*`;
const ROWS = String.raw`\s*(?:${WORD}=(?:-?\d+|nil|\?)!?\s*)*`;
const INITIAL = /^\s*initial (-?\d+|nil)(?!\S)/;
const STATE = new RegExp(String.raw`\s+(${WORD})=(-?\d+|nil)(?!\S)`, 'y');
const INTEGER_KEY = /^(?:0|-?[1-9]\d*)$/;
const ROW_STATE = /^\s+(?:\w+|"(?:[^"\\]|\\.)*")\//;
/** Matches times such as `@3-7` or `@3..4-6..7`: the begin and the end, each optionally with a second bound. */
const TIMES = /@(?=[-.]*\d)(-?\d+)?(?:\.\.(-?\d+))?-(?:(-?\d+)\.\.)?(-?\d+)?\s*(?=\||$)/y;
const TIME_COLUMNS = ['begin', 'begun', 'committing', 'end'] as const;
const HEAD = /\s*([!?]?)\s*/y;
/** Matches the name of an operation, and the text between its parentheses. */
const OPERATION = new RegExp(
  String.raw`(?:(?=[wa]\(${KEY},${ATOM}\)|r\(${KEY},(?:${ATOM}|${LIST})\)|inc\(${KEY},\s*-?\d+\s*\)|(?:cas|ins|del)!?\(${KEY},${ATOM},${ATOM}\)|range\(${KEY},${KEY}(?:,${ROWS})?\))([a-z]+!?)\(([^)]*)\))\s*`,
  'y',
);

const FORMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    w: 'a write such as w(x,1): a key, and an integer, nil or ?',
    a: 'an append such as a(x,1): a key and an integer',
    r: 'a read such as r(x,1), r(x,nil) or r(x,[1 2])',
    inc: 'an increment such as inc(n,1): a counter and an integer',
    cas: 'a compare-and-set such as cas(x,1,2)',
    ins: 'an insert such as ins(x,nil,1)',
    del: 'a delete such as del(x,1,9)',
    range: 'a range read such as range(a,c,a=1 b=2)',
    get: 'a read of a row such as get(t/1, {v: 1}), or get(t/1, nil)',
    put: 'a write of a row such as put(t/1, {v: 1}), or put(t/1, nil)',
    scan: 'a scan such as scan(t, v = 1, {1: {v: 1}})',
    count: 'a count such as count(t, v = 1, 2)',
    sum: 'a sum such as sum(t, true, v, 7)',
    min: 'a minimum such as min(t, true, v, 7)',
    max: 'a maximum such as max(t, true, v, 7)',
  }),
);

const BEGINNING = new RegExp(String.raw`^(?![rw]\(\d+,\d+,)(?:${[...FORMS.keys()].join('|')})!?\(`);

const QUOTED = 40;
