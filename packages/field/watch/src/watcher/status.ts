import type { ByLevel, LevelName } from '@isolab/contract';

/** The state of a level: it holds in all lines so far, was violated, or is undecided. */
export type Standing = 'stands' | 'violated' | 'undecided';

export interface WatchStatus {
  readonly name: string;
  /** When watching began, and the current moment, in milliseconds since 1970. */
  readonly since: number;
  readonly at: number;
  /** Whether the stream has ended, and all of it was judged. */
  readonly isEnded: boolean;
  /** Number of transactions that arrived, in total and per second in the latest interval. */
  readonly transactions: number;
  readonly perSecond: number;
  /** Number of sessions that these transactions belong to. */
  readonly sessions: number;
  /** Number of settled and forgotten transactions, and of transactions in memory. */
  readonly settled: number;
  readonly kept: number;
  /**
   * Number of reads of values that no transaction has written yet, and the age of the oldest of them in milliseconds.
   */
  readonly openReads: number;
  readonly oldestOpenMs: number;
  /** Longest wait of recent transactions for their judgement, in milliseconds. */
  readonly lagMs: number;
  /** Number of keys with a known value. */
  readonly keys: number;
  /** Number of trusted reads of forgotten values, and of transactions that arrived after the horizon. */
  readonly believed: number;
  readonly late: number;
  /** Number of table scans: their returned rows were examined, but not the rows that they skipped or counted. */
  readonly scans: number;
  /** Number of reads whose value no transaction wrote within the horizon. */
  readonly unwritten: number;
  /** Number of writers that arrived after their readers by more than the horizon. */
  readonly lateWriters: number;
  /** Number of duplicate lines that were dropped. */
  readonly duplicates: number;
  /** Number of times that everything was read again from the log. */
  readonly reopened: number;
  readonly memoryBytes: number;
  readonly levels: ByLevel<Standing>;
  /** Number of lines in the latest full check, for levels that hold so far and are judged by full checks. */
  readonly looked: ByLevel<number>;
  readonly whyUndecided: ByLevel<string>;
  readonly alarms: readonly Alarm[];
}

/** A violation in the lines so far. It is never withdrawn. */
export interface Alarm {
  /** Counted from 1. */
  readonly number: number;
  readonly level: LevelName;
  /** When the violation was found, in milliseconds since 1970. */
  readonly at: number;
  /** The names of the anomalies, such as `lost-update`. */
  readonly anomalies: readonly string[];
  readonly sentence: string;
  /** The line of the stream that completed the violation. */
  readonly line: number;
  /** The line that repeated a value that the alarm assumed to be written once; null if there is no such line. */
  readonly contestedAt: number | null;
  /** The evidence files: a minimal history, the certificate for `isolab verify`, and the story. */
  readonly files: { readonly history: string; readonly certificate: string; readonly story: string } | null;
}
