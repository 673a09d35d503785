import { type History, type PlainOperation, type PlainTransaction, fromPlain } from '@isolab/history';

/** The notation as a tag. */
export const h = (strings: TemplateStringsArray): History => history(strings.raw[0]!);

/**
 * A history in a few characters: one line a session, `|` between transactions, `!` before an aborted one, `?` before one
 * of unknown outcome, `@1-5` before one that was called at 1 and returned at 5; `w(x,1)`, `r(x,1)`, `r(x,nil)`,
 * `cas(x,0,1)`, `a(x,1)`, `r(x,[1 2])`. Every key is initially 0 or nil. Transactions and operations count
 * from 0, line by line.
 */
export function history(text: string): History {
  const lines = text.split('\n').map((line) => line.trim());
  return fromPlain({
    initial: 0n,
    sessions: lines
      .filter((line) => line !== '')
      .map((line, s) => ({ name: BigInt(s), transactions: line.split('|').map((part) => transaction(part.trim())) })),
  });
}

function transaction(text: string): PlainTransaction {
  const times = /@(\d+)-(\d*)/.exec(text);
  return {
    status: text.startsWith('!') ? 'aborted' : text.startsWith('?') ? 'unknown' : 'committed',
    operations: [...text.matchAll(/([a-z]+)\(([^)]*)\)/g)].map(([, name, inside]) => operation(name!, inside!)),
    ...(times && { begin: BigInt(times[1]!) }),
    ...(times && times[2] !== '' && { end: BigInt(times[2]!) }),
  };
}

function operation(name: string, inside: string): PlainOperation {
  const [key, ...rest] = inside.split(',');
  const [first = null, second = null] = rest.map((part) => (/^-?\d+$/.test(part) ? BigInt(part) : null));
  if (rest[0]?.startsWith('[')) {
    const elements = rest[0]
      .slice(1, -1)
      .split(' ')
      .filter((text) => text !== '');
    return { kind: 'list-read', key: key!, elements: rest[0] === '[?]' ? null : elements.map(BigInt) };
  }
  if (name === 'w' || name === 'r') return { kind: name === 'w' ? 'write' : 'read', key: key!, value: first };
  if (name === 'a') return { kind: 'append', key: key!, value: first };
  return { kind: 'compare-and-set', key: key!, observed: first, written: second, failed: false };
}
