import type { LevelName } from '@isolab/contract';
import { LEVELS as SATURATION_LEVELS, type SaturationLevel } from './premises.ts';
import { SEARCH_LEVELS, type SearchLevel } from './search/steps.ts';

export type DbcopLevel = SaturationLevel | SearchLevel;

export const LEVELS = [...SATURATION_LEVELS, ...SEARCH_LEVELS] as const satisfies readonly LevelName[];

/** The levels that are decided by search, not by saturation alone. */
export const isSearched = (level: DbcopLevel): level is SearchLevel =>
  (SEARCH_LEVELS as readonly DbcopLevel[]).includes(level);
