import { defineLevel, type LevelName } from 'isolab/check';
import type { AskedLevel, OwnLevel } from './protocol.ts';

/** The name of a level here: for a user's level, that of its text. */
export const nameOf = (level: AskedLevel): LevelName => (typeof level === 'string' ? level : define(level));

/** Makes a level known that the user wrote. */
export const define = ({ text }: OwnLevel): LevelName => defineLevel(text, OWN_LEVEL).level.name;

/** Name of the level in errors. */
const OWN_LEVEL = 'your level';
