/** Repository of an archive at its commit: an existing bare clone, or a clone without contents in the cache. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sha256OfText } from '../experiment/checksum.ts';
import { BenchError } from '../experiment/errors.ts';
import { BlobReader, type GitCall, git } from './git.ts';

export interface Place {
  readonly repository: string;
  readonly commit: string;
}

export interface Access {
  readonly cache: string;
  /** A folder of bare clones, `OWNER+NAME/repo` or `OWNER/NAME.git`. */
  readonly mirror?: string;
  readonly signal?: AbortSignal;
}

/** Finds the bare clone of a repository in a folder of bare clones; null if there is none. */
export function mirrorOf(folder: string | undefined, repository: string): string | null {
  if (folder === undefined) return null;
  const [owner, name] = ownerAndName(repository);
  const places = [join(folder, `${owner}+${name}`, 'repo'), join(folder, owner, `${name}.git`)];
  return places.find((place) => existsSync(place)) ?? null;
}

export class Repository {
  /** Object of each file, by path. */
  readonly objects: ReadonlyMap<string, string>;
  readonly #folder: string;
  readonly #isMirror: boolean;
  readonly #access: Access;
  readonly #reader: Reader;
  readonly #blobs: BlobReader;

  private constructor(folder: string, isMirror: boolean, found: Found, access: Access) {
    this.#folder = folder;
    this.#isMirror = isMirror;
    this.#access = access;
    this.#reader = found.reader;
    this.#blobs = new BlobReader(found.reader.folder, found.reader.call);
    this.objects = found.objects;
  }

  /** Opens the mirror if it has the commit, otherwise the network. */
  static async open(place: Place, access: Access): Promise<Repository> {
    const mirror = mirrorOf(access.mirror, place.repository);
    let why = '';
    if (mirror !== null) {
      try {
        return new Repository(mirror, true, await objectsAt(mirror, place.commit, access), access);
      } catch (error) {
        why = `${mirror} does not have commit ${place.commit} (${(error as Error).message}); `;
      }
    } else if (access.mirror !== undefined) {
      const [owner, name] = ownerAndName(place.repository);
      why = `${access.mirror} has neither ${owner}+${name}/repo nor ${owner}/${name}.git; `;
    }
    try {
      const folder = await cloned(place, access);
      return new Repository(folder, false, await objectsAt(folder, place.commit, access), access);
    } catch (error) {
      const { message } = error as Error;
      const advice =
        message === 'interrupted' ? '' : '; try again with a network, or name a folder of bare clones with --mirror';
      throw new BenchError(`${why}${place.repository} cannot be cloned: ${message}${advice}`);
    }
  }

  /** Fetches the contents that are missing here. From a mirror nothing can be fetched. */
  async fetch(objects: readonly string[]): Promise<void> {
    if (this.#isMirror || objects.length === 0) return;
    const input = `${objects.join('\n')}\n`;
    const { folder, call } = this.#reader;
    const here = await git(folder, ['cat-file', '--batch-check'], { ...call, input });
    const missing = here.split('\n').flatMap((line) => (line.endsWith(' missing') ? [line.split(' ')[0]!] : []));
    if (missing.length === 0) return;
    // Does the same as git does in a clone without contents, but for many files in one request.
    const words = ['-c', 'fetch.negotiationAlgorithm=noop', 'fetch', '-q', 'origin', '--no-tags', '--stdin'];
    const options = ['--no-write-fetch-head', '--recurse-submodules=no', '--filter=blob:none', '--no-auto-maintenance'];
    const { signal } = this.#access;
    const asking = { ...(signal && { signal }), input: `${missing.join('\n')}\n` };
    await insistently(() => git(this.#folder, [...words, ...options], asking), signal);
  }

  /** Returns the content of an object. The error names a remedy if the clone lacks it. */
  async read(object: string): Promise<Buffer> {
    const content = await this.#blobs.read(object);
    if (content) return content;
    throw new BenchError(
      this.#isMirror
        ? `the mirror ${this.#folder} lacks the content; complete it with git fetch, or omit --mirror`
        : 'the server did not send the content; try again',
    );
  }

  close(): Promise<void> {
    return this.#blobs.close();
  }
}

interface Found {
  readonly objects: ReadonlyMap<string, string>;
  readonly reader: Reader;
}

/**
 * An empty repository that reads a clone's objects. A clone without contents requests each missing object from the
 * network. This repository does not, so missing objects are fetched in one request, and an object that a mirror lacks
 * is noticed.
 */
interface Reader {
  readonly folder: string;
  readonly call: GitCall;
}

/** Clones the commit and its folders without contents into the cache: a few seconds, for a repository of any size. */
async function cloned({ repository, commit }: Place, { cache, signal }: Access): Promise<string> {
  const name = `${ownerAndName(repository).join('+')}-${sha256OfText(repository).slice(0, 8)}`;
  const call = signal ? { signal } : {};
  const mark = `refs/isolab/${commit}`;
  const fetchCommit = (folder: string): Promise<void> => {
    const words = ['fetch', '-q', '--depth=1', '--filter=blob:none', '--no-tags', '--no-auto-maintenance'];
    return insistently(() => git(folder, [...words, 'origin', `+${commit}:${mark}`], call), signal);
  };
  const folder = await kept(join(cache, 'archives', name), async (unfinished) => {
    await git(unfinished, INIT, call);
    await git(unfinished, ['config', 'remote.origin.url', repository], call);
    await fetchCommit(unfinished);
  });
  if ((await git(folder, ['for-each-ref', mark], call)) === '') await fetchCommit(folder);
  return folder;
}

/**
 * Returns the folder, which is created atomically if it does not exist: an interruption leaves no partial folder in its
 * place.
 */
async function kept(folder: string, make: (unfinished: string) => Promise<unknown>): Promise<string> {
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.`);
  try {
    await make(unfinished);
    renameSync(unfinished, folder);
  } catch (error) {
    // If the folder exists, another process was faster.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** Tries three times, since networks fail now and then, unless the answer would be the same again. */
async function insistently(attempt: () => Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  for (const pause of PAUSES_MS) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (pause === null || signal?.aborted || FINAL.test((error as Error).message)) throw error;
      await setTimeout(pause);
    }
  }
}

/** Returns whether the server was reached and lacks the requested file. */
export const isRefusal = (error: unknown): boolean => error instanceof BenchError && /not our ref/.test(error.message);

const PAUSES_MS = [1000, 4000, null];
const FINAL =
  /not on the PATH|Could not resolve host|does not appear to be a git repository|not found|not our ref|Authentication|could not read Username/i;

async function objectsAt(clone: string, commit: string, { cache, signal }: Access): Promise<Found> {
  const call = { ...(signal && { signal }), objectsOf: resolve(clone) };
  const folder = await kept(join(cache, 'archives', 'reader'), (unfinished) => git(unfinished, INIT));
  const listing = await git(folder, ['ls-tree', '-r', '-z', '--full-tree', commit], call);
  const objects = new Map<string, string>();
  for (const line of listing.split('\0')) {
    const [, object, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    if (object !== undefined) objects.set(path!, object);
  }
  return { objects, reader: { folder, call } };
}

const INIT = ['init', '-q', '--bare', '--template='];

/** Last two names of an address. */
function ownerAndName(repository: string): [owner: string, name: string] {
  const [owner = 'archive', name = 'archive'] = repository
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .slice(-2);
  return [owner, name];
}
