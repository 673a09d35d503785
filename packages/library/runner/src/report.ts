import type { LevelName, Verdict } from '@isolab/contract';
import { type History, countKeys, countOperations, countSessions, countTransactions } from '@isolab/history';
import type { StageTime } from './board.ts';
import type { ErrorText } from './errors.ts';
import type { Evidence } from './evidence.ts';
import type { OptionValues } from './options.ts';
import type { Proof } from './proof.ts';

/** Where a checker runs. */
export type RunPlace = 'thread' | 'worker' | 'process';

/** Report of a run, as plain data that JSON can represent. */
export interface Report {
  readonly checker: string;
  readonly checkerVersion: string;
  readonly level: LevelName;
  readonly variant: string | null;
  readonly options: OptionValues;
  readonly place: RunPlace;
  readonly history: HistorySize;
  /** Whether exchanges and range reads were lowered. If so, numbers in the verdict refer to the lowered history. */
  readonly lowered: boolean;
  readonly verdict: Verdict;
  /** Condition of a conditional verdict, as the end of a sentence; null for an unconditional verdict. */
  readonly supposing: string | null;
  readonly proof: Proof;
  /** Whether the checker is foreign code. Without a proof its verdict is unverified. */
  readonly isPlugin: boolean;
  /** Location of a plug-in; null for a checker of isolab, or for a checker made in this thread. */
  readonly plugin: string | null;
  /** Evidence for a satisfied verdict, or the evidence that was insufficient; otherwise null. */
  readonly evidence: Evidence | null;
  /** In the order of first entry, without duplicates; their times add up to `wallMs`. */
  readonly stages: readonly StageTime[];
  readonly counters: Readonly<Record<string, number>>;
  readonly steps: number;
  /** Time from the call of the checker to its return. */
  readonly wallMs: number;
  /** CPU time of all threads of the process during `wallMs`. It covers only this run if the run had its own process. */
  readonly cpuMs: number;
  /** Peak memory of the process of the run, including history and runtime; null where the system does not report it. */
  readonly peakRssBytes: number | null;
  /** Time to start the worker or process, to transfer the history and to load the checker. */
  readonly startMs: number;
  /** Error that the checker threw, for the checker's author. */
  readonly error: ErrorText | null;
  /** Remarks of the host, such as that a certificate was too big. */
  readonly notes: readonly string[];
}

/** Size of the given history. */
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
