/** Where datasets are on this machine, getting those that are not, and whether they are what they should be. */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';
import { sha256OfFile, sha256OfListing } from './checksum.ts';
import { BenchError } from './errors.ts';
import { resolveSource } from './experiment.ts';
import { type Recipe, generated } from './generate.ts';
import { LocalFolder } from './local-folder.ts';
import { type Dataset, type Manifest, type PublicFile, datasetNamed, readManifest } from './manifest.ts';

export interface Located {
  readonly dataset: Dataset;
  readonly path: string;
  readonly sha256: string;
}

/** Why a dataset is not here, and what to do about it. */
export interface Missing {
  readonly dataset: Dataset | null;
  readonly reason: string;
}

export interface DatasetPlaces {
  /** The folder with manifest.json. */
  readonly folder: string;
  readonly cache: string;
  /** A folder with more histories, matched by checksum. */
  readonly local: string | undefined;
}

export class Datasets {
  readonly manifest: Manifest;
  readonly #places: DatasetPlaces;
  #local: LocalFolder | null = null;

  constructor(places: DatasetPlaces) {
    this.#places = places;
    this.manifest = readManifest(places.folder);
  }

  /** Finds a dataset; a generated one is made if it is not in the cache. Nothing is downloaded. */
  async locate(id: string): Promise<Located | Missing> {
    const dataset = datasetNamed(this.manifest, id);
    if (!dataset) return { dataset: null, reason: `no dataset is called ${id}; isolab datasets list names them` };
    if (dataset.source.kind === 'generated') return this.#generate(dataset);
    const path = await this.#find(dataset);
    if (path !== null) return { dataset, path, sha256: dataset.sha256 };
    const how =
      dataset.source.kind === 'public'
        ? `isolab datasets get ${id}`
        : 'set ISOLAB_DATASETS to the folder that holds it';
    return { dataset, reason: `the dataset ${id} is not here: ${how}` };
  }

  /** Whether it is here already, without making or reading more than needed. */
  async isHere(dataset: Dataset): Promise<boolean> {
    return dataset.source.kind === 'generated' || (await this.#find(dataset)) !== null;
  }

  /** Gets a dataset: makes it or downloads it, and checks what came. */
  async get(id: string): Promise<Located> {
    const found = await this.locate(id);
    if ('path' in found) return found;
    const { dataset } = found;
    const source = dataset?.source;
    if (!dataset || source?.kind !== 'public') throw new BenchError(found.reason);
    const { repository, commit, files, directory } = source;
    const target = this.#downloaded(dataset);
    const unfinished = `${target}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    try {
      for (const file of files)
        await download(rawUrl(repository, commit, file.path), file, join(unfinished, file.name));
      rmSync(target, { recursive: true, force: true });
      renameSync(unfinished, target);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
    return { dataset, path: directory ? target : join(target, files[0]!.name), sha256: dataset.sha256 };
  }

  /** What is wrong with a dataset that is here; null if nothing is. */
  async problemOf(dataset: Dataset): Promise<string | null> {
    const found = await this.locate(dataset.id);
    if (!('path' in found)) return found.reason;
    const sha256 = await sha256Of(found.path, dataset);
    return sha256 === dataset.sha256 ? null : `its checksum is ${sha256}, expected ${dataset.sha256}`;
  }

  async #generate(dataset: Dataset): Promise<Located | Missing> {
    if (dataset.source.kind !== 'generated') throw new BenchError(`${dataset.id} is not generated.`);
    const recipe = resolveSource(dataset.source.recipe, 0, 'ci', 0, dataset.id) as Recipe;
    const { path, sha256 } = await generated(recipe, this.#places.cache);
    if (sha256 === dataset.sha256) return { dataset, path, sha256 };
    return {
      dataset,
      reason: `the recipe of ${dataset.id} gives another history than it did (checksum ${sha256.slice(0, 12)}…, expected ${dataset.sha256.slice(0, 12)}…): the generators have changed`,
    };
  }

  async #find({ source, sha256, bytes, ...rest }: Dataset): Promise<string | null> {
    if (source.kind === 'committed') {
      const path = resolve(this.#places.folder, source.path);
      return isThere(path) ? path : null;
    }
    if (source.kind === 'generated') return null;
    const target = this.#downloaded({ source, sha256, bytes, ...rest });
    const downloaded = source.directory ? target : join(target, source.files[0]!.name);
    if (isThere(downloaded)) return downloaded;
    this.#local ??= new LocalFolder(this.#places.local);
    return source.directory ? this.#local.findDirectory(source.files) : this.#local.findFile(source.files[0]!);
  }

  #downloaded({ sha256 }: Dataset): string {
    return join(this.#places.cache, 'datasets', sha256);
  }
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** Of a file, or of a directory's listing, in which only those files count that belong to the dataset. */
async function sha256Of(path: string, { source }: Dataset): Promise<string> {
  if (!statSync(path).isDirectory()) return sha256OfFile(path);
  const files = await filesOf(path);
  const names = 'files' in source ? new Set(source.files.map(({ name }) => name)) : null;
  return sha256OfListing(files.filter(({ name }) => names === null || names.has(name)));
}

/** The files of a dataset as the manifest lists them. */
export async function filesOf(path: string): Promise<{ name: string; sha256: string; bytes: number }[]> {
  const isDirectory = statSync(path).isDirectory();
  const paths = isDirectory
    ? readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [join(path, entry.name)] : []))
    : [path];
  return Promise.all(
    paths.toSorted().map(async (file) => ({
      name: basename(file),
      sha256: await sha256OfFile(file),
      bytes: statSync(file).size,
    })),
  );
}

/** `https://github.com/OWNER/NAME` as the place of single files; any other address is the folder that holds them. */
export function rawUrl(repository: string, commit: string, path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const [, ofGitHub] = /^https:\/\/github\.com\/([^/]+\/[^/]+?)(?:\.git)?\/?$/.exec(repository) ?? [];
  if (ofGitHub !== undefined) return `https://raw.githubusercontent.com/${ofGitHub}/${commit}/${encoded}`;
  return `${repository.replace(/\/$/, '')}/${encoded}`;
}

async function download(url: string, { sha256, bytes }: PublicFile, path: string): Promise<void> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new BenchError(
      `${url} cannot be reached: ${((error as Error).cause as Error | undefined)?.message ?? (error as Error).message}`,
    );
  }
  if (!response.ok) throw new BenchError(`${url} answered ${response.status} ${response.statusText}.`);
  writeFileSync(path, Buffer.from(await response.arrayBuffer()));
  const found = await sha256OfFile(path);
  if (found === sha256) return;
  throw new BenchError(
    `${url} is not what was expected: its checksum is ${found}, expected ${sha256} (${bytes} bytes).`,
  );
}
