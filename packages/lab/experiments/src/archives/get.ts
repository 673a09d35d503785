/**
 * Fetches datasets from archives: several repositories in parallel, with one clone per repository. Checksums are
 * verified.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { checksumLike, isKnownToGitAlone } from '../experiment/checksum.ts';
import type { Datasets } from '../datasets/datasets.ts';
import { BenchError } from '../experiment/errors.ts';
import type { ArchivedSource, Dataset, PublicSource } from '../datasets/manifest.ts';
import { type Access, Repository, isRefusal } from './repository.ts';

export interface GetOptions {
  readonly mirror?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (doneBytes: number, allBytes: number) => void;
}

export interface Gap {
  readonly dataset: Dataset;
  readonly reason: string;
}

type OfArchive = Dataset & { readonly source: PublicSource | ArchivedSource };

export const isPublic = (dataset: Dataset): dataset is OfArchive =>
  dataset.source.kind === 'public' || dataset.source.kind === 'archive';

/** Absent datasets to fetch, one per distinct content. */
export async function absentOf(datasets: Datasets, wanted: readonly Dataset[]): Promise<Dataset[]> {
  const absent = new Map<string, Dataset>();
  for (const dataset of wanted)
    if (isPublic(dataset) && !absent.has(dataset.sha256) && !(await datasets.isHere(dataset)))
      absent.set(dataset.sha256, dataset);
  return [...absent.values()];
}

/** Number of bytes to fetch. For contents of unknown size, assumes the size of the largest ones. */
export const bytesOf = (datasets: readonly Dataset[]): number =>
  datasets.reduce((sum, { bytes, sha256 }) => sum + (isKnownToGitAlone(sha256) ? GUESSED_BYTES : bytes), 0);

const GUESSED_BYTES = 20e6;

/**
 * Fetches absent datasets. A dataset that cannot be fetched becomes a gap with a reason. Fetched datasets stay, even if
 * a later fetch fails.
 */
