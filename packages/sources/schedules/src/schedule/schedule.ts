import type { KeyData as DataKind, KeyQuestion as Question } from '@isolab/collector';
import type { WorkloadRow } from '@isolab/workloads';

/** Statements of several terminals, in sending order. */
export interface Schedule {
  readonly data: DataKind;
  /** Writes before the terminals begin, in one transaction. */
  readonly setup: readonly Question[];
  readonly terminals: number;
  readonly transactions: readonly ScheduledTransaction[];
  readonly steps: readonly Step[];
  /** Differences from the plain schedule, in words. */
  readonly differs: readonly string[];
}

export interface ScheduledTransaction {
  readonly name: string;
  readonly terminal: number;
  /** Whether the transaction is a part of the violation or was added to it. */
  readonly role: 'story' | 'beside';
}

export interface Step {
  /** Name, unique in the schedule, that other tools accept as well: `T1_begin`, `T1_2`. */
  readonly name: string;
  readonly terminal: number;
  /** Index in the list of transactions. */
  readonly transaction: number;
  readonly does: Action;
  /** To provoke races, the next statement is sent without waiting for the answer to this statement. */
  readonly rushes?: true;
  /** Reply in the violation; absent for added statements, and where the history does not state the reply. */
  readonly told?: Reply;
}

export type Action = { readonly kind: 'begin' | 'commit' | 'rollback' } | Question;
export type Reply = number | null | boolean | readonly number[] | readonly WorkloadRow[];

/** Returns whether an action is a request within a transaction. */
export const isQuestion = (does: Action): does is Question =>
  does.kind !== 'begin' && does.kind !== 'commit' && does.kind !== 'rollback';

/** Keys and names that need no quotes in any language. */
export const PLAIN_NAME = /^[\w.:-]{1,60}$/;
