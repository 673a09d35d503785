import { existsSync, readFileSync } from 'node:fs';

/** File name of the prebuilt page, beside this package's compiled code. */
export const PREBUILT = 'playground.html';

/**
 * Returns the page as one text: the prebuilt one if isolab is packed, otherwise built now from the compiled packages.
 */
export async function playgroundPage(): Promise<string> {
  const prebuilt = new URL(PREBUILT, import.meta.url);
  if (existsSync(prebuilt)) return readFileSync(prebuilt, 'utf8');
  // Imported at run time, so that a bundle of isolab does not contain the bundler.
  const builder = new URL('build-page.js', import.meta.url);
  const { buildPage } = (await import(builder.href)) as typeof import('./build-page.ts');
  return buildPage();
}
