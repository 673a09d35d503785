import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Manifest {
  readonly version: string;
  readonly bin: { readonly isolab: string };
}

/** Finds the folder of the package around a folder: the command's own package, compiled, bundled or neither. */
const packageAround = (folder: URL): URL =>
  existsSync(new URL('package.json', folder)) ? folder : packageAround(new URL('..', folder));

const ownFolder = (): URL => packageAround(new URL('.', import.meta.url));

const manifest = (): Manifest => JSON.parse(readFileSync(new URL('package.json', ownFolder()), 'utf8')) as Manifest;

export const version = (): string => manifest().version;

/** File of the command, which Node can run. */
export const commandFile = (): string => fileURLToPath(new URL(manifest().bin.isolab, ownFolder()));

/** Folder of templates for `isolab new`. */
export const templates = (): URL => new URL('template/', ownFolder());
