import { defineLevel, type LevelName } from 'isolab/check';
import type { AskedLevel, OwnLevel } from './protocol.ts';

/** Name of a level here; a user's level is named by its text. */
export const nameOf = (level: AskedLevel): LevelName => (typeof level === 'string' ? level : define(level));

/** Defines a level from the user's text. */
export const define = ({ text }: OwnLevel): LevelName => defineLevel(text, OWN_LEVEL).level.name;

/** Name of the user's level in errors. */
const OWN_LEVEL = 'your level';
