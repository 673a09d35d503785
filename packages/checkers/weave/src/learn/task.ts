/** Input and result of an attempt at a strong level. */
import type { IndexedHistory, RunContext } from '@isolab/contract';
import type { Base } from '../hints/guess.ts';
import type { Search } from './search.ts';
import type { Model } from '../problem/model.ts';
import type { StrongOptions } from '../problem/options.ts';
import type { Known } from '../facts/known.ts';
import type { Narrowing } from '../facts/narrowing.ts';
import type { Tuning } from '../problem/tuning.ts';
import type { Versions } from '../problem/versions.ts';

export interface Task {
  readonly input: IndexedHistory;
  readonly model: Model;
  readonly base: Base;
  readonly versions: Versions;
  readonly options: StrongOptions;
  readonly tuning: Tuning;
  readonly context: RunContext;
}

/** Relations known at the start of a search. */
export interface KnownFacts {
  readonly versions: Versions;
  readonly known: Known | null;
  /** Record of how reads with several candidates became certain; null if there are no such reads. */
  readonly narrowing: Narrowing | null;
  readonly guess: Int32Array;
}

export interface Result extends KnownFacts {
  readonly search: Search;
}
