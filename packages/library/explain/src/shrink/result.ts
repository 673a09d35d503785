import type { FoundAnomaly } from '@isolab/contract';
import type { History } from '@isolab/history';
import type { Part } from './part.ts';

/**
 * Decides whether a history violates the level. Shrinking is faster if it returns an anomaly. An unknown verdict
 * rejects the part.
 */
export type Violates = (history: History) => Judgement | Promise<Judgement>;
export type Judgement = boolean | FoundAnomaly | null | 'unknown';

export interface ShrinkResult extends Part {
  /** Anomaly that `violates` reported for the remaining history, in the numbers of that history. */
  readonly anomaly: FoundAnomaly | null;
  readonly checks: number;
  /** Whether `violates` was false after the removal of any single transaction or operation. */
  readonly isMinimal: boolean;
  /** Whether range reads and scans were lowered to reads. `opOf` refers to the given history in either case. */
  readonly lowered: boolean;
  /** The history with scans, if they could be kept whole. */
  readonly withScans?: History;
}
