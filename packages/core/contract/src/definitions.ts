import {
  type BuiltInLevel,
  type LevelDefinition,
  type LevelName,
  STATED,
  builtInLevel,
  statedLevel,
} from '@isolab/levels';

const users = new Map<string, LevelDefinition>();
const sameAxioms = new Map<string, BuiltInLevel>();

/**
 * Registers a user's level under its name in this thread: every lookup of a level's name finds its definition here. A
 * later definition with an equal name replaces it. `same` is the built-in level with equivalent axioms, if there is
 * one.
 */
export function addDefinition(definition: LevelDefinition, same: BuiltInLevel | null = null): void {
  const { name } = definition;
  users.set(name, definition);
  if (same === null) sameAxioms.delete(name);
  else sameAxioms.set(name, same);
}

/**
 * Returns the level that checkers decide instead of a level: the built-in level with equivalent axioms, or the level
 * itself.
 */
export const decidedAs = (name: LevelName): LevelName => sameAxioms.get(name) ?? name;

/** Returns the definition of a level; null for an unknown name. */
export const definitionOf = (name: string): LevelDefinition | null => userDefinition(name) ?? builtInLevel(name);

/** Returns the user's level with this name or alias, or the level of stated levels; null for all other names. */
export function userDefinition(word: string): LevelDefinition | null {
  if (word === STATED) return statedLevel();
  return users.get(word) ?? [...users.values()].find(({ aliases }) => aliases.includes(word)) ?? null;
}
