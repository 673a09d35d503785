import type { FaultOptions } from '@isolab/collector';
import type { LevelName } from '@isolab/contract';
import type { Draw } from '../draws/space.ts';
import type { DrawingName } from '../draws/drawing.ts';
import type { Nearness } from '../draws/nearness.ts';

/** Settings of a hunt. They are stored in its folder, so that it can be resumed. */
export interface HuntSettings {
  /** One address, or several: nodes of one database. */
  readonly database: readonly string[];
  /** The database's own name of a level; its strongest one unless given. */
  readonly isolation: string | null;
  /** Level to check; the level that the isolation claims unless given. */
  readonly level: LevelName | null;
  readonly drawing: DrawingName;
  /** The only workload; all workloads that the database supports by default. */
  readonly workload: string | null;
  /** Number of transactions of each history, in place of a drawn one. */
  readonly transactions: number | null;
  readonly seed: string;
  /** Limits in seconds and in trials; the hunt ends at the first one that it reaches. */
  readonly seconds: number | null;
  readonly trials: number | null;
  /** Whether a violation does not end the hunt. */
  readonly counts: boolean;
  /** Statements that every session begins with. */
  readonly sessionSetup: readonly string[];
  /** How keys lie in tables, in the words of --layout; the plain way unless given. */
  readonly layout: string | null;
  /** Faults of the database during each history. */
  readonly faults: FaultOptions | null;
}

/** Nothing that is forbidden, something forbidden, or no verdict. Empty: nothing could have shown a violation. */
export type TrialVerdict = 'satisfied' | 'violated' | 'unknown' | 'empty';

/** A line of the hunt's log. */
export interface TrialRecord {
  readonly trial: number;
  readonly seed: string;
  readonly draw: Draw;
  readonly committed: number;
  readonly aborted: number;
  readonly unknown: number;
  /** Duration of the collection in seconds. */
  readonly seconds: number;
  readonly verdict: TrialVerdict;
  /** Reason for a missing verdict, or failure while collecting. */
  readonly reason: string | null;
  /** Number of times that each shape of a near miss was seen: the guide of the draws. */
  readonly near: Nearness;
  /** Since the hunt began, pauses left out. */
  readonly atSeconds: number;
}
