/** Finds the experiments: all JSON files one folder below benchmarks/. */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { explainSystemError } from '@isolab/formats';
import { BenchError } from './errors.ts';
import { type ExperimentFile, SCALES, type Series } from './experiment.ts';
import { placedAt } from './plug-ins.ts';

/** Loads all experiments, ordered by the names of their papers and files. */
export function loadExperiments(folder: string): ExperimentFile[] {
  const experiments: ExperimentFile[] = [];
  for (const paper of foldersIn(folder)) {
    for (const file of readdirSync(join(folder, paper)).toSorted(byNumber)) {
      if (file.endsWith('.json') && file !== 'package.json' && !file.startsWith('tsconfig'))
        experiments.push(loadExperiment(join(folder, paper, file), `${paper}/${file.slice(0, -'.json'.length)}`));
    }
  }
  return experiments;
}

/** Loads an experiment from a file outside benchmarks/. */
export const loadExperimentFile = (path: string): ExperimentFile =>
  loadExperiment(path, basename(path).replace(/\.json$/, ''));

function loadExperiment(path: string, id: string): ExperimentFile {
  const text = textAt(path);
  let data: ExperimentFile;
  try {
    data = placedAt(JSON.parse(text) as ExperimentFile, dirname(path));
  } catch (error) {
    throw new BenchError(`${path} is not valid JSON: ${(error as Error).message}`);
  }
  const problem = problemOf(data, id);
  if (problem !== null)
    throw new BenchError(`${path}: ${problem} The schema is packages/lab/experiments/schema/experiment.schema.json.`);
  // A claim belongs to the paper only if the file says so.
  const series = data.series.map((one) => withHistory(one, data));
  return { ...data, series, holds: data.holds.map((claim) => ({ ...claim, origin: claim.origin ?? 'sanity' })) };
}

function textAt(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new BenchError(`${path}: ${explainSystemError(error as NodeJS.ErrnoException)}`);
  }
}

/** Returns a series with the history of the series that `historyOf` names. */
function withHistory({ historyOf, ...own }: Series, { series }: ExperimentFile): Series {
  const other = series.find(({ name }) => name === historyOf);
  const { history, constant } = other ?? {};
  return { ...own, ...(history !== undefined && { history }), ...(constant !== undefined && { constant }) };
}

/**
 * Returns a problem of an experiment's data that would break a run. The schema, which the tests apply, checks the rest.
 */
function problemOf(data: ExperimentFile, id: string): string | null {
  if (data.id !== id) return `the id is ${String(data.id)}, expected ${id}, the name of the file.`;
  for (const field of ['grid', 'history', 'series', 'limits', 'repeats', 'level', 'holds', 'published'] as const)
    if (typeof data[field] === 'undefined') return `the field ${field} is missing.`;
  if (!Array.isArray(data.holds)) return 'holds is not a list.';
  const strange = data.holds.find(({ origin = 'sanity' }) => origin !== 'paper' && origin !== 'sanity');
  if (strange) return `a claim has the origin ${String(strange.origin)}, expected paper or sanity.`;
  for (const scale of SCALES) {
    if (!Array.isArray(data.grid[scale])) return `the grid has no points at scale ${scale}.`;
    if (!(data.limits[scale]?.seconds > 0) || !(data.limits[scale]?.megabytes > 0))
      return `the limits at scale ${scale} are not above 0.`;
    if (!(data.repeats[scale] >= 1)) return `the number of repeats at scale ${scale} is below 1.`;
  }
  const names = data.series.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) return `two series have the name ${twice}.`;
  for (const { name, historyOf, history } of data.series) {
    if (historyOf === undefined) continue;
    if (history !== undefined) return `${name} has both history and historyOf.`;
    const other = data.series.find((one) => one.name === historyOf);
    if (other === undefined || other.historyOf !== undefined)
      return `historyOf of ${name} is ${historyOf}, expected the name of a series with its own history.`;
  }
  return null;
}

/**
 * Chooses experiments whose id is one of the words, or lies in a folder of that name; `all` chooses all experiments.
 */
export function chooseExperiments(all: readonly ExperimentFile[], words: readonly string[]): ExperimentFile[] {
  const chosen = new Set<ExperimentFile>();
  for (const word of words) {
    const found = all.filter(({ id }) => word === 'all' || id === word || id.startsWith(`${word.replace(/\/$/, '')}/`));
    if (found.length === 0)
      throw new BenchError(`There is no experiment ${word}; isolab list experiments shows them all.`);
    for (const experiment of found) chosen.add(experiment);
  }
  return [...chosen];
}

const foldersIn = (folder: string): string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== 'kernels')
      .map(({ name }) => name)
      .toSorted();
  } catch {
    throw new BenchError(`There is no folder ${folder} with experiments.`);
  }
};

/** fig8 before fig10. */
const byNumber = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
