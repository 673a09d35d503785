import type { LevelName } from '@isolab/contract';

/** Rules of a level: forbidden patterns in the dependency graph. The names are Elle's consistency models. */
export interface LevelRule {
  readonly model: string;
  /** Whether cycles with session order count, or with real time. */
  readonly process: boolean;
  readonly realTime: boolean;
  /** The forbidden cycles: those with only ww and wr; also those without two adjacent rw; or all cycles. */
  readonly cycles: 'dependencies' | 'nonadjacent' | 'all';
  /** Order that shows that the level holds: any order of the dependencies, or an order of an equally strong level. */
  readonly holds: 'dependency-order' | 'serial-order' | 'event-order' | 'any-order';
  readonly certificate: 'commit-order' | 'event-order';
  readonly lostUpdate: boolean;
}

const weak = (model: string): LevelRule => ({
  model,
  process: true,
  realTime: false,
  cycles: 'dependencies',
  holds: 'any-order',
  certificate: 'commit-order',
  lostUpdate: false,
});

const snapshot = (model: string, process: boolean, realTime: boolean): LevelRule => ({
  model,
  process,
  realTime,
  cycles: 'nonadjacent',
  holds: 'event-order',
  certificate: 'event-order',
  lostUpdate: true,
});

const serial = (model: string, process: boolean, realTime: boolean): LevelRule => ({
  model,
  process,
  realTime,
  cycles: 'all',
  holds: 'serial-order',
  certificate: 'commit-order',
  lostUpdate: true,
});

/** Elle's models by our levels, as strong session variants if ours have sessions. Some are incomplete in Elle. */
export const RULES: Partial<Readonly<Record<LevelName, LevelRule>>> = {
  'read-committed-pl2': {
    ...weak('read-committed'),
    process: false,
    holds: 'dependency-order',
  },
  'read-committed': weak('strong-session-read-committed'),
  'read-atomic': weak('read-atomic'),
  causal: weak('causal-cerone'),
  prefix: { ...weak('prefix'), certificate: 'event-order' },
  'adya-snapshot-isolation': snapshot('snapshot-isolation', false, false),
  'snapshot-isolation': snapshot('strong-session-snapshot-isolation', true, false),
  'strong-snapshot-isolation': snapshot('strong-snapshot-isolation', true, true),
  'plain-serializable': serial('serializable', false, false),
  serializable: serial('strong-session-serializable', true, false),
  'strict-serializable': serial('strong-serializable', true, true),
};
