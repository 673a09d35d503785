/** The manifest of datasets: named histories, where they come from, and what is known about them. */
import type { LevelName } from '@isolab/contract';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from './errors.ts';
import type { GeneratedSource } from './experiment.ts';

export interface Manifest {
  readonly version: 1;
  readonly datasets: readonly Dataset[];
}

export interface Dataset {
  readonly id: string;
  readonly title: string;
  /** The name of a format of packages/formats. */
  readonly format: string;
  /** Of the file; of a directory, of the lines `name NUL sha256 LF` of its files in the order of their names. */
  readonly sha256: string;
  readonly bytes: number;
  readonly sizes: Sizes | null;
  readonly database: string | null;
  /** The figure or table that it was made for or used in. */
  readonly figure: string | null;
  readonly source: DatasetOrigin;
  readonly expected: readonly Expected[];
  /** What is known to be odd about it. */
  readonly oddities?: readonly string[];
}

export interface Sizes {
  readonly sessions: number;
  readonly transactions: number;
  readonly operations: number;
  readonly keys: number;
}

export interface Expected {
  readonly level: LevelName;
  readonly verdict: 'satisfied' | 'violated';
  /** Who says so. */
  readonly by: string;
}

export type DatasetOrigin =
  /** A file of this repository; the path is relative to the folder of the manifest. */
  | { readonly kind: 'committed'; readonly path: string }
  /** Made by the simulated database; the checksum is that of the history in isolab's format. */
  | { readonly kind: 'generated'; readonly recipe: GeneratedSource }
  | {
      readonly kind: 'public';
      /** `https://github.com/OWNER/NAME`. */
      readonly repository: string;
      readonly commit: string;
      readonly licence: string;
      readonly files: readonly PublicFile[];
      /** Whether the dataset is a directory of these files. */
      readonly directory: boolean;
    }
  /** Only where ISOLAB_DATASETS points; found by checksum. */
  | { readonly kind: 'local'; readonly files: readonly Omit<PublicFile, 'path'>[]; readonly directory: boolean };

export interface PublicFile {
  /** In the repository. */
  readonly path: string;
  /** How the file is called where it is kept. */
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** The manifest of a folder, and the entries that were added beside it (`local.json`), if any. */
export function readManifest(folder: string): Manifest {
  const read = (file: string): Manifest => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Manifest;
  const own = read('manifest.json');
  let added: Manifest;
  try {
    added = read(LOCAL_MANIFEST);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return own;
    throw new BenchError(`${join(folder, LOCAL_MANIFEST)}: ${(error as Error).message}`);
  }
  return { version: 1, datasets: [...own.datasets, ...added.datasets] };
}

/** Entries of histories that stay on this machine. */
export const LOCAL_MANIFEST = 'local.json';

export function datasetNamed({ datasets }: Manifest, id: string): Dataset | null {
  return datasets.find((dataset) => dataset.id === id) ?? null;
}

/** Those that are named, or whose ids begin with a word that ends in `/`; all without words. */
export function chooseDatasets({ datasets }: Manifest, words: readonly string[]): Dataset[] {
  if (words.length === 0) return [...datasets];
  return words.flatMap((word) => {
    const found = datasets.filter(({ id }) => id === word || (word.endsWith('/') && id.startsWith(word)));
    if (found.length === 0) throw new BenchError(`There is no dataset ${word}; isolab datasets list names them.`);
    return found;
  });
}
