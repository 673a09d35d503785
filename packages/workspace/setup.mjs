/**
 * Makes a clone ready to run: installs the dependencies when they are missing or stale, then builds what is stale, the
 * bundle of `isolab` included.
 * Plain Node and no imports beyond it, because on a fresh clone nothing is installed yet.
 *
 *   node packages/workspace/setup.mjs
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const oldestNode = [20, 19];
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const lockFile = path.join(root, 'package-lock.json');
// In node_modules, because it describes that folder and vanishes with it.
const stampFile = path.join(root, 'node_modules/.isolab-lock-hash');
const compiler = path.join(root, 'node_modules/typescript/bin/tsc');

checkNodeVersion();
installIfStale();
build();

function checkNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  fail(`isolab needs Node ${oldestNode.join('.')} or newer, but this is Node ${process.versions.node}`);
}

function installIfStale() {
  const wanted = createHash('sha256').update(readFileSync(lockFile)).digest('hex');
  const installed = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
  if (installed === wanted) return;

  say(
    installed === '' ? 'installing dependencies (npm ci) …' : 'package-lock.json has changed, reinstalling (npm ci) …',
  );
  // npm is a shell script on Windows and can only be started through a shell there.
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { shell: process.platform === 'win32' });
  writeFileSync(stampFile, wanted);
}

function build() {
  say('building what is stale (tsc -b) …');
  run(process.execPath, [compiler, '-b', 'packages'], {});
  run(process.execPath, [path.join(root, 'packages/packaging/dist/bundle-main.js')], {});
}

function run(command, args, options) {
  // Standard output is left to the command that follows, whose output may be read by a program.
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  if (error) fail(`cannot start ${command}: ${error.message}`);
  if (status !== 0) fail(`this failed: ${[command, ...args].join(' ')}`);
}

function say(text) {
  process.stderr.write(`isolab: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
