/** Reads the manifest of datasets and the lists of archives, and finds datasets in them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Archive, archivedDatasets } from './catalogue.ts';
import { BenchError } from '../experiment/errors.ts';
import type { Dataset, Manifest } from './manifest.ts';

/** Entries of a folder's manifest, of its archives, and of `local.json`, if it exists. */
export function readManifest(folder: string): Manifest {
  const read = (file: string): Manifest => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Manifest;
  const own = read('manifest.json');
  // The manifest has more facts about a history than a list.
  const named = new Set(own.datasets.map(({ id }) => id));
  const datasets = [...own.datasets, ...archivedDatasets(folder).filter(({ id }) => !named.has(id))];
  let added: Manifest;
  try {
    added = read(LOCAL_MANIFEST);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { version: 1, datasets };
    throw new BenchError(`${join(folder, LOCAL_MANIFEST)}: ${(error as Error).message}`);
  }
  return { version: 1, datasets: [...datasets, ...added.datasets] };
}

/** Entries of histories that stay on this machine. */
export const LOCAL_MANIFEST = 'local.json';

export function datasetNamed({ datasets }: Manifest, id: string): Dataset | null {
  return datasets.find((dataset) => dataset.id === id) ?? null;
}

/**
 * Returns the datasets that are named, that belong to a named archive, or whose ids begin with a word that ends in `/`;
 * all datasets if there are no words.
 */
export function chooseDatasets(
  { datasets }: Manifest,
  words: readonly string[],
  archives: readonly Archive[] = [],
): Dataset[] {
  if (words.length === 0) return [...datasets];
  const chosen = words.flatMap((word) => {
    const archive = archives.find(({ name, repository }) => name === word || repository.endsWith(`/${word}`));
    const found = datasets.filter(
      ({ id, source }) =>
        id === word ||
        (word.endsWith('/') && id.startsWith(word)) ||
        (archive && 'repository' in source && source.repository === archive.repository),
    );
    if (found.length > 0) return found;
    const names = archives.map(({ name }) => name).join(', ');
    throw new BenchError(
      `There is no dataset ${word}; isolab list datasets shows them all.${names && ` The archives are ${names}.`}`,
    );
  });
  return [...new Set(chosen)];
}
