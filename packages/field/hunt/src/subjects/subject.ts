/** Subject of a hunt. */
import type { Counts, Isolation } from '@isolab/collector';
import type { LevelName } from '@isolab/contract';
import type { Draw, Region } from '../draws/space.ts';

export interface Subject {
  /** Name and version, as it says them. */
  readonly description: string;
  readonly isolation: Isolation;
  readonly level: LevelName;
  /** Regions from which draws for it come. */
  readonly space: readonly Region[];
  /** Collects one history into a file. */
  collect(asked: Asked, onProgress: (counts: Counts) => void): Promise<Counts>;
  /** Starts over, after something went wrong. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** Request for one collection. */
export interface Asked {
  readonly draw: Draw;
  readonly seed: string;
  readonly path: string;
  readonly seconds: number;
  readonly signal: AbortSignal;
}
