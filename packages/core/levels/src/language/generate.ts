import type { LevelDefinition, LevelFile } from './ast.ts';
import { LevelError } from './error.ts';
import { parseLevel } from './parse.ts';
import type { LevelRecord } from '../generated/record.ts';
import { comparesTimes, resolveLevel } from './resolve.ts';

/** A level's file: its name without `.lvl`, and its text. */
export interface LevelText {
  readonly name: string;
  readonly text: string;
}

/**
 * Generates a module with the texts and records of the level files, weak levels first, for environments without files.
 */
export function levelsModule(texts: readonly LevelText[]): string {
  const levels = levelsOf(texts);
  const records = recordsOf(levels);
  const textOf = new Map(texts.map(({ name, text }) => [name, text]));
  return [
    '// Written by npm run generate from the files of packages/core/levels/levels.',
    "import type { LevelRecord } from './record.ts';",
    '',
    `export const NAMES = ${JSON.stringify(records.map(({ name }) => name))} as const;`,
    `export const ALIASES = ${JSON.stringify(records.flatMap(({ aliases }) => aliases))} as const;`,
    '/** Levels that compare times. */',
    `export const TIMED: readonly string[] = ${JSON.stringify(records.map(({ name }) => name).filter((name) => comparesTimes(levels.get(name)!)))};`,
    '',
    'export const RECORDS: readonly LevelRecord<(typeof NAMES)[number]>[] = [',
    ...records.map((record) => `  ${JSON.stringify(record)},`),
    '];',
    '',
    'export const TEXTS: Readonly<Record<(typeof NAMES)[number], string>> = {',
    ...records.map(({ name }) => `  ${JSON.stringify(name)}: ${JSON.stringify(textOf.get(name))},`),
    '};',
    '',
  ].join('\n');
}

function levelsOf(texts: readonly LevelText[]): ReadonlyMap<string, LevelDefinition> {
  const files = texts.map(({ name, text }) => fileNamed(name, text));
  const find = (name: string): LevelFile | null =>
    files.find((file) => file.name === name || file.aliases.includes(name)) ?? null;
  const library = { names: files.map(({ name }) => name), find };
  return new Map(files.map((file) => [file.name, resolveLevel(file, library)]));
}

function recordsOf(levels: ReadonlyMap<string, LevelDefinition>): LevelRecord[] {
  const ordered = new Set<string>();
  const add = (name: string, above: readonly string[]): void => {
    if (above.includes(name)) throw new Error(`${[...above, name].join(' implies ')}: the implications form a cycle.`);
    if (ordered.has(name)) return;
    for (const weaker of levels.get(name)!.implies) add(weaker, [...above, name]);
    ordered.add(name);
  };
  for (const name of [...CORE_LEVELS, ...[...levels.keys()].toSorted()]) add(name, []);
  return Array.from(ordered, (name) => {
    const { title, summary, aliases, implies } = levels.get(name)!;
    return { name, title, summary, aliases, implies };
  });
}

function fileNamed(name: string, text: string): LevelFile {
  const file = parseLevel(text, `${name}.lvl`);
  if (file.name === name) return file;
  throw new LevelError(
    { file: `${name}.lvl`, line: 1, column: 1 },
    `Found level ${file.name}, expected level ${name}.`,
  );
}

/**
 * The levels that special checkers decide, weak levels before strong levels. `isolab check --level all` checks them.
 */
export const CORE_LEVELS = [
  'cut-isolation',
  'read-committed-pl2',
  'read-committed',
  'read-committed-dbcop',
  'read-atomic',
  'causal',
  'prefix',
  'adya-snapshot-isolation',
  'generalized-snapshot-isolation',
  'snapshot-isolation',
  'strong-session-snapshot-isolation',
  'strong-snapshot-isolation',
  'plain-serializable',
  'serializable',
  'strict-serializable',
  'linearizable',
] as const;
