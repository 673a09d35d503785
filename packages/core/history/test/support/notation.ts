import {
  type Atom,
  type PlainOperation,
  type PlainTransaction,
  UNKNOWN,
  type History,
  fromPlain,
} from '../../src/index.ts';

/**
 * A history in a few characters: one line a session, `|` between transactions, `!` before an aborted one and `?` before
 * one of unknown outcome; `w(x,1)`, `r(x,1)`, `r(x,nil)`, `r(x,?)`, `a(x,1)` (append), `r(x,[1 2])`, `cas(x,1,2)`,
 * `cas!(x,1,2)` (failed), `ins(x,nil,1)`, `del(x,1,9)`, `range(a,c,a=1 b=2)`. Every key is initially 0, or nil after a line `initial nil`.
 */
export function h(strings: TemplateStringsArray): History {
  const lines = strings.raw[0]!.split('\n').map((line) => line.trim());
  const isNil = lines[0] === 'initial nil';
  if (isNil) lines.shift();
  return fromPlain({
    initial: isNil ? null : 0n,
    sessions: lines
      .filter((line) => line !== '')
      .map((line, s) => ({
        name: BigInt(s),
        transactions: line.split('|').map((text) => parseTransaction(text.trim())),
      })),
  });
}

function parseTransaction(text: string): PlainTransaction {
  const status = text.startsWith('!') ? 'aborted' : text.startsWith('?') ? 'unknown' : 'committed';
  const operations = [...text.matchAll(/([a-z]+!?)\(([^)]*)\)/g)].map(([, name, inside]) =>
    parseOperation(name!, inside!),
  );
  return { status, operations };
}

function parseOperation(name: string, inside: string): PlainOperation {
  const [key, ...rest] = inside.split(',').map((part) => part.trim());
  const [first = 'nil', second = 'nil'] = rest;
  const change = () => ({ key: key!, observed: parseAtom(first), written: parseAtom(second) });
  switch (name) {
    case 'w':
      return { kind: 'write', key: key!, value: parseAtom(first) };
    case 'a':
      return { kind: 'append', key: key!, value: parseAtom(first) };
    case 'r':
      if (!first.startsWith('[')) return { kind: 'read', key: key!, value: parseAtom(first) };
      return {
        kind: 'list-read',
        key: key!,
        elements: first === '[?]' ? null : words(first.slice(1, -1)).map(parseAtom),
      };
    case 'cas':
    case 'cas!':
      return { kind: 'compare-and-set', ...change(), failed: name === 'cas!' };
    case 'ins':
      return { kind: 'insert', ...change(), foundTombstone: false };
    case 'del':
      return { kind: 'delete', ...change(), foundTombstone: false };
    case 'range': {
      const rows = words(rest[1] ?? '')
        .map((row) => row.split('='))
        .map(([k, v]) => ({ key: k!, value: parseAtom(v!), dead: false }));
      return { kind: 'range-read', low: key!, high: first, rows };
    }
    default:
      throw new Error(`no operation is called ${name}`);
  }
}

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

const parseAtom = (text: string): Atom => (text === 'nil' ? null : text === '?' ? UNKNOWN : BigInt(text));
