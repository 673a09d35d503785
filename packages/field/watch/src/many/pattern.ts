import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const isPattern = (word: string): boolean => /[*?[]/.test(word);

/** Finds the files that match a pattern such as `shards/*.jsonl`, with the rules of a shell except for `**`. */
export function filesOf(pattern: string): string[] {
  let found = [pattern.startsWith('/') ? '/' : ''];
  for (const part of pattern.split('/').filter((each) => each !== '')) {
    found = isPattern(part)
      ? found.flatMap((folder) => namesIn(folder, part).map((name) => join(folder, name)))
      : found.map((folder) => join(folder, part));
  }
  return found.toSorted();
}

function namesIn(folder: string, pattern: string): string[] {
  const expression = new RegExp(`^${pattern.replaceAll(/\[[^\]]+\]|[\s\S]/g, oneOf)}$`, 'u');
  try {
    return readdirSync(folder === '' ? '.' : folder).filter(
      (name) => expression.test(name) && (!name.startsWith('.') || pattern.startsWith('.')),
    );
  } catch {
    return []; // not a readable folder
  }
}

function oneOf(part: string): string {
  if (part === '*') return '.*';
  if (part === '?') return '.';
  if (part.length > 1 && part.startsWith('['))
    return `[${part.slice(1, -1).replace(/^!/, '^').replaceAll(/[\\[]/g, '\\$&')}]`;
  return part.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
