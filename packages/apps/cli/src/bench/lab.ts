import { didYouMean } from 'isolab/skin';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { Datasets, type ExperimentFile, type Tools, chooseExperiments, readTools } from '@isolab/experiments';
import { UsageError } from '../terminal/exit.ts';
import { commandFile } from '../terminal/own-package.ts';

/** Root for names: experiments outside benchmarks/ need no laboratory around them. */
export function rootOf(words: readonly string[], asked: string | undefined): string {
  const isAlone = asked === undefined && areFiles(words);
  return isAlone ? (labAbove(process.cwd()) ?? process.cwd()) : rootFolder(asked);
}

/** Folder of experiments, datasets and reports: the nearest folder upwards with benchmarks/ and datasets/. */
export function rootFolder(asked: string | undefined): string {
  if (asked !== undefined) return resolve(asked);
  const lab = labAbove(process.cwd());
  if (lab !== null) return lab;
  throw new UsageError(
    'There are no folders benchmarks/ and datasets/ here or in a parent folder. Name their folder with --root, or create one with isolab new lab FOLDER.',
  );
}

function labAbove(folder: string): string | null {
  if (existsSync(join(folder, 'benchmarks')) && isLab(folder)) return folder;
  return folder === dirname(folder) ? null : labAbove(dirname(folder));
}

const isLab = (folder: string): boolean => existsSync(join(folder, 'datasets', 'manifest.json'));

/** Returns whether a word names an experiment by its file. */
export const isFile = (word: string): boolean => word.endsWith('.json');

export const areFiles = (words: readonly string[]): boolean => words.length > 0 && words.every(isFile);

/** Datasets of a root, and the cache, which ISOLAB_CACHE may relocate. */
export function datasetsOf(root: string): { readonly datasets: Datasets; readonly cache: string } {
  const cache = process.env['ISOLAB_CACHE'] ?? join(root, '.cache', 'isolab');
  const local = process.env['ISOLAB_DATASETS'];
  const folder = isLab(root) ? join(root, 'datasets') : null;
  return { cache, datasets: new Datasets({ folder, cache, local }) };
}

export const toolsOf = (root: string, asked: string | undefined): Tools =>
  readTools([join(root, 'benchmarks', 'tools.json'), asked ?? process.env['ISOLAB_TOOLS']], commandFile());

/** Experiments that the words name: ids, papers, or `all`. */
export function experimentsNamed(all: readonly ExperimentFile[], words: readonly string[]): ExperimentFile[] {
  const ids = all.map(({ id }) => id);
  for (const word of words) {
    const paper = `${word.replace(/\/$/, '')}/`;
    if (word === 'all' || ids.some((id) => id === word || id.startsWith(paper))) continue;
    const known = [...ids, ...new Set(all.map((experiment) => experiment.paper))];
    throw new UsageError(
      `There is no experiment ${word}; ${didYouMean(word, known)}isolab list experiments lists them.`,
    );
  }
  return chooseExperiments(all, words);
}
