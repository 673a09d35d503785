import { type PlainHistory, keyword } from '@isolab/history';
import type fc from 'fast-check';
import { type GeneratedShape, arbitraryHistory } from './arbitrary-history.ts';

const REGISTERS: GeneratedShape = {
  key: (n) => BigInt(n),
  value: (n) => BigInt(n + 1),
  session: (n) => BigInt(n),
  initial: 0n,
  operations: ['read', 'write'],
};

/** Kinds of histories, the plainest first. For an unfamiliar format, the suite finds out which kinds it can express. */
export const SHAPES: Readonly<Record<string, fc.Arbitrary<PlainHistory>>> = {
  'whole numbers, initially 0': arbitraryHistory(REGISTERS),
  'whole numbers, initially absent': arbitraryHistory({ ...REGISTERS, initial: null }),
  'named keys': arbitraryHistory({ ...REGISTERS, key: (n) => `k${n}` }),
  'thin-air values': arbitraryHistory({ ...REGISTERS, initial: 10n ** 12n }).map((plain) => ({
    ...plain,
    initial: null,
  })),
  'numbered transactions': arbitraryHistory({ ...REGISTERS, transaction: (n) => BigInt(n) }),
  'aborted transactions': arbitraryHistory({ ...REGISTERS, statuses: ['committed', 'aborted'] }),
  'unknown outcomes': arbitraryHistory({ ...REGISTERS, statuses: ['committed', 'aborted', 'unknown'] }),
  times: arbitraryHistory({ ...REGISTERS, times: 'all' }),
  'bounds of times': arbitraryHistory({ ...REGISTERS, times: 'all', timeBounds: true }),
  'clocks that differ': arbitraryHistory({ ...REGISTERS, times: 'all', drift: true }),
  'names of all kinds': arbitraryHistory({
    ...REGISTERS,
    key: (n) => `k${n}`,
    value: (n) => `value ${n}`,
    session: (n) => `client ${n}`,
    initial: null,
  }),
  lists: arbitraryHistory({ ...REGISTERS, initial: null, operations: ['append', 'list-read'] }),
};

/** Histories with all features together. */
export const ANYTHING: fc.Arbitrary<PlainHistory> = arbitraryHistory({
  ...REGISTERS,
  key: (n) => (n % 2 ? `k${n}` : BigInt(-n)),
  value: (n) => (n % 3 ? BigInt(n - 2) : keyword(`v${n}`)),
  session: (n) => `client ${n}`,
  initial: null,
  statuses: ['committed', 'aborted', 'unknown'],
  operations: ['read', 'write', 'append', 'list-read', 'compare-and-set', 'range-read', 'insert', 'delete'],
  times: 'some',
  timeBounds: true,
  drift: true,
  timestamps: true,
  versions: true,
  emptySessions: true,
  emptyTransactions: true,
  thinAir: true,
  unknownReads: true,
});
