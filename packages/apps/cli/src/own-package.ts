import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

interface Manifest {
  readonly version: string;
  readonly bin: { readonly isolab: string };
}

// Beside the folder of this file, whether it is compiled, bundled or neither.
const manifest = (): Manifest => createRequire(import.meta.url)('../package.json') as Manifest;

export const version = (): string => manifest().version;

/** The file of the command, which Node can run. */
export const commandFile = (): string => fileURLToPath(new URL(`../${manifest().bin.isolab}`, import.meta.url));

/** The folder of templates of `isolab new`. */
export const templates = (): URL => new URL('../template/', import.meta.url);
