import type { SavedEngine } from './engine-options.ts';
import type { SavedNumbers } from './numbers.ts';
import type { SavedVerdicts } from './verdicts.ts';

/** Where watching is to go on. */
export interface Checkpoint extends SavedVerdicts {
  readonly isolab: 'watch';
  readonly version: 2;
  readonly since: number;
  readonly line: number;
  readonly isComplete: boolean;
  readonly transactions: number;
  readonly duplicates: number;
  readonly numbers: SavedNumbers;
  readonly engines: readonly SavedEngine[];
}
