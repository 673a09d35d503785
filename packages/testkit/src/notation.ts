import {
  type Atom,
  type History,
  type PlainOperation,
  type PlainSession,
  type PlainTransaction,
  UNKNOWN,
  fromPlain,
  toPlain,
} from '@isolab/history';

/**
 * A history in a few characters. One line a session; `|` between transactions; `!` before an aborted one and `?` before
 * one of unknown outcome; `@3-7` behind one that was called at 3 and returned at 7. Operations:
 *
 *     w(x,1)  r(x,1)  r(x,nil)  r(x,?)  a(x,1)  r(x,[1 2])  r(x,[?])  cas(x,1,2)  cas!(x,1,2)
 *     ins(x,nil,1)  ins!(x,9,1)  del(x,1,9)  range(a,c,a=1 b=9!)  range(*,*)
 *
 * `cas!` failed, `ins!` and `del!` found a tombstone, and `b=9!` is a dead row. Keys are words, values are integers,
 * `nil` or `?`. Every key is initially 0, unless the first line says otherwise: `initial nil`, or `initial 0 x=5 y=nil`.
 * A session without transactions cannot be written down.
 */
export function parseHistory(text: string): History {
  const lines = text
    .split('\n')
    .map((line, i) => ({ line: line.trim(), number: i + 1 }))
    .filter(({ line }) => line !== '');
  const inLine = <T>(number: number, parse: () => T): T => {
    try {
      return parse();
    } catch (error) {
      throw new SyntaxError(`Line ${number} of a history: ${(error as Error).message}`);
    }
  };
  const [first] = lines;
  const says = first?.line.startsWith('initial ') ? lines.shift()! : null;
  const initial = says === null ? ZERO : inLine(says.number, () => parseInitial(says.line));
  return historyOf(
    lines.map(({ line, number }) => line.split('|').map((part) => inLine(number, () => parseTransaction(part.trim())))),
    initial,
  );
}

/** The initial state of every key, and of those that have another one. */
export interface InitialState {
  readonly initial: Atom;
  readonly initialOf?: readonly (readonly [key: Atom, value: Atom])[];
}

const ZERO: InitialState = { initial: 0n };

function parseInitial(line: string): InitialState {
  const [, everywhere = '', ...others] = words(line);
  const initialOf = others.map((other) => {
    const { key, value } = parseRow(other);
    return [key, value] as const;
  });
  return { initial: parseAtom(everywhere), initialOf };
}

export const h = (strings: TemplateStringsArray, ...values: readonly unknown[]): History =>
  parseHistory(String.raw(strings, ...values));

/** A history of the notation from its sessions: they are called 0, 1, 2 …, and every key is initially 0 unless told. */
export function historyOf(sessions: readonly (readonly PlainTransaction[])[], initial: InitialState = ZERO): History {
  const timed = sessions.some((session) => session.some(({ begin, end }) => begin !== undefined || end !== undefined));
  return fromPlain({
    ...initial,
    timeUnit: timed ? 'events' : 'none',
    sessions: sessions.map((transactions, s) => ({ name: BigInt(s), transactions })),
  });
}

function parseTransaction(text: string): PlainTransaction {
  const [, mark, body, times] = /^([!?]?)(.*?)(@.*)?$/s.exec(text)!;
  const status = mark === '!' ? 'aborted' : mark === '?' ? 'unknown' : 'committed';
  const operations: PlainOperation[] = [];
  let at = 0;
  for (const match of body!.matchAll(/\s*([a-z]+!?)\(([^)]*)\)\s*/g)) {
    if (match.index !== at) break;
    operations.push(parseOperation(match[1]!, match[2]!));
    at += match[0].length;
  }
  if (body!.slice(at).trim() !== '') throw new SyntaxError(`got "${body!.slice(at)}", expected operations like r(x,1)`);
  if (times === undefined) return { status, operations };
  const [, begin, end] = /^@(-?\d+)?-(-?\d+)?$/.exec(times.trim()) ?? [];
  if (begin === undefined && end === undefined) throw new SyntaxError(`got "${times}", expected times like @3-7`);
  return {
    status,
    operations,
    ...(begin !== undefined && { begin: BigInt(begin) }),
    ...(end !== undefined && { end: BigInt(end) }),
  };
}

