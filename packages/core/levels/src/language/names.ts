import type { ALIASES, NAMES } from '../generated/levels.ts';

export type BuiltInLevel = (typeof NAMES)[number];

export type LevelAlias = (typeof ALIASES)[number];

/** The name of a level that a user defined. */
export type UserLevel = string & { readonly 'level of a user': true };

export type LevelName = BuiltInLevel | UserLevel;
