import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { RunnerError } from './errors.ts';

/**
 * Resolves the location of a plug-in from a file URL, a path, or the name of a package. Paths and packages are resolved
 * from `from`. A bare name with the extension of a script is a path if such a file exists, and otherwise the name of a
 * package.
 */
export function resolveSpecifier(specifier: string, from: URL, what = 'checker'): URL {
  if (specifier.startsWith('file:')) return existing(new URL(specifier), specifier, what);
  const isPath = /^\.{0,2}[/\\]|^\.{1,2}$/.test(specifier) || path.isAbsolute(specifier);
  if (isPath) return existing(fileFrom(specifier, from), specifier, what);
  if (SCRIPT.test(specifier) && existsSync(fileFrom(specifier, from))) return fileFrom(specifier, from);
  return packageFrom(specifier, from, what);
}

const SCRIPT = /\.[cm]?[jt]s$/;

const fileFrom = (specifier: string, from: URL): URL =>
  path.isAbsolute(specifier) ? pathToFileURL(specifier) : new URL(specifier.replaceAll('\\', '/'), from);

function existing(url: URL, specifier: string, what: string): URL {
  if (existsSync(url)) return url;
  throw new RunnerError('checker-not-found', `There is no ${what} at ${specifier}: no file ${url.pathname}.`);
}

function packageFrom(specifier: string, from: URL, what: string): URL {
  const require = createRequire(from);
  try {
    return pathToFileURL(require.resolve(specifier));
  } catch (error) {
    // `require` does not see exports that only `import` can use.
    const url = importOnlyExport(specifier, require.resolve.paths(specifier) ?? []);
    if (url) return url;
    throw new RunnerError(
      'checker-not-found',
      `Package '${specifier}' was not found from ${from.pathname}. Install it there (npm install ${packageName(specifier)}), or name a file such as ./my-${what.replaceAll(' ', '-')}.mjs.`,
      { cause: error },
    );
  }
}

const packageName = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

function importOnlyExport(specifier: string, folders: readonly string[]): URL | null {
  const name = packageName(specifier);
  const folder = folders
    .map((each) => path.join(each, name))
    .find((each) => existsSync(path.join(each, 'package.json')));
  if (folder === undefined) return null;
  const { exports } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { exports?: unknown };
  const entry = `.${specifier.slice(name.length)}`;
  const hasEntries =
    typeof exports === 'object' && exports !== null && Object.keys(exports).some((key) => key[0] === '.');
  const target = chooseCondition(
    hasEntries ? (exports as Record<string, unknown>)[entry] : entry === '.' ? exports : null,
  );
  return target === null ? null : pathToFileURL(path.join(folder, target));
}

/** Returns the target of the first condition that applies to an `import` in Node. */
function chooseCondition(target: unknown): string | null {
  if (typeof target === 'string') return target;
  if (typeof target !== 'object' || target === null || Array.isArray(target)) return null;
  for (const [condition, next] of Object.entries(target)) {
    if (!['node', 'import', 'default'].includes(condition)) continue;
    const found = chooseCondition(next);
    if (found !== null) return found;
  }
  return null;
}
