/**
 * Hashes the code that determines a checker's results: its own, that of our packages that it uses, and the versions of
 * outside packages.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Hashes the code that a module runs, given as a file URL; only the file itself if it belongs to no package. */
export function codeVersion(url: string): string {
  const path = fileURLToPath(url);
  const root = packageRoot(path);
  const hash = createHash('sha256');
  if (root === null) return hash.update(readFileSync(path)).digest('hex').slice(0, 16);
  const roots = new Set<string>();
  collectRoots(root, roots);
  for (const each of [...roots].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    const { version } = manifestOf(each);
    hash.update(`${nameOf(each)}@${version ?? ''}\n`);
    for (const other of outsiders(each)) hash.update(`${other}\n`);
    for (const file of codeFiles(each)) hash.update(file.name).update(readFileSync(file.path));
  }
  return hash.digest('hex').slice(0, 16);
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function packageRoot(path: string): string | null {
  for (let folder = dirname(realpathSync(path)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) return null;
  }
}

const manifestOf = (root: string): Manifest => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const nameOf = (root: string): string => manifestOf(root).name ?? root;

/** Collects the package and its dependencies in the workspace. */
function collectRoots(root: string, roots: Set<string>): void {
  if (roots.has(root)) return;
  roots.add(root);
  for (const name of dependenciesOf(root).filter(isOurs)) {
    const found = findDependency(root, name);
    if (found !== null) collectRoots(found, roots);
  }
}

/** Dependencies of a package outside this repository, with their installed versions. */
const outsiders = (root: string): string[] =>
  dependenciesOf(root)
    .filter((name) => !isOurs(name))
    .map((name) => {
      const found = findDependency(root, name);
      return `${name}@${(found && manifestOf(found).version) ?? 'absent'}`;
    });

const dependenciesOf = (root: string): string[] => Object.keys(manifestOf(root).dependencies ?? {}).toSorted();
const isOurs = (name: string): boolean => name.startsWith('@isolab/');

function findDependency(from: string, name: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (folder === dirname(folder)) return null;
  }
}

/** Code files in dist/, or beside package.json if there is no such folder. */
function codeFiles(root: string): { name: string; path: string }[] {
  const folder = existsSync(join(root, 'dist')) ? join(root, 'dist') : root;
  return (readdirSync(folder, { recursive: true, encoding: 'utf8' }) as string[])
    .filter((name) => /\.[cm]?js$|\.wasm$/.test(name) && !name.includes('node_modules'))
    .toSorted()
    .map((name) => ({ name, path: join(folder, name) }));
}
