import { type Level, addDefinition, findLevel, levelNamed } from '@isolab/contract';
import { readLevel, sameLevel } from '@isolab/levels';

/** A level that a user defined, and what isolab makes of it. */
export interface DefinedLevel {
  /** The level under which histories are checked: the user's, or one of isolab that has the same axioms. */
  readonly level: Level;
  /** Says so, where it is one of isolab. */
  readonly warning: string | null;
}

/**
 * Reads a level that is written in the language of levels (docs/levels.md), and makes it known under its name in this
 * thread, so that `check`, `compare`, `shrink`, `story` and `verify` take that name. Throws a LevelError for a text that is
 * no level, with the place in `file`.
 */
export function defineLevel(text: string, file: string = 'level.lvl'): DefinedLevel {
  const definition = readLevel(text, file);
  const same = sameLevel(definition);
  const known = same === null ? null : findLevel(same);
  if (known !== null)
    return {
      level: known.level,
      warning: `${definition.name} has the axioms of ${same}, and is decided as that level`,
    };
  addDefinition(definition);
  return { level: levelNamed(definition.name), warning: null };
}
