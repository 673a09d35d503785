/** This file must not load any package, because the main thread of a child process has to start quickly. */
import type { Budget, CheckerReason, CheckerVerdict } from '@isolab/contract';
import type { ErrorText } from './errors.ts';

export interface RunOutcome {
  readonly verdict: CheckerVerdict;
  /** Error that the checker threw, if any. */
  readonly error: ErrorText | null;
  /** Remarks of the host. */
  readonly notes: readonly string[];
}

export const unknown = (reason: CheckerReason, detail: string, error: ErrorText | null = null): RunOutcome => ({
  verdict: { status: 'unknown', reason, detail: shortened(detail) },
  error,
  notes: [],
});

/** Truncates a checker's text, which may have any length. */
export const shortened = (text: string): string =>
  text.length <= LONGEST_DETAIL ? text : `${text.slice(0, LONGEST_DETAIL)}…`;

const LONGEST_DETAIL = 4000;

export const timeoutDetail = ({ timeMs = 0 }: Budget): string => `the time limit of ${timeMs / 1000} s has passed`;

export const memoryDetail = ({ memoryBytes = 0 }: Budget): string =>
  `the memory limit of ${(memoryBytes / 1e6).toFixed(0)} MB is exceeded`;
