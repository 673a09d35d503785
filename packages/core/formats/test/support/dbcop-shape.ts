import { type GeneratedShape, arbitraryHistory } from '../../src/conformance/arbitrary-history.ts';
import { ALL_FEATURES } from './everything.ts';

/** Histories that dbcop's formats can write: their numbers are unsigned, of 64 bits. */
export const DBCOP_SHAPE: GeneratedShape = {
  key: (n) => 2n ** 64n - 1n - BigInt(n) * 2n ** 62n,
  value: (n) => BigInt(n) + 2n ** 63n * BigInt(n % 2),
  session: (n) => BigInt(n + 1),
  initial: 0n,
  operations: ['read', 'write'],
  statuses: ['committed', 'aborted'],
  emptyTransactions: true,
  emptySessions: true,
  thinAir: true,
};

export const DBCOP_HISTORIES = {
  expressible: arbitraryHistory(DBCOP_SHAPE),
  anything: arbitraryHistory({
    ...DBCOP_SHAPE,
    ...ALL_FEATURES,
    key: (n) => (n % 2 ? `k${n}` : BigInt(-n)),
    value: (n) => (n % 3 ? BigInt(n) : 2n ** 64n + BigInt(n)),
    session: (n) => `client ${n}`,
    transaction: (n) => BigInt(n * n),
    initial: null,
  }),
};