function parseOperation(name: string, inside: string): PlainOperation {
  const [key = '', ...rest] = inside.split(',').map((part) => part.trim());
  const [first = 'nil', second = 'nil'] = rest;
  const change = () => ({ key, observed: parseAtom(first), written: parseAtom(second) });
  const mark = name.endsWith('!');
  switch (name) {
    case 'w':
      return { kind: 'write', key, value: parseAtom(first) };
    case 'a':
      return { kind: 'append', key, value: parseAtom(first) };
    case 'r':
      if (!first.startsWith('[')) return { kind: 'read', key, value: parseAtom(first) };
      return { kind: 'list-read', key, elements: first === '[?]' ? null : words(first.slice(1, -1)).map(parseAtom) };
    case 'cas':
    case 'cas!':
      return { kind: 'compare-and-set', ...change(), failed: mark };
    case 'ins':
    case 'ins!':
      return { kind: 'insert', ...change(), foundTombstone: mark };
    case 'del':
    case 'del!':
      return { kind: 'delete', ...change(), foundTombstone: mark };
    case 'range': {
      const bound = (word: string): Atom => (word === '*' ? null : word);
      return { kind: 'range-read', low: bound(key), high: bound(first), rows: words(rest[1] ?? '').map(parseRow) };
    }
    default:
      throw new SyntaxError(`got the operation "${name}", expected w, r, a, cas, ins, del or range`);
  }
}

function parseRow(text: string) {
  const [, key, value, dead] = /^(.+)=([^!]+)(!?)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new SyntaxError(`got the row "${text}", expected one like a=1`);
  return { key, value: parseAtom(value), dead: dead === '!' };
}

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

function parseAtom(text: string): Atom {
  if (text === 'nil') return null;
  if (text === '?') return UNKNOWN;
  if (!/^-?\d+$/.test(text)) throw new SyntaxError(`got the value "${text}", expected an integer, nil or ?`);
  return BigInt(text);
}

/** The inverse of {@link parseHistory}, for histories that the notation can express. */
export function printHistory(history: History): string {
  const { sessions, initialOf = [] } = toPlain(history);
  const others = initialOf.filter(([, value]) => value !== 0n).map(([key, value]) => [key, value] as const);
  return [...printInitial(others, initialOf.length), ...sessions.map(printSession)].join('\n');
}

function printInitial(others: readonly (readonly [key: Atom, value: Atom])[], numKeys: number): string[] {
  if (others.length === 0) return [];
  if (others.length === numKeys && others.every(([, value]) => value === null)) return ['initial nil'];
  return [['initial 0', ...others.map(([key, value]) => `${printKey(key)}=${printAtom(value)}`)].join(' ')];
}

const printSession = ({ transactions }: PlainSession): string => transactions.map(printTransaction).join(' | ');

function printTransaction({ status, operations, begin, end }: PlainTransaction): string {
  const mark = { committed: '', aborted: '!', unknown: '?' }[status];
  const times = begin === undefined && end === undefined ? '' : ` @${begin ?? ''}-${end ?? ''}`;
  return `${mark}${operations.map(printOperation).join(' ')}${times}`;
}

function printOperation(operation: PlainOperation): string {
  switch (operation.kind) {
    case 'read':
      return `r(${printKey(operation.key)},${printAtom(operation.value)})`;
    case 'write':
      return `w(${printKey(operation.key)},${printAtom(operation.value)})`;
    case 'append':
      return `a(${printKey(operation.key)},${printAtom(operation.value)})`;
    case 'list-read':
      return `r(${printKey(operation.key)},[${operation.elements?.map(printAtom).join(' ') ?? '?'}])`;
    case 'range-read': {
      const rows = operation.rows.map((row) => `${printKey(row.key)}=${printAtom(row.value)}${row.dead ? '!' : ''}`);
      const bounds = [operation.low, operation.high].map((bound) => (bound === null ? '*' : printKey(bound)));
      return `range(${[...bounds, ...(rows.length > 0 ? [rows.join(' ')] : [])].join(',')})`;
    }
    default: {
      const name = { 'compare-and-set': 'cas', insert: 'ins', delete: 'del' }[operation.kind];
      const mark = operation.kind === 'compare-and-set' ? operation.failed : operation.foundTombstone;
      const change = [printAtom(operation.observed), printAtom(operation.written)];
      return `${name}${mark ? '!' : ''}(${[printKey(operation.key), ...change].join(',')})`;
    }
  }
}

function printKey(key: Atom): string {
  if (typeof key === 'string' && /^\w+$/.test(key)) return key;
  throw new RangeError(`The notation got the key ${String(key)}; it expected a word.`);
}

function printAtom(atom: Atom): string {
  if (atom === null) return 'nil';
  if (typeof atom === 'bigint') return `${atom}`;
  if (atom === UNKNOWN) return '?';
  throw new RangeError(`The notation got the value ${JSON.stringify(atom)}; it expected an integer, nil or ?.`);
}
