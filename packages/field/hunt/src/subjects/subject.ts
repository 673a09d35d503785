/** The database that a hunt examines. */
import type { Counts, Isolation } from '@isolab/collector';
import type { Draw, Region } from '../draws/space.ts';
import type { Trial } from '../trials/results.ts';

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
export interface Asked extends Trial {
  readonly draw: Draw;
}
