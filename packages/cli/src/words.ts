import { type Workload, findWorkload } from '@isolab/workloads';
import { UsageError } from './exit.ts';

export function workloadNamed(name: string): Workload {
  const workload = findWorkload(name);
  if (!workload) throw new UsageError(`There is no workload ${name}; isolab workloads lists them.`);
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
