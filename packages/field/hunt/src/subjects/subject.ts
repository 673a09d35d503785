/** The database that a hunt examines. */
import type { Counts, Isolation } from '@isolab/collector';
import type { LevelName } from '@isolab/contract';
import type { Draw, Region } from '../draws/space.ts';

export interface Subject {
  /** The database's own name and version. */
  readonly description: string;
  /** Levels that the hunt tries in turn, the strongest first. */
  readonly isolations: readonly Isolation[];
  /** The regions that draws come from. */
  readonly space: readonly Region[];
  /** Collects one history into a file. */
  collect(asked: Asked, onProgress: (counts: Counts) => void): Promise<Counts>;
  /** Starts over after an error. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** The parameters of one collection. */
export interface Asked {
  readonly draw: Draw;
  readonly isolation: Isolation;
  /** The level to check. */
  readonly level: LevelName;
  readonly seed: string;
  readonly path: string;
  readonly seconds: number;
  readonly signal: AbortSignal;
}
