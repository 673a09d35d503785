import type { KeyData as DataKind, KeyQuestion as Question } from '@isolab/collector';
import type { WorkloadRow } from '@isolab/workloads';

/** Statements of several terminals, in the order in which they are sent. */
export interface Schedule {
  readonly data: DataKind;
  /** Writes before the terminals begin, in one transaction. */
  readonly setup: readonly Question[];
  /** Number of clients that it takes. */
  readonly terminals: number;
  readonly transactions: readonly ScheduledTransaction[];
  readonly steps: readonly Step[];
  /** How it differs from the plain schedule, in words. */
  readonly differs: readonly string[];
}

export interface ScheduledTransaction {
  readonly name: string;
  readonly terminal: number;
  /** Whether it is one of the violation, or was put beside it. */
  readonly role: 'story' | 'beside';
}

export interface Step {
  /** Unique in the schedule, and a name for other tools: `T1_begin`, `T1_2`. */
  readonly name: string;
  readonly terminal: number;
  /** Its place in the list of transactions. */
  readonly transaction: number;
  readonly does: Action;
  /** The next statement is sent at once, without an answer to this one, to provoke races. */
  readonly rushes?: true;
  /** Reply in the violation: absent for inserted statements, and where the history does not state it. */
  readonly told?: Reply;
}

export type Action = { readonly kind: 'begin' | 'commit' | 'rollback' } | Question;
export type Reply = number | null | boolean | readonly number[] | readonly WorkloadRow[];

/** Returns whether an action asks for something within a transaction. */
export const isQuestion = (does: Action): does is Question =>
  does.kind !== 'begin' && does.kind !== 'commit' && does.kind !== 'rollback';

/** Keys and names that need no quoting in any language. */
export const PLAIN_NAME = /^[\w.:-]{1,60}$/;
