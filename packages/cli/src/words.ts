import { LEVELS, type Level, findLevel } from '@isolab/contract';
import { WORKLOADS, type Workload, findWorkload } from '@isolab/workloads';
import { UsageError } from './exit.ts';

export function workloadNamed(name: string): Workload {
  const workload = findWorkload(name);
  if (!workload) throw unknownWord('workload', name, [...WORKLOADS.map((each) => each.name), 'lightweight']);
  return workload;
}

export function wholeNumber(flag: string, word: string): number {
  if (!/^\d{1,9}$/.test(word) || Number(word) === 0)
    throw new UsageError(`${flag} takes a whole number of at least 1, not ${word}.`);
  return Number(word);
}

export function probability(flag: string, word: string): number {
  const number = Number(word);
  if (word.trim() === '' || !(number >= 0 && number <= 1))
    throw new UsageError(`${flag} takes a probability from 0 to 1, not ${word}.`);
  return number;
}

/** A level by any of its names, perhaps with a warning about that name. */
export function levelAsked(word: string): { readonly level: Level; readonly warning: string | null } {
  const found = findLevel(word);
  if (found) return found;
  const names = LEVELS.flatMap(({ name, aliases }) => [name, ...aliases]);
  throw unknownWord('level', word, names);
}

/** Says that there is none of that name, what was perhaps meant, and where all are listed. */
export const unknownWord = (what: string, word: string, known: readonly string[]): UsageError =>
  new UsageError(`There is no ${what} ${word}; ${orNearest(word, known)}isolab ${what}s lists them.`);

/** `did you mean weave? `, or nothing where no name is near. */
export function orNearest(word: string, known: readonly string[]): string {
  const near = known
    .map((name) => ({ name, edits: editsBetween(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(Math.min(word.length, name.length) / 3)))
    .toSorted((a, b) => a.edits - b.edits)[0];
  return near === undefined ? '' : `did you mean ${near.name}? `;
}

/** How many letters one types, leaves out or exchanges to get from one word to the other. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
