import { randomNumbers } from '@isolab/testkit';
import type { PlainHistory, PlainOperation, PlainTransaction } from '@isolab/history';
import fc from 'fast-check';

interface Shape {
  readonly sessions: number;
  readonly transactions: number;
  readonly operations: number;
  readonly keys: number;
  /** One in this many transactions is aborted or of unknown outcome; 0 for none. */
  readonly uncertain: number;
}

/**
 * Histories of registers with unique values. `lag` says how far back a read looks: it is from one of the latest writers
 * in an interleaving of the sessions, so that small lags are seldom anomalous; now and then it is any value at all.
 */
export const plainHistories = (shape: Shape): fc.Arbitrary<PlainHistory> =>
  fc
    .record({ seed: fc.nat(), lag: fc.constantFrom(1, 2, 3, 50), wild: fc.constantFrom(0, 0.02, 0.2) })
    .map(({ seed, lag, wild }) => randomHistory(random(seed), shape, lag, wild));

type Random = (below: number) => number;

function random(seed: number): Random {
  const next = randomNumbers(seed);
  return (below) => Math.floor(next() * below);
}

function randomHistory(rand: Random, shape: Shape, lag: number, wild: number): PlainHistory {
  const numSessions = 1 + rand(shape.sessions);
  const sessions: PlainTransaction[][] = Array.from({ length: numSessions }, () => []);
  const numTxns = 1 + rand(shape.transactions);
  const versions = Array.from({ length: shape.keys }, () => [0n]);
  let value = 0n;
  const reserved: { key: number; value: bigint }[] = []; // values that reads saw before they are written
  for (let t = 0; t < numTxns; t++) {
    const operations: PlainOperation[] = [];
    const dice = shape.uncertain > 0 ? rand(shape.uncertain) : 2;
    const status = dice === 0 ? 'aborted' : dice === 1 ? 'unknown' : 'committed';
    const own = new Map<number, bigint>();
    const passed: { key: number; value: bigint }[] = []; // its own values, overwritten or not
    for (let i = 1 + rand(shape.operations); i > 0; i--) {
      const key = rand(shape.keys);
      const all = versions[key]!;
      if (rand(2) === 0) {
        const future = reserved.findIndex((promised) => promised.key === key);
        const written = future >= 0 && rand(2) === 0 ? reserved.splice(future, 1)[0]!.value : ++value;
        own.set(key, written);
        passed.push({ key, value: written });
        operations.push({ kind: 'write', key: `k${key}`, value: written });
      } else if (rand(1000) < 1000 * wild) {
        const mine = passed.find((promised) => promised.key === key && rand(2) === 0);
        const isFuture = rand(2) === 0;
        if (isFuture && !mine) reserved.push({ key, value: ++value });
        const other = isFuture ? value : all[rand(all.length)]!;
        operations.push({ kind: 'read', key: `k${key}`, value: mine?.value ?? other });
      } else {
        const seen = own.get(key) ?? all[Math.max(0, all.length - 1 - rand(lag))]!;
        operations.push({ kind: 'read', key: `k${key}`, value: seen });
      }
    }
    if (status !== 'aborted' || rand(8) === 0) for (const [key, written] of own) versions[key]!.push(written);
    sessions[rand(numSessions)]!.push({ status, operations });
  }
  return { initial: 0n, sessions: sessions.map((transactions, i) => ({ name: BigInt(i), transactions })) };
}
