import type { LevelName } from '@isolab/contract';
import type { Horizon } from '../engine/engine-options.ts';
import type { Lines } from '../stream/lines.ts';
import type { Alarm } from './status.ts';
import type { Log } from '../engine/violation.ts';

export interface WatchOptions {
  /** Name of the watched source, for messages. */
  readonly name: string;
  readonly levels: readonly LevelName[];
  readonly horizon: Horizon;
  /** Time limit for one judgement, in milliseconds. */
  readonly timeMs: number;
  readonly values: 'auto' | 'repeated';
  readonly log: WatchLog;
  /** Maximum number of transactions in a log that is checked again from the beginning. */
  readonly mostReopened: number;
  /**
   * A judgement is due after this many transactions or bytes, or this many milliseconds after the first of them. Each
   * judgement also reads the unsettled lines again, so a fast stream needs large batches.
   */
  readonly batch: { readonly transactions: number; readonly bytes: number; readonly ms: number };
  /** Folder for the evidence of alarms; null to write no evidence. */
  readonly alarmFolder: string | null;
  /** A clock in milliseconds. */
  readonly clock?: () => number;
  readonly onAlarm?: (alarm: Alarm) => void;
}

export const DEFAULTS = {
  horizon: { transactions: 10_000, ms: 60_000 },
  batch: { transactions: 40_000, bytes: 12_000_000, ms: 250 },
  values: 'auto',
  mostReopened: 1_000_000,
  timeMs: 60_000,
} as const satisfies Partial<WatchOptions>;

/** A growing log. Its first line is the header. */
export interface WatchLog extends Log {
  /** The number of the last line; 0 if the log is empty. */
  readonly last: number;
  append(bytes: Uint8Array, from: number, to: number, number: number): void;
  /** Makes appended lines survive the end of this process. */
  flush(): void;
  /** Yields the lines after the given number in chunks; without marks, or with them. */
  chunks(after?: number): Iterable<Lines>;
  linesAfter(number: number): Iterable<Lines>;
}

/** Returns a log without its beginning: the header, and the initial transaction if there is one. */
export const logBehind = (log: WatchLog, line: number): Log => ({
  get transactions() {
    return log.transactions;
  },
  get isWhole() {
    return log.isWhole;
  },
  chunks: () => log.chunks(line),
  line: (number) => log.line(number),
});
