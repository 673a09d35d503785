import type { ByLevel, LevelName } from '@isolab/contract';

/** State of a level: it holds in all lines that came so far, it was violated, or it is undecided. */
export type Standing = 'stands' | 'violated' | 'undecided';

/** Status at a moment; plain data. */
export interface WatchStatus {
  /** Name of the watched source. */
  readonly name: string;
  /** When watching began, and the moment itself, in milliseconds since 1970. */
  readonly since: number;
  readonly at: number;
  /** Whether the stream is at its end, and all of it was judged. */
  readonly isEnded: boolean;
  /** Transactions that came, in all and in each second of the latest interval. */
  readonly transactions: number;
  readonly perSecond: number;
  /** Sessions that they are of. */
  readonly sessions: number;
  /** Transactions that are settled and forgotten, and those that are kept in memory. */
  readonly settled: number;
  readonly kept: number;
  /** Reads of values that no transaction has written yet, and the wait of the oldest of them in milliseconds. */
  readonly openReads: number;
  readonly oldestOpenMs: number;
  /** Longest wait of the latest transactions for their judgement, in milliseconds. */
  readonly lagMs: number;
  /** Keys with a known value. */
  readonly keys: number;
  /** Reads of forgotten values, which were believed; transactions that came after the horizon. */
  readonly believed: number;
  readonly late: number;
  /** Scans of tables: their returned rows were examined, rows that they passed over or counted were not. */
  readonly scans: number;
  /** Reads of values that no transaction wrote within the horizon, and writers that came later than that. */
  readonly unwritten: number;
  readonly lateWriters: number;
  /** Lines that came again, and were dropped. */
  readonly duplicates: number;
  /** Number of times that everything was read again from the log. */
  readonly reopened: number;
  readonly memoryBytes: number;
  readonly levels: ByLevel<Standing>;
  /** Number of lines in the latest look, for levels that stand and are judged by examining everything. */
  readonly looked: ByLevel<number>;
  readonly whyUndecided: ByLevel<string>;
  readonly alarms: readonly Alarm[];
}

/** A violation in the lines that were recorded so far. It is never taken back. */
export interface Alarm {
  /** Counted from 1. */
  readonly number: number;
  readonly level: LevelName;
  /** When it was found, in milliseconds since 1970. */
  readonly at: number;
  /** The names of the anomalies, such as `lost-update`. */
  readonly anomalies: readonly string[];
  /** Description of the anomaly, in a sentence. */
  readonly sentence: string;
  /** The line of the stream that completed it. */
  readonly line: number;
  /** The line that wrote once more a value that the alarm assumed to be written once; null if none did. */
  readonly contestedAt: number | null;
  /** The files that were written of it: a smallest history, the certificate for `isolab verify`, and its story. */
  readonly files: { readonly history: string; readonly certificate: string; readonly story: string } | null;
}