export async function fetchAbsent(
  datasets: Datasets,
  absent: readonly Dataset[],
  { mirror, signal, onProgress }: GetOptions,
): Promise<Gap[]> {
  const access = { cache: datasets.cache, ...(mirror !== undefined && { mirror }), ...(signal && { signal }) };
  const all = bytesOf(absent);
  let done = 0;
  const over = (dataset: Dataset): void => onProgress?.((done += bytesOf([dataset])), all);
  const waiting = byRepository(absent.filter(isPublic));
  const gaps: Gap[] = [];
  const work = async (): Promise<void> => {
    for (let group = waiting.shift(); group; group = waiting.shift())
      gaps.push(...(await fetchGroup(datasets, group, access, over)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return gaps;
}

const AT_ONCE = 4;

function byRepository(datasets: readonly OfArchive[]): OfArchive[][] {
  const groups = new Map<string, OfArchive[]>();
  for (const dataset of datasets) {
    const place = `${dataset.source.repository} ${dataset.source.commit}`;
    const group = groups.get(place);
    if (group) group.push(dataset);
    else groups.set(place, [dataset]);
  }
  return [...groups.values()];
}

/** Fetches the datasets of one repository in batches. A fetched batch is kept even if the next one fails. */
async function fetchGroup(
  datasets: Datasets,
  group: readonly OfArchive[],
  access: Access,
  over: (dataset: Dataset) => void,
): Promise<Gap[]> {
  let repository: Repository;
  try {
    repository = await Repository.open(group[0]!.source, access);
  } catch (error) {
    return group.map((dataset) => ({ dataset, reason: messageOf(error) }));
  }
  try {
    const gaps: Gap[] = [];
    const portions = portionsOf(group);
    while (portions.length > 0) {
      const portion = portions.shift()!;
      try {
        await repository.fetch(portion.flatMap(({ source }) => objectsOf(repository, source)));
      } catch (error) {
        // If a server lacks one object, it sends nothing of the batch, so its datasets are fetched one by one.
        const isAnswer = isRefusal(error);
        if (isAnswer && portion.length > 1) portions.unshift(...portion.map((dataset) => [dataset]));
        else
          for (const dataset of isAnswer ? portion : [portion, ...portions.splice(0)].flat())
            gaps.push({ dataset, reason: reasonOf(error) });
        continue;
      }
      for (const dataset of portion) {
        const reason = await keep(repository, dataset, datasets.placeOf(dataset)).then(() => null, reasonOf);
        if (reason !== null) gaps.push({ dataset, reason });
        over(dataset);
      }
    }
    return gaps;
  } finally {
    await repository.close();
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const reasonOf = (error: unknown): string =>
  isRefusal(error) ? 'the server no longer has the content; name a clone that has it with --mirror' : messageOf(error);

/** Small enough to show progress and to lose little when interrupted, large enough for few requests. */
const PORTION_BYTES = 16e6;

function portionsOf(group: readonly OfArchive[]): OfArchive[][] {
  const portions: OfArchive[][] = [];
  let room = 0;
  for (const dataset of group) {
    const bytes = bytesOf([dataset]);
    if (room < bytes || portions.length === 0) {
      portions.push([]);
      room = PORTION_BYTES;
    }
    portions.at(-1)!.push(dataset);
    room -= bytes;
  }
  return portions;
}

/** Paths of a dataset's files; empty if its folder does not exist. */
function pathsOf({ objects }: Repository, source: PublicSource | ArchivedSource): string[] {
  if (source.kind === 'public') return source.files.map(({ path }) => path);
  const { path, ending } = source;
  if (ending === undefined) return [path];
  return [...objects.keys()].filter((file) => file.endsWith(ending) && `${dirname(file)}/` === path);
}

const objectsOf = (repository: Repository, source: PublicSource | ArchivedSource): string[] =>
  pathsOf(repository, source).flatMap((path) => repository.objects.get(path) ?? []);

/** Moves the files of a dataset into place atomically, if their checksums are right. */
async function keep(repository: Repository, dataset: OfArchive, place: string): Promise<void> {
  const files = await checkedFiles(repository, dataset);
  mkdirSync(dirname(place), { recursive: true });
  const unfinished = mkdtempSync(`${place}.`);
  try {
    for (const { name, content } of files) writeFileSync(join(unfinished, name), content);
    rmSync(place, { recursive: true, force: true });
    renameSync(unfinished, place);
  } catch (error) {
    // If the place exists, another process may have put the same content there.
    if (!existsSync(place)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

interface Content {
  readonly name: string;
  readonly content: Buffer;
}

async function checkedFiles(repository: Repository, { source, sha256 }: OfArchive): Promise<Content[]> {
  const { commit } = source;
  const paths = pathsOf(repository, source);
  if (source.kind === 'archive' && paths.length === 0)
    throw absentAt(`${source.path}*${source.ending!}`, source.repository, commit);
  const names = new Map(source.kind === 'public' ? source.files.map(({ path, name }) => [path, name]) : []);
  const files: Content[] = [];
  for (const path of paths) {
    const object = repository.objects.get(path);
    if (object === undefined) throw absentAt(path, source.repository, commit);
    files.push({ name: basename(names.get(path) ?? path), content: await repository.read(object) });
  }
  const isFolder = source.kind === 'public' ? source.directory : source.ending !== undefined;
  const found = checksumLike(sha256, files, isFolder);
  if (found === sha256) return files;
  const what = isFolder
    ? `the files of ${dirname(paths[0]!)} at commit ${commit} are`
    : `${paths[0]!} at commit ${commit} is`;
  throw new BenchError(`${what} not as the manifest expects: found the checksum ${found}, expected ${sha256}`);
}

const absentAt = (path: string, repository: string, commit: string): BenchError =>
  new BenchError(`${repository} has no ${path} at commit ${commit}; the manifest names a path that does not exist`);
