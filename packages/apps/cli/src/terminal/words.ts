import { didYouMean, KNOWN_LEVELS } from 'isolab/skin';
import { defineLevel, findLevel, type Level, LevelError } from 'isolab/check';
import { readFileSync } from 'node:fs';
import { UsageError } from './exit.ts';

/** Text for violated levels if all levels were requested. */
export const NOT_KEPT = 'not kept';

export function wholeNumber(flag: string, word: string): number {
  const isTooLarge = /^\d{10,}$/.test(word);
  if (isTooLarge || !/^\d{1,9}$/.test(word) || Number(word) === 0)
    throw new UsageError(
      `${flag} needs a whole number of at ${isTooLarge ? 'most 999999999' : 'least 1'}, not ${word === '' ? 'an empty word' : word}.`,
    );
  return Number(word);
}

export function probability(flag: string, word: string): number {
  const number = Number(word);
  if (word.trim() === '' || !(number >= 0 && number <= 1))
    throw new UsageError(`${flag} needs a probability from 0 to 1, not ${word}.`);
  return number;
}

/** Finds a level by any of its names, perhaps with a warning about that name. */
export function levelAsked(word: string | undefined): { readonly level: Level; readonly warning: string | null } {
  if (word === undefined) throw new UsageError('Missing --level LEVEL; isolab list levels lists them.');
  if (isLevelFile(word)) return levelInFile(word);
  const found = findLevel(word);
  if (found) return found;
  const names = KNOWN_LEVELS.flatMap(({ name, aliases }) => [name, ...aliases]);
  throw unknownWord('level', word, names);
}

/** Returns whether a word is the path of a level's file, such as `./mine.lvl`. */
export const isLevelFile = (word: string): boolean => word.endsWith('.lvl') || /^\.{0,2}\//.test(word);

function levelInFile(path: string): { readonly level: Level; readonly warning: string | null } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read the level ${path}: ${(error as Error).message}`);
  }
  try {
    return defineLevel(text, path);
  } catch (error) {
    if (error instanceof LevelError) throw new UsageError(error.message);
    throw error;
  }
}

/** Error for an unknown name, with the nearest known name and the command that lists them all. */
export const unknownWord = (what: string, word: string, known: readonly string[]): UsageError =>
  new UsageError(`There is no ${what} ${word}; ${didYouMean(word, known)}isolab list ${what}s lists them.`);

export function parseOptions(pairs: readonly string[], flag: string = '--option'): Record<string, string> {
  const found = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at <= 0) throw new UsageError(`${flag} needs name=value, not ${pair}.`);
    const name = pair.slice(0, at);
    if (found.has(name)) throw new UsageError(`${flag} has two values of ${name}; expected one.`);
    found.set(name, pair.slice(at + 1));
  }
  return Object.fromEntries(found);
}
