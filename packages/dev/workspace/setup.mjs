/**
 * Makes a clone ready to run: installs the dependencies when they are missing or stale, then builds what is stale, the
 * bundle of `isolab` included.
 * Plain Node and no imports beyond it, because on a fresh clone nothing is installed yet.
 *
 *   node packages/dev/workspace/setup.mjs
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const oldestNode = [20, 19];
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const lockFile = path.join(root, 'package-lock.json');
// In node_modules, because it describes that folder and vanishes with it.
const stampFile = path.join(root, 'node_modules/.isolab-lock-hash');
const compiler = path.join(root, 'node_modules/typescript/bin/tsc');

// Not in node_modules, which npm ci removes.
const lock = path.join(root, '.nx/isolab-setup.lock');
const draft = `${lock}.${process.pid}`;

checkNodeVersion();
waitForOthers();
installIfStale();
build();

function checkNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  fail(`isolab needs Node ${oldestNode.join('.')} or newer, but this is Node ${process.versions.node}`);
}

/** One process at a time: two that install, or build, undo each other's work. */
function waitForOthers() {
  mkdirSync(path.dirname(lock), { recursive: true });
  for (let isTold = false; !isTaken();) {
    const holder = Number(readIfThere(lock));
    if (holder > 0 && !isRunning(holder)) clearAway(holder);
    else if (!isTold) say(`waiting for another set-up of this clone${holder > 0 ? ` (process ${holder})` : ''} …`);
    isTold = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  process.on('exit', () => rmSync(lock, { force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
}

function isTaken() {
  try {
    // With all of its content at once.
    writeFileSync(draft, String(process.pid));
    linkSync(draft, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The lock of a process that is no more, unless another one has taken it meanwhile. */
function clearAway(holder) {
  try {
    renameSync(lock, draft);
  } catch {
    return; // another process was faster
  }
  if (Number(readIfThere(draft)) === holder) rmSync(draft);
  else renameSync(draft, lock);
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
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
  run(process.execPath, [path.join(root, 'packages/dev/packaging/dist/bundle-main.js')], {});
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
