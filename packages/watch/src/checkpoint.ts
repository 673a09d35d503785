import type { LevelName } from '@isolab/contract';
import type { SavedEngine } from './engine.ts';
import type { Alarm, Standing } from './status.ts';

/** Where watching is to go on. */
export interface Checkpoint {
  readonly isolab: 'watch';
  readonly version: 1;
  readonly since: number;
  readonly line: number;
  readonly isComplete: boolean;
  readonly transactions: number;
  readonly standing: readonly (readonly [LevelName, Standing])[];
  readonly reasons: readonly (readonly [LevelName, string])[];
  readonly alarms: readonly Alarm[];
  readonly engines: readonly SavedEngine[];
}
