import type { History, PlainOperation, PlainTransaction } from '@isolab/history';
import { historyOf, randomNumbers } from '@isolab/testkit';

export interface FencedBounds {
  readonly seed: number;
  readonly sessions: number;
  readonly txnsPerSession: number;
  /** Every so-manieth transaction of a session is a fence. */
  readonly fenceEvery: number;
  readonly keys: number;
  readonly opsPerTxn: number;
  /** The share of transactions that see a state of some transactions ago. */
  readonly staleness: number;
}

/**
 * A serial store that sometimes shows an old state to a transaction, and takes its writes all the same. Fences always see
 * the latest one, so that they stay in one chain.
 */
export function fencedHistory(bounds: FencedBounds): History {
  const random = randomNumbers(bounds.seed);
  const below = (n: number): number => Math.floor(random() * n);
  const sessions: PlainTransaction[][] = Array.from({ length: bounds.sessions }, () => []);
  const states: ReadonlyMap<string, bigint>[] = [new Map()];
  let value = 0n;
  for (let left = bounds.sessions * bounds.txnsPerSession; left > 0; left--) {
    const open = sessions.filter((session) => session.length < bounds.txnsPerSession);
    const session = open[below(open.length)]!;
    const latest = states.at(-1)!;
    const next = new Map(latest);
    const operations: PlainOperation[] = [];
    const read = (key: string, state: ReadonlyMap<string, bigint>): void =>
      void operations.push({ kind: 'read', key, value: state.get(key) ?? 0n });
    const write = (key: string): void => {
      next.set(key, ++value);
      operations.push({ kind: 'write', key, value });
    };
    if (session.length % bounds.fenceEvery === bounds.fenceEvery - 1) {
      read('fence', latest);
      write('fence');
    } else {
      const seen = random() < bounds.staleness ? states[Math.max(0, states.length - 2 - below(12))]! : latest;
      const keys = new Set(Array.from({ length: bounds.opsPerTxn }, () => `k${below(bounds.keys)}`));
      const reads = random() < 0.4;
      for (const key of keys) {
        const both = random() < 0.3;
        if (reads || both) read(key, seen);
        if (!reads || both) write(key);
      }
    }
    states.push(next);
    session.push({ status: 'committed', operations });
  }
  return historyOf(sessions);
}
