import type { LevelName } from '@isolab/contract';

/** Properties that distinguish the strong levels (docs/levels.md). */
export interface Model {
  /** Whether a transaction is two events, its begin and its commit, or a single event. */
  readonly split: boolean;
  /** Whether of two writers of a key, one commits before the other begins. */
  readonly exclusive: boolean;
  readonly sessions: boolean;
  readonly time: TimeRule;
}

/**
 * Orders imposed by times. `returned`: t before s if t returned before s was called. `commits`: commits in order of
 * time; `snapshots`: also commits before begins.
 */
export type TimeRule = 'none' | 'returned' | 'commits' | 'snapshots';

const serial = (sessions: boolean, time: TimeRule = 'none'): Model => ({
  split: false,
  exclusive: false,
  sessions,
  time,
});
const snapshot = (sessions: boolean, time: TimeRule): Model => ({ split: true, exclusive: true, sessions, time });

const MODELS: Partial<Record<LevelName, Model>> = {
  prefix: { split: true, exclusive: false, sessions: true, time: 'none' },
  'adya-snapshot-isolation': snapshot(false, 'none'),
  'generalized-snapshot-isolation': snapshot(false, 'commits'),
  'snapshot-isolation': snapshot(true, 'none'),
  'strong-session-snapshot-isolation': snapshot(true, 'commits'),
  'strong-snapshot-isolation': snapshot(true, 'snapshots'),
  'plain-serializable': serial(false),
  serializable: serial(true),
  'strict-serializable': serial(true, 'returned'),
};

export const STRONG_LEVELS = Object.keys(MODELS) as LevelName[];

export const modelOf = (level: LevelName): Model | null => MODELS[level] ?? null;

export const isStrong = (level: LevelName): boolean => level in MODELS;
