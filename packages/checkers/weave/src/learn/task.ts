import type { IndexedHistory, RunContext } from '@isolab/contract';
import type { Base } from '../hints/guess.ts';
import type { Search } from './search.ts';
import type { Model } from '../problem/model.ts';
import type { StrongOptions } from '../problem/options.ts';
import type { Known } from '../facts/known.ts';
import type { Narrowing } from '../facts/narrowing.ts';
import type { Tuning } from '../problem/tuning.ts';
import type { Versions } from '../problem/versions.ts';

/** A history at a level. */
export interface Task {
  readonly input: IndexedHistory;
  readonly model: Model;
  readonly base: Base;
  readonly versions: Versions;
  readonly options: StrongOptions;
  readonly tuning: Tuning;
  readonly context: RunContext;
}

/** Start of a search. */
export interface KnownFacts {
  readonly versions: Versions;
  readonly known: Known | null;
  /** How reads came to be certain that could have seen several versions; null where none did. */
  readonly narrowing: Narrowing | null;
  /** The order of transactions that the replay follows. */
  readonly guess: Int32Array;
}

/** An order, or a contradiction. */
export interface Result extends KnownFacts {
  readonly search: Search;
}
