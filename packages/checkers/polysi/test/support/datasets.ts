import { readFileSync } from 'node:fs';
import { type History, type PlainTransaction, fromPlain } from '@isolab/history';
import { realHistory } from '@isolab/needs';

/** A file of lines such as `w(key,value,session,transaction)`. */
export function readText(path: string): History {
  const sessions = new Map<string, Map<string, { kind: 'read' | 'write'; key: bigint; value: bigint }[]>>();
  for (const line of readFileSync(realHistory(path), 'utf8').split('\n')) {
    const match = /^([rw])\((\d+),(\d+),(\d+),(\d+)\)$/.exec(line.trim());
    if (match === null) continue;
    const [, kind, key, value, session, transaction] = match as unknown as string[];
    const transactions = getOr(sessions, session!, () => new Map());
    const operations = getOr(transactions, transaction!, () => []);
    operations.push({ kind: kind === 'r' ? 'read' : 'write', key: BigInt(key!), value: BigInt(value!) });
  }
  return historyOf(
    [...sessions.values()].map((transactions) => {
      return [...transactions.values()].map((operations) => ({ status: 'committed' as const, operations }));
    }),
  );
}

/** dbcop's bincode: 64-bit integers, strings with their length, a byte for a truth value. */
export function readBincode(path: string): History {
  const data = readFileSync(realHistory(path));
  let at = 5 * 8;
  const integer = (): bigint => data.readBigUInt64LE((at += 8) - 8);
  const truth = (): boolean => data[at++] === 1;
  for (let i = 0; i < 3; i++) {
    const length = Number(integer());
    at += length;
  }
  const list = <T>(read: () => T): T[] => Array.from({ length: Number(integer()) }, read);
  const event = () => {
    const kind = truth() ? ('write' as const) : ('read' as const);
    return { kind, key: integer(), value: integer(), success: truth() };
  };
  const sessions = list(() => list(() => ({ events: list(event), success: truth() })));
  return historyOf(
    sessions.map((transactions) =>
      transactions.map(({ events, success }) => ({
        status: success ? ('committed' as const) : ('aborted' as const),
        operations: events.filter((e) => e.success).map(({ kind, key, value }) => ({ kind, key, value })),
      })),
    ),
  );
}

const historyOf = (sessions: readonly (readonly PlainTransaction[])[]): History =>
  fromPlain({
    initial: 0n,
    sessions: sessions.map((transactions, s) => ({ name: BigInt(s), transactions })),
  });

function getOr<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}
