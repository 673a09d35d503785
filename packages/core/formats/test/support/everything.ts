import { type Atom, keyword, literal } from '@isolab/history';
import type { GeneratedShape } from '../../src/conformance/arbitrary-history.ts';

const ATOMS: readonly Atom[] = [
  2n ** 63n,
  -(2n ** 63n),
  10n ** 40n,
  'a "quoted"\n text é 😀',
  keyword('k'),
  literal('[1 2]'),
  '',
  -1n,
];

/** Features that no other format can write completely. */
export const ALL_FEATURES = {
  operations: ['read', 'write', 'append', 'list-read', 'compare-and-set', 'range-read', 'insert', 'delete'],
  statuses: ['committed', 'aborted', 'unknown'],
  times: 'some',
  timestamps: true,
  versions: true,
  unknownReads: true,
} satisfies Partial<GeneratedShape>;

/** Histories with all features of isolab's own format, rows of tables apart. */
export const EVERYTHING: GeneratedShape = {
  ...ALL_FEATURES,
  key: (n) => ATOMS[n % ATOMS.length]!,
  value: (n) => (n <= ATOMS.length ? ATOMS[n - 1]! : BigInt(n)),
  session: (n) => ATOMS[(n + 3) % ATOMS.length]!,
  transaction: (n) => (n % 3 === 0 ? null : (ATOMS[n % ATOMS.length] ?? null)),
  initial: 0n,
  timeBounds: true,
  drift: true,
  levels: true,
  emptySessions: true,
  emptyTransactions: true,
  thinAir: true,
};
