import type { LevelName } from '@isolab/contract';
import type { Proof } from './alarm.ts';

/** What is known after some lines. */
export interface Judged {
  readonly alarms: readonly { readonly level: LevelName; readonly proof: Proof }[];
  /** Levels of which nobody knows any more whether they hold, and why. */
  readonly undecided: readonly { readonly level: LevelName; readonly why: string }[];
}
