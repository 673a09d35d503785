import { type Level, addDefinition, levelNamed } from '@isolab/contract';
import { readLevel, sameLevel } from '@isolab/levels';

/** A user-defined level and its compiled form. */
export interface DefinedLevel {
  /** The user's level under its own name. */
  readonly level: Level;
  /** Message that names the equivalent level of isolab, which is decided instead; null if there is none. */
  readonly warning: string | null;
}

/**
 * Parses a level in the language of levels (docs/levels.md) and registers its name in this thread, so that `check`,
 * `compare`, `shrink`, `story` and `verify` accept the name. If a level of isolab has the same axioms, that level is
 * checked instead, and `impliedBy` names it. Throws a LevelError with the place in `file` if the text is not a valid
 * level.
 */
export function defineLevel(text: string, file: string = 'level.lvl'): DefinedLevel {
  const definition = readLevel(text, file);
  const { name } = definition;
  const same = sameLevel(definition);
  addDefinition(definition, same);
  const warning = same === null ? null : `${name} has the axioms of ${same}, and is decided as that level`;
  return { level: levelNamed(name), warning };
}
