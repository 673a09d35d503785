/**
 * Installs the needs of tests that this machine lacks, as root on Debian: programs with apt-get, packages with npm,
 * engines with `isolab hunt get`. It prints the needs that it could not install, and always succeeds: missing needs
 * show in the tests.
 * node packages/dev/needs/dist/install-main.js
 */
import { spawnSync } from 'node:child_process';
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
function succeeds(...[program, ...words]: readonly [string, ...string[]]): boolean {
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd: root, env, encoding: 'utf8' });
  if (status === 0) return true;
  const said = error?.message ?? `${stdout}\n${stderr}`.trim().split('\n').slice(-LINES_SAID).join('\n');
  say(`not installed: ${program} ${words.join(' ')}\n${said}`);
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

function installPrograms(missing: readonly Need[]): void {
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || programOnPath('apt-get') === null) {
    say(`not installed, because that needs root and apt-get: ${missing.map(({ without }) => without).join(', ')}`);
    return;
  }
  if (!succeeds('apt-get', 'update', '-qq')) return;
  const packages = [...new Set(missing.flatMap(({ debian = [] }) => debian.map(packageOf)))];
  say(`apt-get installs ${packages.join(' ')}`);
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends'] as const;
  // A package that Debian lacks must not prevent the installation of the others.
  if (!succeeds(...install, ...packages)) for (const name of packages) succeeds(...install, name);
}

/**
 * Installs packages beside those of the repository, where they stay until the next `npm ci`; npm removes them when it
 * installs others.
 */
function installPackages(packages: readonly string[], isMissing: boolean): void {
  if (!isMissing) return;
  say(`npm installs ${packages.join(' ')}`);
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  if (!succeeds('npm', 'install', '--no-save', '--ignore-scripts', ...quiet, ...packages)) return;
  succeeds('npm', 'rebuild', 'better-sqlite3');
}

const all = (Object.keys(NEEDS) as NeedName[]).map((name) => ({
  need: NEEDS[name] as Need,
  isHere: placesOf(name) !== null,
}));
installPrograms(all.flatMap(({ need, isHere }) => (isHere || need.debian === undefined ? [] : [need])));
const packages = all.filter(({ need }) => need.npm !== undefined);
installPackages(
  packages.map(({ need }) => need.npm!),
  packages.some(({ isHere }) => !isHere),
);
for (const { need, isHere } of all) {
  if (isHere || need.engine === undefined) continue;
  say(`isolab gets ${need.engine}`);
  succeeds(process.execPath, 'packages/apps/cli/isolab.cjs', 'hunt', 'get', need.engine);
}
