import type { CoreLevel, LevelName } from '@isolab/contract';

/** Requirements of a level (docs/levels.md), as far as the verifier distinguishes levels. */
export interface Rules {
  readonly level: LevelName;
  readonly axiom: Axiom;
  /** Whether the order contains the session order. */
  readonly sessions: boolean;
  readonly realTime: RealTime;
}

/** The condition under which an overwriting transaction comes first, or a different kind of check. */
export type Axiom =
  | 'cut'
  | 'none'
  | 'read-committed'
  | 'read-committed-dbcop'
  | 'read-atomic'
  | 'causal'
  | 'serial'
  | 'serial-by-key'
  | 'prefix'
  | 'snapshot';

/** The real-time edges that an order contains; docs/levels.md lists them for each level. */
export type RealTime = 'none' | 'returned' | 'commits' | 'snapshots';

const weak = (axiom: Axiom): Omit<Rules, 'level'> => ({ axiom, sessions: true, realTime: 'none' });
const snapshot = (sessions: boolean, realTime: RealTime): Omit<Rules, 'level'> => ({
  axiom: 'snapshot',
  sessions,
  realTime,
});

const RULES: Readonly<Record<CoreLevel, Omit<Rules, 'level'>>> = {
  'cut-isolation': weak('cut'),
  'read-committed-pl2': { axiom: 'none', sessions: false, realTime: 'none' },
  'read-committed': weak('read-committed'),
  'read-committed-dbcop': weak('read-committed-dbcop'),
  'read-atomic': weak('read-atomic'),
  causal: weak('causal'),
  prefix: weak('prefix'),
  'adya-snapshot-isolation': snapshot(false, 'none'),
  'generalized-snapshot-isolation': snapshot(false, 'commits'),
  'snapshot-isolation': snapshot(true, 'none'),
  'strong-session-snapshot-isolation': snapshot(true, 'commits'),
  // Strong snapshot isolation implies strong session snapshot isolation, so sessions count even where times are missing
  // or equal.
  'strong-snapshot-isolation': snapshot(true, 'snapshots'),
  'plain-serializable': { axiom: 'serial', sessions: false, realTime: 'none' },
  serializable: weak('serial'),
  'strict-serializable': { axiom: 'serial', sessions: true, realTime: 'returned' },
  linearizable: { axiom: 'serial-by-key', sessions: true, realTime: 'returned' },
};

export const rulesOf = (level: LevelName): Rules | null =>
  Object.hasOwn(RULES, level) ? { level, ...RULES[level as CoreLevel] } : null;

/** Returns whether the order is of begins and commits instead of transactions. */
export const ordersEvents = ({ axiom }: Rules): boolean => axiom === 'prefix' || axiom === 'snapshot';

/** Returns whether repeated reads of a key must return the same value if their transaction does not write it in between. */
export const readsRepeat = ({ axiom }: Rules): boolean =>
  axiom !== 'none' && axiom !== 'read-committed' && axiom !== 'read-committed-dbcop';
