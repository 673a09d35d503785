import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineError } from '../engine/errors.ts';
import type { Started, Starting } from './started.ts';

/**
 * Starts a database that runs in the process of its driver, which the collector starts. The options of the driver name
 * the package folder (`installed`) and the data folder (`data`).
 */
export async function startModule(driver: string, { engine, folder, installed, options }: Starting): Promise<Started> {
  const data = join(folder.path, 'data');
  await mkdir(data);
  const chosen = Object.entries(engine.options.choices ?? {}).map(([name, [first]]) => [name, first!]);
  const { origin, version } = engine;
  const own = { installed, data, version, ...(origin.kind === 'npm' && { package: origin.package }) };
  return {
    addresses: [moduleAddress(driver, { ...Object.fromEntries(chosen), ...options, ...own })],
    processes: [],
  };
}

/** Returns the address of a driver of isolab, with its options. */
export const moduleAddress = (driver: string, options: Readonly<Record<string, string>>): string =>
  `module:${fileOf(driver)}?${new URLSearchParams(options)}`;

/** Finds the compiled file of a driver: below dist in the repository, beside the bundle in the published package. */
function fileOf(driver: string): string {
  const places = [`../modules/${driver}.js`, `./${driver}.js`, `../../dist/modules/${driver}.js`];
  const files = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = files.find((file) => existsSync(file));
  if (found === undefined)
    throw new EngineError(`The driver ${driver}.js is missing from this installation of isolab.`);
  return found;
}
