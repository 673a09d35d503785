import type { PlainHistory, PlainOperation, PlainTransaction } from '@isolab/history';
import fc from 'fast-check';

/**
 * Histories of a store that executes transactions one after the other, some of them on an old snapshot: registers whose
 * few values repeat, or lists; some transactions abort, and of some the outcome is unknown.
 */
export const randomExecutions = (kind: 'registers' | 'lists', maxTransactions: number): fc.Arbitrary<PlainHistory> =>
  fc
    .array(
      fc.record({
        session: fc.nat(2),
        status: fc.constantFrom('committed', 'committed', 'committed', 'unknown', 'aborted'),
        applied: fc.boolean(),
        lag: fc.constantFrom(0, 0, 0, 1, 2),
        ops: fc.array(fc.record({ write: fc.boolean(), key: fc.nat(1), value: fc.nat(2) }), {
          minLength: 1,
          maxLength: 3,
        }),
      }),
      { minLength: 2, maxLength: maxTransactions },
    )
    .map((drafts) => {
      const stores: ReadonlyMap<string, readonly bigint[]>[] = [new Map()];
      let element = 0n;
      const transactions = drafts.map(({ session, status, applied, lag, ops }, t) => {
        const snapshot = new Map(stores[Math.max(0, stores.length - 1 - lag)]);
        const next = new Map(stores.at(-1));
        const operations = ops.map(({ write, key: number, value }): PlainOperation => {
          const key = `k${number}`;
          const held = snapshot.get(key) ?? [];
          if (kind === 'lists') {
            if (!write) return { kind: 'list-read', key, elements: held };
            const appended = ++element;
            snapshot.set(key, [...held, appended]);
            next.set(key, [...(next.get(key) ?? []), appended]);
            return { kind: 'append', key, value: appended };
          }
          if (!write) return { kind: 'read', key, value: held[0] ?? 0n };
          snapshot.set(key, [BigInt(value)]);
          next.set(key, [BigInt(value)]);
          return { kind: 'write', key, value: BigInt(value) };
        });
        if (status === 'committed' || (status === 'unknown' && applied)) stores.push(next);
        const [begin, end] = [BigInt(2 * t), BigInt(2 * t + 3)];
        return { session, transaction: { status, operations, begin, end } as PlainTransaction };
      });
      return {
        initial: kind === 'lists' ? null : 0n,
        sessions: [0, 1, 2].map((s) => ({
          name: BigInt(s),
          transactions: transactions.filter(({ session }) => session === s).map(({ transaction }) => transaction),
        })),
      };
    });

/** Transactions that read anything and then write, few values to few keys, so that most reads have several candidates. */
export const randomRepetitions = (transactions: number): fc.Arbitrary<PlainHistory> =>
  fc
    .array(
      fc.record({
        session: fc.nat(2),
        unknown: fc.nat(2),
        reads: fc.array(fc.record({ key: fc.nat(1), value: fc.constantFrom(0, 1, 1, 1, 2) }), {
          minLength: 1,
          maxLength: 2,
          size: 'max',
        }),
        write: fc.record({ key: fc.nat(1), value: fc.constantFrom(1, 1, 1, 2) }),
      }),
      { minLength: transactions - 1, maxLength: transactions, size: 'max' },
    )
    .map((drafts) => ({
      initial: 0n,
      sessions: [0, 1, 2].map((s) => ({
        name: BigInt(s),
        transactions: [...drafts.entries()]
          .filter(([, { session }]) => session === s)
          .map(([t, { unknown, reads, write }]): PlainTransaction => ({
            status: unknown === 0 ? 'unknown' : 'committed',
            operations: [
              ...reads.map(({ key, value }) => ({ kind: 'read' as const, key: `k${key}`, value: BigInt(value) })),
              { kind: 'write', key: `k${write.key}`, value: BigInt(write.value) },
            ],
            begin: BigInt(2 * t),
            end: BigInt(2 * t + 3),
          })),
      })),
    }));
