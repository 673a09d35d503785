import type { Shard } from '@isolab/history';
import type { FaultOptions, Isolation } from '@isolab/collector';
import { type LevelName, levelNamed } from '@isolab/contract';
import type { Draw } from '../draws/space.ts';
import type { DrawingName } from '../draws/drawing.ts';
import type { Nearness } from '../draws/nearness.ts';

/** The settings of a hunt. They are stored in its folder, so that it can be resumed. */
export interface HuntSettings {
  /** One address, or several addresses of nodes of one database. */
  readonly database: readonly string[];
  /** The database's own name of a level; all levels in turn by default. */
  readonly isolation: string | null;
  /** The level to check; by default, the level that the isolation claims. */
  readonly level: LevelName | null;
  readonly drawing: DrawingName;
  /** The only workload; all workloads that the database supports by default. */
  readonly workload: string | null;
  /** Number of transactions in each history; drawn by default. */
  readonly transactions: number | null;
  readonly seed: string;
  /** Limits in seconds and in trials; the first limit that is reached ends the hunt. */
  readonly seconds: number | null;
  readonly trials: number | null;
  /** Whether the hunt continues after a violation. */
  readonly counts: boolean;
  /** Statements that every session begins with. */
  readonly sessionSetup: readonly string[];
  /** The layout of keys in tables, in the words of --layout; drawn by default. */
  readonly layout: string | null;
  /** Faults of the database during each history. */
  readonly faults: FaultOptions | null;
  /** Share of the histories of one of several machines, which need no common service; null for a whole hunt. */
  readonly shard: Shard | null;
}

/** Returns the faults of a history: those asked for, or those of its draw. */
export const faultsOf = (
  { faults }: Pick<HuntSettings, 'faults'>,
  { kills }: Pick<Draw, 'kills'>,
): FaultOptions | null => faults ?? (kills ? { kinds: ['kill'], everyMs: 700 } : null);

/** Returns the level to check of histories at an isolation level. */
export const levelOf = ({ level }: Pick<HuntSettings, 'level'>, { claims }: Pick<Isolation, 'claims'>): LevelName =>
  level === null ? claims : levelNamed(level).name;

/** `empty`: no part of the history could have shown a violation. */
export type TrialVerdict = 'satisfied' | 'violated' | 'unknown' | 'empty';

/** A line of the hunt's log. */
export interface TrialRecord {
  readonly trial: number;
  readonly seed: string;
  readonly draw: Draw;
  /** The database's name of the level, and the checked level. */
  readonly isolation: string;
  readonly level: LevelName;
  readonly committed: number;
  readonly aborted: number;
  readonly unknown: number;
  /** Duration of the collection in seconds. */
  readonly seconds: number;
  readonly verdict: TrialVerdict;
  /** The reason for a missing verdict or a failed collection. */
  readonly reason: string | null;
  /** Number of occurrences of each shape of near miss, which guides the draws. */
  readonly near: Nearness;
  /** Time since the start of the hunt, without pauses. */
  readonly atSeconds: number;
}
