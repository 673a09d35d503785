import { existsSync, readFileSync } from 'node:fs';

/** How the page is called where it was made before, beside this package's compiled code. */
export const PREBUILT = 'playground.html';

/**
 * The page, in one text: as it was made when isolab was packed, otherwise made now, of the compiled packages around it.
 */
export async function playgroundPage(): Promise<string> {
  const prebuilt = new URL(PREBUILT, import.meta.url);
  if (existsSync(prebuilt)) return readFileSync(prebuilt, 'utf8');
  // Named at run time: a bundle of isolab does not contain the bundler.
  const builder = new URL('build-page.js', import.meta.url);
  const { buildPage } = (await import(builder.href)) as typeof import('./build-page.ts');
  return buildPage();
}
