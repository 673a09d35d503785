/** The database that a hunt examines. */
import type { Counts, Isolation } from '@isolab/collector';
import type { LevelName } from '@isolab/contract';
import type { Draw, Region } from '../draws/space.ts';

export interface Subject {
  /** The database's own name and version. */
  readonly description: string;
  readonly isolation: Isolation;
  readonly level: LevelName;
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
  readonly seed: string;
  readonly path: string;
  readonly seconds: number;
  readonly signal: AbortSignal;
}
