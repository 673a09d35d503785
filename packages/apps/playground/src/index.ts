import { existsSync, readFileSync } from 'node:fs';

/** File name of the prebuilt page, beside this package's compiled code. */
export const PREBUILT = 'playground.html';

/** Module that is imported at run time, so that a bundle of isolab does not contain the bundler. */
const BUILDER = new URL('build-page.js', import.meta.url).href;

/**
 * Returns the page as one text: the prebuilt one if isolab is packed, otherwise built now from the compiled packages.
 */
export async function playgroundPage(): Promise<string> {
  const prebuilt = new URL(PREBUILT, import.meta.url);
  if (existsSync(prebuilt)) return readFileSync(prebuilt, 'utf8');
  const { buildPage } = (await import(BUILDER)) as typeof import('./build-page.ts');
  return buildPage();
}

/** Returns an ES module that checks histories in its own thread, without a module of Node; `isolab new in-process`. */
export async function inProcessModule(): Promise<string> {
  const { moduleOf } = await import('./in-process.ts');
  return moduleOf(await playgroundPage());
}

/** Returns the script of the site's start page, which checks an edited history. */
export async function startScript(): Promise<string> {
  const { buildStartScript } = (await import(BUILDER)) as typeof import('./build-page.ts');
  return buildStartScript();
}
