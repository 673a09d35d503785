/** Plug-ins that experiments name by file: workloads, distributions, faults, checkers. */
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { sha256OfFile } from './checksum.ts';

/** Makes paths of plug-ins, which are relative to this folder, absolute. */
export function placedAt<T>(data: T, folder: string): T {
  const placed = (word: string): string =>
    /^\.{1,2}\//.test(word) && SCRIPT.test(word) ? resolve(folder, word) : word;
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return placed(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [placed(name), walk(each)]));
  };
  return walk(data) as T;
}

/** Returns a recipe as text, which changes when a plug-in that it names has changed. */
export async function textOf(recipe: object): Promise<string> {
  const files = new Set<string>();
  JSON.stringify(recipe, (name, value: unknown) => {
    for (const word of [name, value])
      if (typeof word === 'string' && isAbsolute(word) && SCRIPT.test(word) && existsSync(word)) files.add(word);
    return value;
  });
  const sums = await Promise.all([...files].toSorted().map((file) => sha256OfFile(file)));
  return [JSON.stringify(recipe), ...sums].join(' ');
}

const SCRIPT = /\.[cm]?[jt]s$/;
