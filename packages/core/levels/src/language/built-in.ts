import type { LevelDefinition, LevelFile } from './ast.ts';
import { LevelError } from './error.ts';
import { RECORDS, TEXTS, TIMED } from '../generated/levels.ts';
import type { BuiltInLevel } from './names.ts';
import { parseLevel } from './parse.ts';
import { type Library, resolveLevel } from './resolve.ts';
import { STATED, STATED_TEXT } from './stated.ts';

/** Registry records of every level that isolab knows; weak levels come before strong levels. */
export const LEVEL_RECORDS = RECORDS;
export { TIMED };

const files = new Map<BuiltInLevel, LevelFile>();
const levels = new Map<BuiltInLevel, LevelDefinition>();

const nameOf = (word: string): BuiltInLevel | null =>
  RECORDS.find(({ name, aliases }) => name === word || aliases.includes(word))?.name ?? null;

/** The levels that a file may include or imply. */
export const BUILT_IN: Library = {
  names: RECORDS.flatMap(({ name, aliases }) => [name, ...aliases]),
  find: (word) => {
    const name = nameOf(word);
    return name && builtInFile(name);
  },
};

export const builtInText = (name: BuiltInLevel | typeof STATED): string =>
  name === STATED ? STATED_TEXT : TEXTS[name as BuiltInLevel];

let stated: LevelDefinition | null = null;

/** Returns the level at which every transaction keeps the level that it states. It belongs to no lattice. */
export const statedLevel = (): LevelDefinition =>
  (stated ??= resolveLevel(parseLevel(STATED_TEXT, `${STATED}.lvl`), BUILT_IN));

function builtInFile(name: BuiltInLevel): LevelFile {
  const known = files.get(name);
  if (known) return known;
  const file = parseLevel(TEXTS[name], `${name}.lvl`);
  files.set(name, file);
  return file;
}

/** Returns the definition of the built-in level with this name or alias, or null if there is none. */
export function builtInLevel(word: string): LevelDefinition | null {
  const name = nameOf(word);
  if (name === null) return null;
  const known = levels.get(name);
  if (known) return known;
  const level = resolveLevel(builtInFile(name), BUILT_IN);
  levels.set(name, level);
  return level;
}

/** Parses the level in a user's file. Throws a LevelError. */
export function readLevel(source: string, file: string): LevelDefinition {
  const level = parseLevel(source, file);
  for (const name of [level.name, ...level.aliases])
    if (nameOf(name) !== null || name === STATED)
      throw new LevelError(
        { file, line: 1, column: 1 },
        `Found ${name}, which is a level of isolab; choose another name.`,
      );
  return resolveLevel(level, BUILT_IN);
}
