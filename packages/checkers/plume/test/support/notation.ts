import { type History, type PlainOperation, type PlainTransaction, fromPlain } from '@isolab/history';

/**
 * A history in a few lines: one string a session, transactions apart by `|`. `w(x,1)` writes, `r(x,1)` reads, `a(x,1)`
 * appends, `l(x,1,2)` reads a list; 0 is the initial state. A transaction that begins with `!` was aborted, one that
 * begins with `?` is of unknown outcome.
 */
export function history(...sessions: readonly string[]): History {
  return fromPlain({
    initial: 0n,
    sessions: sessions.map((session, i) => ({
      name: BigInt(i),
      transactions: session.split('|').map(transaction),
    })),
  });
}

function transaction(text: string): PlainTransaction {
  const trimmed = text.trim();
  const status = trimmed.startsWith('!') ? 'aborted' : trimmed.startsWith('?') ? 'unknown' : 'committed';
  return { status, operations: [...trimmed.matchAll(/(\w)\((\w+)((?:,\d+)*)\)/g)].map(operation) };
}

function operation([, kind, key, values]: RegExpMatchArray): PlainOperation {
  const elements = values!.split(',').slice(1).map(BigInt);
  if (kind === 'l') return { kind: 'list-read', key: key!, elements };
  const name = kind === 'w' ? 'write' : kind === 'a' ? 'append' : 'read';
  return { kind: name, key: key!, value: elements[0]! };
}
