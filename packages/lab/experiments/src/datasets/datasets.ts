/** Locations of datasets on this machine, and the check of their checksums. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Archive, readArchives } from './catalogue.ts';
import { checksumLike, isKnownToGitAlone, sha256OfFile } from '../experiment/checksum.ts';
import { beginsWith } from '../experiment/dataset-source.ts';
import { BenchError } from '../experiment/errors.ts';
import { resolveSource } from '../experiment/experiment.ts';
import { type Recipe, generated } from './generate.ts';
import { LocalFolder } from './local-folder.ts';
import type { Dataset, Manifest } from './manifest.ts';
import { datasetNamed, readManifest } from './read-manifest.ts';

export interface Located {
  readonly dataset: Dataset;
  readonly path: string;
  readonly sha256: string;
}

/** A dataset that is not available locally, with the reason and a remedy. */
export interface Missing {
  readonly dataset: Dataset | null;
  readonly reason: string;
}

export interface DatasetPlaces {
  /** The folder with manifest.json; null where there are no datasets. */
  readonly folder: string | null;
  readonly cache: string;
  /** Folder with more histories, matched by checksum. */
  readonly local: string | undefined;
}

export class Datasets {
  readonly manifest: Manifest;
  readonly archives: readonly Archive[];
  readonly #places: DatasetPlaces;
  #local: LocalFolder | null = null;

  constructor(places: DatasetPlaces) {
    this.#places = places;
    const { folder } = places;
    this.manifest = folder === null ? { version: 1, datasets: [] } : readManifest(folder);
    this.archives = folder === null ? [] : readArchives(folder);
  }

  /** Finds a dataset; generates it if it is not in the cache. Downloads nothing. */
  async locate(id: string): Promise<Located | Missing> {
    const dataset = datasetNamed(this.manifest, id);
    if (!dataset) return { dataset: null, reason: `there is no dataset ${id}; isolab list datasets shows them all` };
    if (dataset.source.kind === 'generated') return this.#generate(dataset);
    const path = await this.#find(dataset);
    if (path !== null) return { dataset, path, sha256: dataset.sha256 };
    const how =
      dataset.source.kind === 'public' || dataset.source.kind === 'archive'
        ? `isolab bench datasets get ${id}`
        : 'set ISOLAB_DATASETS to the folder that has it';
    return { dataset, reason: `the dataset ${id} is not available: ${how}` };
  }

  /** Ids that begin with one of the prefixes, in the order of the manifest, without duplicates. */
  distinctBelow(prefixes: readonly string[]): string[] {
    const first = new Map<string, string>();
    const isMeant = beginsWith(prefixes);
    for (const { id, sha256 } of this.manifest.datasets) if (isMeant(id) && !first.has(sha256)) first.set(sha256, id);
    return [...first.values()];
  }

  /** Returns whether the dataset is already here, with the least work. */
  async isHere(dataset: Dataset): Promise<boolean> {
    return dataset.source.kind === 'generated' || (await this.#find(dataset)) !== null;
  }

  async problemOf(dataset: Dataset): Promise<string | null> {
    const found = await this.locate(dataset.id);
    if (!('path' in found)) return found.reason;
    const sha256 = await checksumOf(found.path, dataset);
    if (sha256 === dataset.sha256) return null;
    const isFetched = found.path === this.#fetched(dataset);
    const advice = isFetched ? `; delete ${this.placeOf(dataset)} and get it again` : '';
    return `its checksum is ${sha256}, expected ${dataset.sha256}${advice}`;
  }

  async #generate(dataset: Dataset): Promise<Located | Missing> {
    if (dataset.source.kind !== 'generated') throw new BenchError(`The dataset ${dataset.id} is not generated.`);
    const recipe = resolveSource(dataset.source.recipe, 0, 'ci', 0, dataset.id) as Recipe;
    const { path, sha256 } = await generated(recipe, this.#places.cache);
    if (sha256 === dataset.sha256) return { dataset, path, sha256 };
    return {
      dataset,
      reason: `the recipe of ${dataset.id} no longer gives the same history (found the checksum ${sha256.slice(0, 12)}…, expected ${dataset.sha256.slice(0, 12)}…): the generators have changed`,
    };
  }

  async #find(dataset: Dataset): Promise<string | null> {
    const { source, sha256, bytes } = dataset;
    if (source.kind === 'committed') {
      const path = resolve(this.#places.folder!, source.path);
      return isThere(path) ? path : null;
    }
    if (source.kind === 'generated') return null;
    const fetched = this.#fetched(dataset);
    if (fetched !== null) return fetched;
    this.#local ??= new LocalFolder(this.#places.local);
    if (source.kind === 'archive') return source.ending === undefined ? this.#local.findFile({ sha256, bytes }) : null;
    return source.directory ? this.#local.findDirectory(source.files) : this.#local.findFile(source.files[0]!);
  }

  /** Path in the cache. If another file has the same content, its name may be that file's. */
  #fetched(dataset: Dataset): string | null {
    const place = this.placeOf(dataset);
    if (!isThere(place)) return null;
    const { source } = dataset;
    const isFolder =
      source.kind === 'archive' ? source.ending !== undefined : 'directory' in source && source.directory;
    if (isFolder) return place;
    const [name] = readdirSync(place);
    return name === undefined ? null : join(place, name);
  }

  get cache(): string {
    return this.#places.cache;
  }

  placeOf({ sha256 }: Dataset): string {
    return join(this.#places.cache, 'datasets', sha256);
  }
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** Checksum of a file, or of a directory's listing. The listing counts only files that belong to the dataset. */
async function checksumOf(path: string, { source, sha256 }: Dataset): Promise<string> {
  const isDirectory = statSync(path).isDirectory();
  if (!isDirectory && !isKnownToGitAlone(sha256)) return sha256OfFile(path);
  const names = 'files' in source ? new Set(source.files.map(({ name }) => name)) : null;
  const files = pathsOf(path)
    .map((file) => ({ name: basename(file), content: readFileSync(file) }))
    .filter(({ name }) => names === null || names.has(name));
  return checksumLike(sha256, files, isDirectory);
}

/** Files of a dataset as the manifest lists them. */
export async function filesOf(path: string): Promise<{ name: string; sha256: string; bytes: number }[]> {
  return Promise.all(
    pathsOf(path).map(async (file) => ({
      name: basename(file),
      sha256: await sha256OfFile(file),
      bytes: statSync(file).size,
    })),
  );
}

function pathsOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(path, entry.name)] : [])).toSorted();
}
