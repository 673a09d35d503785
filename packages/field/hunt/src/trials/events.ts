import type { LevelName } from '@isolab/contract';
import type { Story } from 'isolab';
import type { Pending } from './folder.ts';
import type { Finding } from './finding.ts';
import type { TrialRecord } from './options.ts';

export interface HuntOptions {
  readonly folder: string;
  readonly connectMs: number;
  readonly stallMs: number;
  /** Whether the first finding is reproduced on the database as a schedule. */
  readonly reproduces: boolean;
  /** Time limit for the check of one history, in milliseconds. */
  readonly checkMs: number;
  readonly signal: AbortSignal;
  /** The Redis through which several machines share a hunt; absent for a single machine. */
  readonly queue?: string;
  /** Receives events. If it returns a promise, the promise is awaited before a finding counts. */
  readonly onEvent?: (event: HuntEvent) => void | Promise<void>;
}

export type HuntEvent =
  | { readonly kind: 'fetching'; readonly line: string }
  | {
      readonly kind: 'opened';
      readonly description: string;
      readonly levels: readonly { readonly isolation: string; readonly level: LevelName }[];
    }
  | { readonly kind: 'warning'; readonly text: string }
  | ({ readonly kind: 'collecting'; readonly leftSeconds: number | null } & Pending)
  | { readonly kind: 'collected'; readonly done: number }
  | { readonly kind: 'judged'; readonly record: TrialRecord }
  | { readonly kind: 'shrinking'; readonly folder: string; readonly checks: number }
  | { readonly kind: 'joined'; readonly worker: number; readonly seed: string }
  | { readonly kind: 'found'; readonly folder: string; readonly finding: Finding; readonly story: Story | null }
  | { readonly kind: 'found elsewhere'; readonly worker: number; readonly folder: string; readonly finding: Finding }
  | { readonly kind: 'reproducing'; readonly done: number; readonly of: number; readonly mostSeconds: number }
  | { readonly kind: 'reproduced'; readonly folder: string | null; readonly said: string };
