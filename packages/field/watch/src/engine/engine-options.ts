import type { LevelName } from '@isolab/contract';
import type { Proof } from './alarm.ts';
import type { Contest, SavedPremises } from './contests.ts';
import type { SavedOutcomes } from './late-outcomes.ts';
import type { SavedTimes } from './real-time.ts';
import type { SavedState } from './saved-state.ts';
import type { NewReader } from './snapshot.ts';
import type { UnwrittenRead } from './unwritten.ts';
import type { Log } from './violation.ts';

export interface EngineOptions {
  readonly name: string;
  /** The levels of one chain: each implies the next. */
  readonly levels: readonly LevelName[];
  readonly header: Uint8Array;
  readonly newReader: NewReader;
  readonly log: Log;
  readonly horizon: Horizon;
  /** Maximum number of transactions in a log that is checked again from the beginning. */
  readonly mostReopened: number;
  readonly timeMs: number;
  /** Whether a value may be written to a key more than once; `auto` assumes so from the first repetition on. */
  readonly values: 'auto' | 'repeated';
}

/**
 * Limit of lateness: a transaction does not precede any transaction that arrived this many transactions, or this long,
 * before it.
 */
export interface Horizon {
  readonly transactions: number;
  readonly ms: number;
}

export interface SavedEngine {
  readonly last: number;
  readonly levels: readonly LevelName[];
  readonly settled: number;
  readonly believed: number;
  readonly late: number;
  readonly reopened: number;
  readonly settledScans: number;
  readonly isWhole: boolean;
  readonly repeats: boolean;
  readonly lateOutcomes: SavedOutcomes;
  readonly isContradicted: boolean;
  readonly realTime: SavedTimes;
  readonly unwritten: readonly UnwrittenRead[];
  readonly lateWriters: number;
  readonly recheckFrom: number;
  readonly isRecheckOwed: boolean;
  readonly premises: SavedPremises;
  /** Number of each line in memory. */
  readonly numbers: readonly number[];
  readonly flags: readonly number[];
  readonly state: SavedState;
}

export interface Judged {
  readonly alarms: readonly { readonly level: LevelName; readonly proof: Proof }[];
  /** Levels that can no longer be decided, with the reasons. */
  readonly undecided: readonly { readonly level: LevelName; readonly why: string }[];
  readonly contests: readonly Contest[];
}
