import { type History, type PlainOperation, type PlainTransaction, fromPlain } from '@isolab/history';

/**
 * A history in a few characters: one line a session, `|` between transactions, `!` before an aborted one and `?` before
 * one of unknown outcome; `w(x,1)`, `r(x,1)`. Every key is initially 0.
 */
export function h(strings: TemplateStringsArray): History {
  const lines = strings.raw[0]!.split('\n').map((line) => line.trim());
  return historyOf(
    lines.filter((line) => line !== '').map((line) => line.split('|').map((text) => parseTransaction(text.trim()))),
  );
}

export const historyOf = (sessions: readonly (readonly PlainTransaction[])[]): History =>
  fromPlain({
    initial: 0n,
    sessions: sessions.map((transactions, s) => ({ name: BigInt(s), transactions })),
  });

function parseTransaction(text: string): PlainTransaction {
  const status = text.startsWith('!') ? 'aborted' : text.startsWith('?') ? 'unknown' : 'committed';
  const operations = [...text.matchAll(/([rw])\((\w+),(\d+)\)/g)].map(([, name, key, value]): PlainOperation => ({
    kind: name === 'w' ? 'write' : 'read',
    key: key!,
    value: BigInt(value!),
  }));
  return { status, operations };
}
