import { type BuiltInLevel, type LevelDefinition, type LevelName, builtInLevel } from '@isolab/levels';

const users = new Map<string, LevelDefinition>();
const sameAxioms = new Map<string, BuiltInLevel>();

/**
 * Makes a user's level known under its name, in this thread: wherever a level is named, its definition is looked up here.
 * A later one of the same name takes its place. `same` is the level of isolab that has the same axioms, if there is one.
 */
export function addDefinition(definition: LevelDefinition, same: BuiltInLevel | null = null): void {
  const { name } = definition;
  users.set(name, definition);
  if (same === null) sameAxioms.delete(name);
  else sameAxioms.set(name, same);
}

/** The level that checkers decide in the place of one: that of isolab with the same axioms, or the level itself. */
export const decidedAs = (name: LevelName): LevelName => sameAxioms.get(name) ?? name;

/** Definition of a level, of a user's or one that comes with isolab; null for a name that is no level's. */
export const definitionOf = (name: string): LevelDefinition | null => users.get(name) ?? builtInLevel(name);

/** A user's level under one of its names, or null. */
export const userDefinition = (word: string): LevelDefinition | null =>
  users.get(word) ?? [...users.values()].find(({ aliases }) => aliases.includes(word)) ?? null;
