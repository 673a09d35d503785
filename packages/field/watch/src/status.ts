import type { LevelName } from '@isolab/contract';

/** What became of a level: it holds in everything that came so far, it was violated, or nobody knows. */
export type Standing = 'stands' | 'violated' | 'undecided';

/** What is known at a moment; plain data. */
export interface WatchStatus {
  /** What is watched. */
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
  /** Those that are settled and forgotten, and those that are kept in memory. */
  readonly settled: number;
  readonly kept: number;
  /** Reads of what nobody has written yet, and for how many milliseconds the oldest of them has waited. */
  readonly openReads: number;
  readonly oldestOpenMs: number;
  /** For how many milliseconds the latest transactions waited for their judgement, at the longest. */
  readonly lagMs: number;
  /** Keys of which a value is known. */
  readonly keys: number;
  /** Reads of what was forgotten, which were believed; transactions that came after the horizon. */
  readonly believed: number;
  readonly late: number;
  /** Scans of tables: the rows that they returned were looked at, and what they passed over or counted was not. */
  readonly scans: number;
  /** Reads of what nobody wrote within the horizon, and writers that came later than that. */
  readonly unwritten: number;
  readonly lateWriters: number;
  /** Lines that came again, and were dropped. */
  readonly duplicates: number;
  /** How often everything was read again from the log. */
  readonly reopened: number;
  readonly memoryBytes: number;
  readonly levels: Readonly<Partial<Record<LevelName, Standing>>>;
  /** Of levels that stand and are judged by looks at everything: how many lines the latest look took in. */
  readonly looked: Readonly<Partial<Record<LevelName, number>>>;
  readonly whyUndecided: Readonly<Partial<Record<LevelName, string>>>;
  readonly alarms: readonly Alarm[];
}

/** A violation of what was recorded so far. It is never taken back. */
export interface Alarm {
  /** Counted from 1. */
  readonly number: number;
  readonly level: LevelName;
  /** When it was found, in milliseconds since 1970. */
  readonly at: number;
  /** The names of the anomalies, such as `lost-update`. */
  readonly anomalies: readonly string[];
  /** What happened, in a sentence. */
  readonly sentence: string;
  /** The line of the stream that completed it. */
  readonly line: number;
  /** The line that wrote once more a value that the alarm took for written once; null if none did. */
  readonly contestedAt: number | null;
  /** The files that were written of it: a smallest history, the certificate for `isolab verify`, and its story. */
  readonly files: { readonly history: string; readonly certificate: string; readonly story: string } | null;
}
