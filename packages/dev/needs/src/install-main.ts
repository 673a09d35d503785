/**
 * Installs the needs of tests that this machine lacks, as root on Debian: programs with apt-get, packages with npm,
 * engines with `isolab hunt get`. It prints the needs that it could not install, and always succeeds: missing needs
 * show in the tests.
 * node packages/dev/needs/dist/install-main.js
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { placesOf, programOnPath } from './find.ts';
import { NEEDS, type Need, type NeedName } from './needs.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Location of Node's headers, which npm needs to compile packages; without it npm downloads them. */
const prefix = path.resolve(process.execPath, '../..');
const env = {
  ...(existsSync(path.join(prefix, 'include/node/node.h')) && { npm_config_nodedir: prefix }),
  ...process.env,
  DEBIAN_FRONTEND: 'noninteractive',
};

/** Runs a command silently; reports its output if it fails. */
async function succeeds(...[program, ...words]: readonly [string, ...string[]]): Promise<boolean> {
  const child = spawn(program, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const status = await once(child, 'close').then(
    ([code]) => code as number | null,
    (error: Error) => {
      output += error.message; // the program is missing
      return null;
    },
  );
  if (status === 0) return true;
  say(`not installed: ${program} ${words.join(' ')}\n${output.trim().split('\n').slice(-LINES_SAID).join('\n')}`);
  return false;
}

const LINES_SAID = 5;

/** Returns the first package, of alternatives joined by `|`, that this release of Debian has. */
function packageOf(names: string): string {
  const all = names.split('|');
  const hasCandidate = (name: string): boolean =>
    /Candidate: (?!\(none\))/.test(spawnSync('apt-cache', ['policy', name], { encoding: 'utf8' }).stdout);
  return all.find(hasCandidate) ?? all[0]!;
}

async function installPrograms(missing: readonly Need[]): Promise<void> {
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || programOnPath('apt-get') === null) {
    say(`not installed, because that needs root and apt-get: ${missing.map(({ without }) => without).join(', ')}`);
    return;
  }
  if (!(await succeeds('apt-get', 'update', '-qq'))) return;
  const packages = [...new Set(missing.flatMap(({ debian = [] }) => debian.map(packageOf)))];
  say(`apt-get installs ${packages.join(' ')}`);
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends'] as const;
  // A package that Debian lacks must not prevent the installation of the others.
  if (!(await succeeds(...install, ...packages))) for (const name of packages) await succeeds(...install, name);
}

/**
 * Installs packages beside those of the repository, where they stay until the next `npm ci`; npm removes them when it
 * installs others.
 */
async function installPackages(packages: readonly string[]): Promise<boolean> {
  say(`npm installs ${packages.join(' ')}`);
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  return succeeds('npm', 'install', '--no-save', '--ignore-scripts', ...quiet, ...packages);
}

async function getEngines(engines: readonly string[]): Promise<void> {
  for (const engine of engines) {
    say(`isolab gets ${engine}`);
    await succeeds(process.execPath, 'packages/apps/cli/isolab.cjs', 'hunt', 'get', engine);
  }
}

/** Shows whether the cached engine was built here, perhaps from an older program of this repository. */
const wasBuilt = (places: readonly string[]): boolean => places.some((place) => /-[0-9a-f]{12}$/.test(place));

const all = (Object.keys(NEEDS) as NeedName[]).map((name) => ({ need: NEEDS[name] as Need, places: placesOf(name) }));
const missing = all.filter(({ places }) => places === null).map(({ need }) => need);
await installPrograms(missing.filter(({ debian }) => debian !== undefined));
const packages = all.flatMap(({ need }) => need.npm ?? []);
const isInstalled = missing.some(({ npm }) => npm !== undefined) && (await installPackages(packages));
// npm compiles better-sqlite3 for two minutes, meanwhile engines are downloaded.
const compiled = isInstalled ? succeeds('npm', 'rebuild', 'better-sqlite3') : Promise.resolve(true);
const wanted = all.filter(({ places }) => places === null || wasBuilt(places));
await getEngines(wanted.flatMap(({ need }) => need.engine ?? []));
await compiled;
