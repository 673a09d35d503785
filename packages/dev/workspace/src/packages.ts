/** Reads the manifests of the workspace's packages. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

export interface WorkspacePackage {
  readonly name: string;
  readonly folder: string; // relative to the root, with forward slashes: packages/core/history
  readonly dependencies: readonly string[]; // packages that the sources need: dependencies, peer and optional ones
  readonly devDependencies: readonly string[];
  readonly entries: readonly string[]; // entry points for others, as specifiers: @isolab/history
}

interface Manifest {
  readonly name?: string;
  readonly workspaces?: readonly string[];
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Every folder with a package.json that the root's `workspaces` match: paths in which `*` stands for any one folder.
 */
export function workspaceFolders(root: string): string[] {
  const entries = readManifest(root, '.').workspaces ?? [];
  return entries
    .flatMap((entry) => foldersAt(root, entry.split('/')))
    .filter((folder) => existsSync(path.join(root, folder, 'package.json')))
    .toSorted();
}

function foldersAt(root: string, names: readonly string[]): string[] {
  let folders = [''];
  for (const name of names)
    folders = folders.flatMap((folder) => (name === '*' ? subfolders(root, folder) : [path.posix.join(folder, name)]));
  return folders;
}

export function readPackages(root: string): WorkspacePackage[] {
  return workspaceFolders(root).map((folder) => readPackage(root, folder));
}

/** Third-party packages of the root: tools that every package's tests may use. */
export function readRootTools(root: string): string[] {
  return Object.keys(readManifest(root, '.').devDependencies ?? {});
}

function readPackage(root: string, folder: string): WorkspacePackage {
  const manifest = readManifest(root, folder);
  const name = manifest.name ?? folder;
  return {
    name,
    folder,
    dependencies: Object.keys({
      ...manifest.dependencies,
      ...manifest.peerDependencies,
      ...manifest.optionalDependencies,
    }),
    devDependencies: Object.keys(manifest.devDependencies ?? {}),
    entries: Object.keys(manifest.exports ?? {}).map((entry) => path.posix.join(name, entry)),
  };
}

function subfolders(root: string, parent: string): string[] {
  const parentPath = path.join(root, parent);
  if (!existsSync(parentPath)) return [];
  const children = readdirSync(parentPath, { withFileTypes: true });
  return children.filter((child) => child.isDirectory()).map((child) => `${parent}/${child.name}`);
}

function readManifest(root: string, folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

/** TypeScript files below a folder, as paths from the root. */
export function sourcesIn(root: string, folder: string): string[] {
  if (!existsSync(path.join(root, folder))) return [];
  const names = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`);
}
