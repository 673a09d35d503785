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
import { FormatError, mismatch } from '../errors.ts';

/** Whether a text begins with a transaction of the notation, after a line such as `initial nil`. */
export const beginsWithOperation = (text: string): boolean =>
  OPERATION.test(text.replace(/^\s*initial [^\n]*\n/, '').replace(/^[\s|]*[!?]?\s*/, ''));

/** Reads the notation, strictly: whatever is not understood is an error with its place. */
export function parseNotation(text: string, file = 'a history'): History {
  return new NotationParser(file).parse(text);
}

class NotationParser {
  readonly #file: string;
  readonly #builder: HistoryBuilder;
  #line = 0;

  constructor(file: string) {
    this.#file = file;
    this.#builder = new HistoryBuilder({ format: 'notation', file, unit: 'line', initial: 0n });
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
      this.#parseInitial(lines[first]!.trim());
    }
    return this.#builder.finish();
  }

  #parseInitial(line: string): void {
    const expected = 'initial states such as initial nil, or initial 0 x=5';
    if (!INITIAL.test(line)) throw new FormatError(this.#file, `line ${this.#line}`, mismatch(quote(line), expected));
    const [, everywhere, ...others] = line.split(/\s+/);
    const { keys, values } = this.#builder;
    const initial = values.atom(parseAtom(everywhere!));
    for (let key = 0; key < keys.size; key++) this.#builder.initialOf(key, initial);
    for (const other of others) {
      const [key, value] = other.split('=');
      this.#builder.initialOf(keys.atom(parseKey(key!)), values.atom(parseAtom(value!)));
    }
  }

  #parseSession(session: number, line: string): void {
    let column = 0;
    for (const part of line.split('|')) {
      this.#parseTransaction(session, part, column);
      column += part.length + 1;
    }
  }

  #parseTransaction(session: number, text: string, column: number): void {
    const [head, mark] = /^\s*([!?]?)\s*/.exec(text)!;
    const t = this.#builder.begin(session, this.#line);
    if (mark === '!') this.#builder.outcome(t, TxnStatus.Aborted);
    if (mark === '?') this.#builder.outcome(t, TxnStatus.Unknown);
    let at = head.length;
    while (at < text.length && text[at] !== '@') {
      const matched = OPERATION.exec(text.slice(at));
      if (matched === null) {
        const kind = /^[a-z]+/.exec(text.slice(at))?.[0] ?? '';
        this.#fail(text, at, column, FORMS[kind] ?? 'an operation: w, r, a, cas, ins, del or range, as in r(x,1)');
      }
      this.#addOperation(matched[1]!, matched[2]!);
      at += matched[0].length;
    }
    if (at === text.length) return;
    const times = TIMES.exec(text.slice(at));
    if (times === null) this.#fail(text, at, column, 'times such as @3-7, and nothing behind them');
    this.#builder.timeUnit = 'events';
    if (times[1] !== undefined) this.#builder.time(t, 'begin', BigInt(times[1]));
    if (times[2] !== undefined) this.#builder.time(t, 'end', BigInt(times[2]));
  }

  #addOperation(name: string, inside: string): void {
    const builder = this.#builder;
    const [first = '', ...rest] = inside.split(',').map((part) => part.trim());
    if (name === 'range') return this.#addRange(first, rest[0]!, rest[1] ?? '');
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

  #fail(text: string, at: number, column: number, expected: string): never {
    const position = `line ${this.#line}, column ${column + at + 1}`;
    throw new FormatError(this.#file, position, mismatch(quote(text.slice(at).trim()), expected));
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
const INITIAL = new RegExp(String.raw`^initial (?:-?\d+|nil)(?: ${WORD}=(?:-?\d+|nil))*$`);
const INTEGER_KEY = /^(?:0|-?[1-9]\d*)$/;
const TIMES = /^@(?=-?\d|--?\d)(-?\d+(?=-))?-(-?\d+)?\s*$/;
/** The name of an operation, and what stands between its parentheses. */
const OPERATION = new RegExp(
  String.raw`^(?:(?=[wa]\(${KEY},${ATOM}\)|r\(${KEY},(?:${ATOM}|${LIST})\)|(?:cas|ins|del)!?\(${KEY},${ATOM},${ATOM}\)|range\(${KEY},${KEY}(?:,${ROWS})?\))([a-z]+!?)\(([^)]*)\))\s*`,
);

const FORMS: Readonly<Record<string, string>> = {
  w: 'a write such as w(x,1): a key, and an integer, nil or ?',
  a: 'an append such as a(x,1): a key and an integer',
  r: 'a read such as r(x,1), r(x,nil) or r(x,[1 2])',
  cas: 'a compare-and-set such as cas(x,1,2)',
  ins: 'an insert such as ins(x,nil,1)',
  del: 'a delete such as del(x,1,9)',
  range: 'a range read such as range(a,c,a=1 b=2)',
};

const QUOTED = 40;
