import type { ALIASES, NAMES } from '../generated/levels.ts';

export type BuiltInLevel = (typeof NAMES)[number];

export type LevelAlias = (typeof ALIASES)[number];

/** The name of a level that a user defined. */
export type UserLevel = string & { readonly [ofUser]: true };
declare const ofUser: unique symbol;

export type LevelName = BuiltInLevel | UserLevel;
