import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Imports a downloaded package through the loader file beside it. */
export async function load<Module>(installed: string, name: string): Promise<Module> {
  const loader = pathToFileURL(join(installed, 'load.mjs')).href;
  const { load: importIt } = (await import(loader)) as { load(name: string): Promise<Module> };
  return importIt(name);
}
