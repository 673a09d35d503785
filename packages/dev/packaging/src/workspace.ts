/** Folders and manifests of the workspace's packages. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface WorkspacePackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

export const root = path.resolve(import.meta.dirname, '../../../..');

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;

/** Folder of a workspace package, to which npm has linked. */
export function folderOf(name: string): string {
  return realpathSync(path.join(root, 'node_modules', name));
}

export const isOurs = (specifier: string): boolean => specifier === 'isolab' || specifier.startsWith('@isolab/');

/**
 * Name of the package in a specifier: `@isolab/history/x` → `@isolab/history`; null for relative paths and Node's own
 * modules.
 */
export function packageName(specifier: string): string | null {
  if (/^[./]|^[a-z]+:/.test(specifier) || isBuiltin(specifier)) return null;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** A package and all workspace packages that it depends on. */
export function closureOf(name: string): WorkspacePackage[] {
  const found = new Map<string, WorkspacePackage>();
  const visit = (each: string): void => {
    if (found.has(each)) return;
    const folder = folderOf(each);
    const manifest = readManifest(folder);
    found.set(each, { folder, manifest });
    Object.keys(manifest.dependencies ?? {})
      .filter(isOurs)
      .forEach(visit);
  };
  visit(name);
  return [...found.values()];
}

/** Folder of the package that contains a file. */
export function packageAround(file: string): string {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const manifest = path.join(folder, 'package.json');
    // Some packages have a package.json without a name beside files of one module format.
    if (existsSync(manifest) && 'name' in (JSON.parse(readFileSync(manifest, 'utf8')) as object)) return folder;
    if (folder === path.dirname(folder)) throw new Error(`${file} does not belong to a package.`);
  }
}
