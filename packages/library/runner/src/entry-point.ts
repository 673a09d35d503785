import { pathToFileURL } from 'node:url';

/** The bundle from which the command runs in a clone, with scripts for the checkers that it contains. */
interface Bundle {
  readonly folder: string;
  /** URLs of the compiled files of the checkers. */
  readonly checkers: ReadonlySet<string>;
}

const bundleInUse = (): Bundle | undefined =>
  (globalThis as Record<symbol, unknown>)[Symbol.for('isolab.bundle')] as Bundle | undefined;

/** Script in the bundle; null if the program does not run from a bundle. */
export function bundledScript(name: 'thread-main'): URL | null {
  const bundle = bundleInUse();
  return bundle === undefined ? null : pathToFileURL(`${bundle.folder}/${name}.js`);
}

/**
 * Script of a worker or process that loads a checker or plug-in. It is in the bundle if the bundle contains the
 * checker, and otherwise beside this file.
 */
export function entryPoint(name: 'worker-main' | 'process-main', checker: string): URL {
  const bundle = bundleInUse();
  if (bundle?.checkers.has(checker)) return pathToFileURL(`${bundle.folder}/${name}.js`);
  const folder = import.meta.url.endsWith('.ts') ? '../dist/' : './';
  return new URL(`${folder}${name}.js`, import.meta.url);
}
