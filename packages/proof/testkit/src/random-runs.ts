import type { PlainHistory, PlainOperation } from '@isolab/history';

/** Optional features of a random history, which always has reads and writes and, half of the time, real times. */
export interface RunKind {
  /** Whether there are only few values, many of them written several times. */
  readonly repeated?: boolean;
  /** Whether some transactions have an unknown outcome. Some of these did not happen. */
  readonly open?: boolean;
  readonly lists?: boolean;
  /** Whether each transaction uses only one key. Such histories always have times. */
  readonly single?: boolean;
  /** Whether a read of the key precedes each write. */
  readonly mini?: boolean;
}

/**
 * Generates a small, nearly consistent history. Transactions read the latest versions except for a few stale reads, and
 * some versions were committed in another order than they were written.
 */
export function randomRun(random: () => number, kind: RunKind): PlainHistory {
  const int = (below: number): number => Math.floor(random() * below);
  const keys = 1 + int(3);
  const readShare = 0.3 + 0.5 * random();
  const timed = kind.single === true || random() < 0.5;
  const claimed = random() < 0.3; // timestamps and version numbers of the database, some of them wrong
  const staleness = random();
  const domain = kind.repeated ? 2 + int(3) : 0;
  const sessions = Array.from({ length: 1 + int(5) }, (_, s) => ({
    name: BigInt(s),
    transactions: [] as PlainHistory['sessions'][number]['transactions'][number][],
    end: 0,
  }));
  const versions = Array.from({ length: keys }, (): Version[] => [[0n]]);
  let value = 0n;
  for (let k = 2 + int(6); k > 0; k--) {
    const session = sessions[int(sessions.length)]!;
    const known = new Map<number, Version>(); // versions that the transaction saw
    const own = new Map<number, bigint[]>();
    const only = int(keys);
    const operations = Array.from({ length: 1 + int(kind.single ? 2 : 4) }, (): PlainOperation => {
      const key = kind.single ? only : int(keys);
      const mine = own.get(key) ?? [];
      if (random() >= readShare && (kind.mini !== true || known.has(key))) {
        value = domain > 0 ? BigInt(int(domain)) : value + 1n;
        own.set(key, [...mine, value]);
        return { kind: kind.lists ? 'append' : 'write', key: `k${key}`, value };
      }
      const lag = random() < staleness ? int(3) : 0;
      const seen = known.get(key) ?? versions[key]![Math.max(0, versions[key]!.length - 1 - lag)]!;
      known.set(key, seen);
      if (kind.lists) return { kind: 'list-read', key: `k${key}`, elements: [...seen.slice(1), ...mine] };
      return { kind: 'read', key: `k${key}`, value: (mine.at(-1) ?? seen.at(-1))! };
    });
    const status = random() < 0.93 ? (kind.open && random() < 0.4 ? 'unknown' : 'committed') : 'aborted';
    for (const [key, written] of own) {
      const list = versions[key]!;
      if (status === 'unknown' && random() < 0.4) continue;
      const swaps = !kind.lists && random() < 0.3 && list.length > 1;
      list.splice(swaps ? list.length - 1 : list.length, 0, [...list.at(-1)!, ...written]);
    }
    const begin = Math.max(session.end, 3 * session.transactions.length + int(8));
    const end = begin + 1 + int(8);
    session.end = end + int(2);
    const times = timed && (kind.single || random() < 0.95) ? timesWithin(begin, end) : {};
    const tick = 3n * BigInt(20 - k) + BigInt(int(random() < 0.2 ? 20 : 2));
    const claims = claimed && random() < 0.95 ? { startTs: tick - BigInt(int(6)), commitTs: tick } : {};
    session.transactions.push({
      status,
      operations: claimed ? numbered(operations, tick) : operations,
      ...times,
      ...claims,
    });
  }
  return { initial: 0n, sessions: sessions.map(({ name, transactions }) => ({ name, transactions })) };
}

/**
 * Returns a begin and an end, and for half of the transactions each the times of the first answer and of the COMMIT
 * request. The latter are derived from begin and end, so that no random number is drawn for them.
 */
export function timesWithin(begin: number, end: number) {
  const mixed = Math.imul(31 * begin + end, 0x9e3779b1) >>> 8;
  const within = (drawn: number): bigint => BigInt(begin + (drawn % (end - begin + 1)));
  return {
    begin: BigInt(begin),
    ...(mixed % 2 === 0 && { begun: within(mixed >>> 4) }),
    ...((mixed >>> 1) % 2 === 0 && { committing: within(mixed >>> 12) }),
    end: BigInt(end),
  };
}

const numbered = (operations: readonly PlainOperation[], version: bigint): PlainOperation[] =>
  operations.map((operation) => (operation.kind.endsWith('read') ? operation : { ...operation, version }));

/** All values written to a key, starting with the initial value. */
type Version = readonly bigint[];
