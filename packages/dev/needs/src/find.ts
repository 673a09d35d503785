/** Finds needs of tests: in the environment, on the PATH, among the packages of npm and in isolab's cache. */
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { NEEDS, type Need, type NeedName } from './needs.ts';

/** Returns the path of the first program on the PATH among alternatives joined by `|`. */
export function programOnPath(names: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  const paths = names.split('|').flatMap((name) => folders.flatMap((at) => endings.map((end) => join(at, name + end))));
  return paths.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Returns the paths of all parts of a need; null if one is missing. */
export function placesOf(name: NeedName): readonly string[] | null {
  const { variable, programs = [], npm, engine, isHere }: Need = NEEDS[name];
  const named = variable === undefined ? undefined : process.env[variable];
  if (named) return [named];
  const isOnlyNamed = variable !== undefined && programs.length === 0;
  const places = [
    ...programs.map(programOnPath),
    ...(npm === undefined ? [] : [packagePath(npm)]),
    ...(engine === undefined ? [] : [enginePath(engine)]),
  ];
  if (isOnlyNamed || isHere?.() === false || !places.every((place) => place !== null)) return null;
  return places;
}

/** Finds the path of a package, which is given with its version. */
function packagePath(npm: string): string | null {
  try {
    return createRequire(import.meta.url).resolve(npm.slice(0, npm.lastIndexOf('@')));
  } catch {
    return null;
  }
}

/** Finds the folder of an engine in the cache. The name of an engine that was built here ends with a checksum. */
function enginePath(engine: string): string | null {
  const found = inCache('engines').find((name) => name === engine || name.startsWith(`${engine}-`));
  return found === undefined ? null : join(cache(), 'engines', found);
}

/** Names in a folder of the cache, without unfinished entries. */
export function inCache(folder: 'engines' | 'recorders'): readonly string[] {
  const path = join(cache(), folder);
  return existsSync(path) ? readdirSync(path).filter((name) => !name.startsWith('.')) : [];
}

function cache(): string {
  const { ISOLAB_CACHE: own, XDG_CACHE_HOME: shared } = process.env;
  return own ?? join(shared ?? join(homedir(), '.cache'), 'isolab');
}
