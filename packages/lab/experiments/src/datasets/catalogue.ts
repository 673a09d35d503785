/** Datasets from archives: `archives.json` and the generated lists of their histories. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../experiment/errors.ts';
import type { Dataset } from './manifest.ts';

/** A public repository of histories, at a commit. */
export interface Archive {
  /** Name of the archive in `isolab bench datasets get`. */
  readonly name: string;
  readonly title: string;
  /** First word of the ids of its histories. */
  readonly prefix: string;
  readonly repository: string;
  readonly commit: string;
  readonly licence: string;
  /** Folder that ids omit. */
  readonly root: string;
  /** The first matching rule counts. Files without a rule are not histories. */
  readonly rules: readonly Rule[];
  readonly leftOut: readonly { readonly path: string; readonly because: string }[];
}

export interface Rule {
  /** Beginning of the paths, relative to the root. */
  readonly under: string;
  /** Part of the path, if `under` is not enough. */
  readonly within?: string;
  readonly ending: string;
  /** Whether all matching files of a folder form one history. */
  readonly together?: boolean;
  readonly format: string;
  readonly database?: string;
  readonly figure?: string;
}

export interface Listed {
  /** Path of the file in the repository; ends in `/` if a folder is one history. */
  readonly path: string;
  /** Null if the content was not available. */
  readonly bytes: number | null;
  readonly sha256: string;
  /** An earlier history with the same content. */
  readonly sameAs: string | null;
}

export function readArchives(folder: string): Archive[] {
  const path = join(folder, 'archives.json');
  if (!existsSync(path)) return [];
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { archives: Archive[] }).archives;
  } catch (error) {
    throw new BenchError(`${path}: ${(error as Error).message}`);
  }
}

export const listFile = (folder: string, { name }: Archive): string => join(folder, 'archives', `${name}.txt`);

/** All histories of all archives. Histories with the content of an earlier one refer to it, even in another archive. */
export function archivedDatasets(folder: string): Dataset[] {
  const first = new Map<string, string>();
  return readArchives(folder).flatMap((archive) => {
    const file = listFile(folder, archive);
    if (!existsSync(file)) return [];
    return parseList(readFileSync(file, 'utf8'), file).map((listed) => {
      const id = idOf(archive, listed.path);
      const sameAs = first.get(listed.sha256) ?? null;
      if (sameAs === null) first.set(listed.sha256, id);
      return datasetOf(archive, { ...listed, sameAs }, id, file);
    });
  });
}

/** Finds the first rule that matches a path; the path of a folder that is one history ends in `/`. */
export function ruleFor(archive: Archive, path: string): Rule | undefined {
  const below = belowRoot(archive, path);
  return archive.rules.find(
    ({ under, within = '', ending, together = false }) =>
      below.startsWith(under) && below.includes(within) && (below.endsWith('/') ? together : below.endsWith(ending)),
  );
}

const belowRoot = ({ root }: Archive, path: string): string => (path.startsWith(root) ? path.slice(root.length) : path);

/** A folder that holds only a `history.bincode` is named instead of the file. */
const idOf = (archive: Archive, path: string): string =>
  `${archive.prefix}/${belowRoot(archive, path)
    .replace(/\/history\.bincode$/, '.bincode')
    .replace(/\/$/, '')}`;

function datasetOf(archive: Archive, { path, bytes, sha256, sameAs }: Listed, id: string, file: string): Dataset {
  const rule = ruleFor(archive, path);
  if (!rule)
    throw new BenchError(`${file}: no rule of archives.json matches ${path}. Write the list again with npm run archives.`);
  const { repository, commit, licence } = archive;
  return {
    id,
    title: `${id.slice(archive.prefix.length + 1)} of ${archive.title}`,
    format: rule.format,
    sha256,
    bytes: bytes ?? 0,
    sizes: null,
    database: rule.database ?? null,
    figure: rule.figure ?? null,
    source: {
      kind: 'archive',
      repository,
      commit,
      licence,
      path,
      ...(path.endsWith('/') && { ending: rule.ending }),
      ...(sameAs !== null && { sameAs }),
    },
    expected: [],
  };
}

/**
 * A list has a line for each folder, `[folder/]`, and below it a line for each history: its name, its size in bytes and
 * its checksum; or `?` and git's object name if the content was not available; or `=` and the path of the first copy
 * for a duplicate.
 */
export function parseList(text: string, file: string): Listed[] {
  const known = new Map<string, Listed>();
  let folder = '';
  for (const [i, line] of text.split('\n').entries()) {
    if (line === '' || line.startsWith('#')) continue;
    const wrong = (expected: string): BenchError =>
      new BenchError(
        `${file}: line ${i + 1}: found ${line}, expected ${expected}. Write the list again with npm run archives.`,
      );
    if (line.startsWith('[') && line.endsWith(']')) {
      folder = line.slice(1, -1);
      continue;
    }
    const [, name, bytes, known256, byGit, copied] = LINE.exec(line) ?? [];
    if (name === undefined) throw wrong('a name, bytes and a SHA-256, or a name, = and a path, separated by tabs');
    const path = folder + name;
    const first = copied === undefined ? null : known.get(copied);
    if (first === undefined) throw wrong('the path of an earlier history after =');
    const listed = first
      ? { path, bytes: first.bytes, sha256: first.sha256, sameAs: first.path }
      : { path, bytes: bytes === undefined ? null : Number(bytes), sha256: (known256 ?? byGit)!, sameAs: null };
    if (known.has(path)) throw wrong(`each history once; ${path} also stands above`);
    known.set(path, listed);
  }
  return [...known.values()];
}

const LINE = /^(.+?)\t(?:(\d+)\t([0-9a-f]{64})|\?\t(git-[0-9a-f]{40,64})|=\t(.+))$/;

/** Inverse of parseList. */
export function listText(head: readonly string[], histories: readonly Listed[]): string {
  const lines = head.map((line) => `# ${line}`);
  let before = '';
  for (const { path, bytes, sha256, sameAs } of histories) {
    const cut =
      path
        .replace(/\/$/, '')
        .replace(/\/history\.bincode$/, '')
        .lastIndexOf('/') + 1;
    const folder = path.slice(0, cut);
    if (folder !== before) lines.push(`[${(before = folder)}]`);
    lines.push(`${path.slice(cut)}\t${sameAs === null ? `${bytes ?? '?'}\t${sha256}` : `=\t${sameAs}`}`);
  }
  return `${lines.join('\n')}\n`;
}
