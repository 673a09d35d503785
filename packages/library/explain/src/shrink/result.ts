import type { FoundAnomaly } from '@isolab/contract';
import type { History } from '@isolab/history';
import type { Part } from './part.ts';

/** Whether a history violates the level; an anomaly makes shrinking faster. An unknown part is not taken. */
export type Violates = (history: History) => Judgement | Promise<Judgement>;
export type Judgement = boolean | FoundAnomaly | null | 'unknown';

export interface ShrinkResult extends Part {
  /** Anomaly that `violates` reported for the remaining history, numbered as that history is. */
  readonly anomaly: FoundAnomaly | null;
  readonly checks: number;
  /** Whether without any single transaction, or any single operation, `violates` was seen to be false. */
  readonly isMinimal: boolean;
  /** Whether range reads and scans were spelled as reads; `opOf` leads to the history as it was given all the same. */
  readonly lowered: boolean;
  /** The history with scans, where they were kept whole. */
  readonly withScans?: History;
}
