import type { LevelName, Verdict } from '@isolab/contract';
import { type History, countKeys, countOperations, countSessions, countTransactions } from '@isolab/history';
import type { StageTime } from './board.ts';
import type { ErrorText } from './errors.ts';
import type { Evidence } from './evidence.ts';
import type { OptionValues } from './options.ts';
import type { Proof } from './proof.ts';

/** Where a checker runs. */
export type RunPlace = 'thread' | 'worker' | 'process';

/** Report of a run: plain data, which JSON can hold. */
export interface Report {
  readonly checker: string;
  readonly checkerVersion: string;
  readonly level: LevelName;
  readonly variant: string | null;
  /** Every option with its value. */
  readonly options: OptionValues;
  readonly place: RunPlace;
  readonly history: HistorySize;
  /** Whether exchanges and range reads were lowered: numbers in the verdict are then those of the lowered history. */
  readonly lowered: boolean;
  readonly verdict: Verdict;
  /** Supposition of a conditional verdict, as the end of a sentence; null for a verdict about the history alone. */
  readonly supposing: string | null;
  /** Whether the certificate was verified. */
  readonly proof: Proof;
  /** Whether the checker came from outside; its verdict without a proof is unverified. */
  readonly isPlugin: boolean;
  /** Where a plug-in was loaded from; null for a checker of isolab, or for one that was made in this thread. */
  readonly plugin: string | null;
  /** Evidence that a satisfied verdict rests on, or that was too little for one; otherwise null. */
  readonly evidence: Evidence | null;
  /** In the order in which they were first entered, each once; together they take `wallMs`. */
  readonly stages: readonly StageTime[];
  readonly counters: Readonly<Record<string, number>>;
  readonly steps: number;
  /** Time from the call of the checker to its answer. */
  readonly wallMs: number;
  /** CPU time of all threads of the process meanwhile; of nothing but this run if it had a process of its own. */
  readonly cpuMs: number;
  /** Peak of the process that it ran in, history and runtime included; null where the system does not report it. */
  readonly peakRssBytes: number | null;
  /** Time before that, to start the worker or process, hand the history over and load the checker. */
  readonly startMs: number;
  /** Error that the checker threw, for its author. */
  readonly error: ErrorText | null;
  /** Remarks of the host, such as that a certificate was too big. */
  readonly notes: readonly string[];
}

/** How big the history is, as it was given. */
export interface HistorySize {
  readonly sessions: number;
  readonly transactions: number;
  readonly operations: number;
  readonly keys: number;
}

export const sizeOf = (history: History): HistorySize => ({
  sessions: countSessions(history),
  transactions: countTransactions(history),
  operations: countOperations(history),
  keys: countKeys(history),
});
