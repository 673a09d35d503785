import type { Summary } from '../trials/summary.ts';

/** Result of one nightly hunt. */
export interface Night {
  /** When the hunt ended; for a hunt without a summary, when it was remembered. */
  readonly at: string;
  readonly description: string;
  readonly verdict: Summary['verdict'];
  /** Reason for an unknown verdict. */
  readonly reason: string | null;
  readonly seed: string | null;
  readonly trials: number;
  readonly violated: number;
  readonly committed: number;
  readonly aborted: number;
  readonly seconds: number;
  /** Anomalies with their levels in the database's words, sorted. */
  readonly anomalies: readonly string[];
}

/** Anomalies of the last night that had a verdict: an undecided night does not show that an anomaly is gone. */
export const lastAnomalies = (nights: readonly Night[]): readonly string[] =>
  nights.findLast(({ verdict }) => verdict !== 'unknown')?.anomalies ?? [];
