import type { Known } from './known.ts';
import type { Narrowing } from './narrowing.ts';
import type { Search } from './search.ts';
import type { Versions } from './versions.ts';

/** What a search starts from. */
export interface Facts {
  readonly versions: Versions;
  readonly known: Known | null;
  /** How reads came to be certain that could have seen several versions; null where none did. */
  readonly narrowing: Narrowing | null;
}

export interface Result extends Facts {
  readonly search: Search;
}
