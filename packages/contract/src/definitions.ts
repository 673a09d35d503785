import { type Level as Definition, builtInLevel } from '@isolab/levels';

const users = new Map<string, Definition>();

/**
 * Makes a user's level known under its name, in this thread: wherever a level is named, its definition is looked up here.
 * A later one of the same name takes its place.
 */
export function addDefinition(definition: Definition): void {
  users.set(definition.name, definition);
}

/** What a level means, of a user's or one that comes with isolab; null for a name that is no level's. */
export const definitionOf = (name: string): Definition | null => users.get(name) ?? builtInLevel(name);

/** A user's level under one of its names, or null. */
export const userDefinition = (word: string): Definition | null =>
  users.get(word) ?? [...users.values()].find(({ aliases }) => aliases.includes(word)) ?? null;
