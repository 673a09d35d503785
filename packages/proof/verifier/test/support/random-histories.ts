import type { PlainHistory, PlainOperation } from '@isolab/history';
import fc from 'fast-check';

export interface Shape {
  readonly maxTransactions: number;
  /** Whether all transactions are called and return at some time. */
  readonly times: boolean;
}

/**
 * Histories without internal anomalies: values are unique; a read sees its transaction's own latest write, or the
 * version of the key that it saw before, or the last write of any other transaction, or the initial state.
 */
export const randomHistories = ({ maxTransactions, times }: Shape): fc.Arbitrary<PlainHistory> =>
  fc
    .record({
      transactions: fc.array(
        fc.record({
          session: fc.nat(2),
          aborted: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
          begin: fc.nat(12),
          length: fc.nat(6),
          /** Time from the begin to the first answer, and from the request of COMMIT to the end. */
          answers: fc.option(fc.nat(6)),
          asks: fc.option(fc.nat(6)),
          ops: fc.array(fc.record({ write: fc.boolean(), key: fc.nat(1), from: fc.nat(20) }), { maxLength: 3 }),
        }),
        { minLength: 2, maxLength: maxTransactions },
      ),
    })
    .map(({ transactions }) => {
      // Last writes of each transaction; the value is the operation's number, from 1.
      let value = 0;
      const writes = transactions.map(({ ops }) => ops.map(({ write }) => (write ? ++value : 0)));
      const lastWrites = transactions.map(({ ops }, t) => {
        const last = new Map<number, number>();
        for (const [i, { write, key }] of ops.entries()) if (write) last.set(key, writes[t]![i]!);
        return last;
      });
      const plain = transactions.map(({ aborted, begin, length, answers, asks, session, ops }, t) => {
        const known = new Map<number, number>();
        const operations = ops.map(({ write, key, from }, i): PlainOperation => {
          if (write) known.set(key, writes[t]![i]!);
          const sources = lastWrites.filter((last, u) => u !== t && !transactions[u]!.aborted && last.has(key));
          const seen = from % (sources.length + 1);
          if (!known.has(key)) known.set(key, seen === sources.length ? 0 : sources[seen]!.get(key)!);
          return { kind: write ? 'write' : 'read', key: `k${key}`, value: BigInt(known.get(key)!) };
        });
        const status = aborted ? ('aborted' as const) : ('committed' as const);
        const real = times && {
          begin: BigInt(begin),
          ...(answers !== null && { begun: BigInt(begin + Math.min(answers, length)) }),
          ...(asks !== null && { committing: BigInt(begin + Math.max(0, length - asks)) }),
          end: BigInt(begin + length),
        };
        return { session, transaction: { status, operations, ...real } };
      });
      return {
        initial: 0n,
        sessions: [0, 1, 2].map((s) => ({
          name: BigInt(s),
          transactions: plain.filter(({ session }) => session === s).map(({ transaction }) => transaction),
        })),
      };
    });

export function* permutations(items: readonly number[]): Generator<number[]> {
  if (items.length === 0) yield [];
  for (const [i, item] of items.entries())
    for (const rest of permutations(items.toSpliced(i, 1))) yield [item, ...rest];
}

/** Orders of begins (2t) and commits (2t + 1) in which every begin is before its commit. */
export function* eventOrders(toBegin: readonly number[], begun: readonly number[] = []): Generator<number[]> {
  if (toBegin.length + begun.length === 0) yield [];
  for (const [i, t] of toBegin.entries())
    for (const rest of eventOrders(toBegin.toSpliced(i, 1), [...begun, t])) yield [2 * t, ...rest];
  for (const [i, t] of begun.entries())
    for (const rest of eventOrders(toBegin, begun.toSpliced(i, 1))) yield [2 * t + 1, ...rest];
}
