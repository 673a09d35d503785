import type { HuntFolder, Pending } from './folder.ts';
import type { TrialRecord } from './options.ts';

/** A history that was collected, and not judged yet. */
export interface Collected extends Pending, Pick<TrialRecord, 'committed' | 'aborted' | 'unknown' | 'seconds'> {
  readonly path: string;
  /** The reason why the history is incomplete. */
  readonly failure: string | null;
}

/** Returns the remains of the trial that was in progress when a hunt ended. */
export const leftBehind = (pending: Pending, folder: HuntFolder): Collected => ({
  ...pending,
  path: folder.historyOf(pending.trial),
  committed: 0,
  aborted: 0,
  unknown: 0,
  seconds: 0,
  failure: 'the hunt ended before this history was judged',
});
