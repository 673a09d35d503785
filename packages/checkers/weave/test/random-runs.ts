import type { PlainHistory, PlainOperation } from '@isolab/history';

/** A generator of pseudo-random numbers in [0, 1) (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A small history of unique values that nearly makes sense: transactions read the latest versions but for a few stale
 * reads, and some versions were committed in another order than they were written.
 */
export function randomRun(random: () => number): PlainHistory {
  const int = (below: number): number => Math.floor(random() * below);
  const keys = 1 + int(3);
  const readShare = 0.3 + 0.5 * random();
  const timed = random() < 0.5;
  const staleness = random();
  const sessions = Array.from({ length: 1 + int(5) }, (_, s) => ({
    name: BigInt(s),
    transactions: [] as PlainHistory['sessions'][number]['transactions'][number][],
    end: 0,
  }));
  const versions = Array.from({ length: keys }, () => [0n]);
  let value = 0n;
  for (let k = 2 + int(6); k > 0; k--) {
    const session = sessions[int(sessions.length)]!;
    const known = new Map<number, bigint>(); // what the transaction saw or wrote
    const own = new Map<number, bigint>();
    const operations = Array.from({ length: 1 + int(4) }, (): PlainOperation => {
      const key = int(keys);
      if (random() >= readShare) {
        own.set(key, ++value);
        known.set(key, value);
        return { kind: 'write', key: `k${key}`, value };
      }
      const lag = random() < staleness ? int(3) : 0;
      const seen = known.get(key) ?? versions[key]![Math.max(0, versions[key]!.length - 1 - lag)]!;
      known.set(key, seen);
      return { kind: 'read', key: `k${key}`, value: seen };
    });
    for (const [key, written] of own) {
      const list = versions[key]!;
      list.splice(random() < 0.3 && list.length > 1 ? list.length - 1 : list.length, 0, written);
    }
    const begin = Math.max(session.end, 3 * session.transactions.length + int(8));
    const end = begin + 1 + int(8);
    session.end = end + int(2);
    const status = random() < 0.93 ? 'committed' : 'aborted';
    const times = timed && random() < 0.95 ? { begin: BigInt(begin), end: BigInt(end) } : {};
    session.transactions.push({ status, operations, ...times });
  }
  return { initial: 0n, sessions: sessions.map(({ name, transactions }) => ({ name, transactions })) };
}
