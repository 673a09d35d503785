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
 * Reads a level that is written in the language of levels (docs/levels.md), and makes it known under its name in this
 * thread: `check`, `compare`, `shrink`, `story` and `verify` then take that name. Where isolab has a level with the
 * same axioms, its runs decide: `impliedBy` names it. Throws a LevelError for a text that is no level, with the place
 * in `file`.
 */
export function defineLevel(text: string, file: string = 'level.lvl'): DefinedLevel {
  const definition = readLevel(text, file);
  const { name } = definition;
  const same = sameLevel(definition);
  addDefinition(definition, same);
  const warning = same === null ? null : `${name} has the axioms of ${same}, and is decided as that level`;
  return { level: levelNamed(name), warning };
}
