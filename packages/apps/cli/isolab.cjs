#!/usr/bin/env node
// Starts the process that works, and only then loads main.js, which waits for it; or checks a small history here. Node
// starts CommonJS soonest; and npm links a command only if its file is there before anything is compiled.
const { readFileSync, statSync } = require('node:fs');
const path = require('node:path');

/** A history of this size is read and judged at any level in less time than a process takes to start. */
const SMALL_BYTES = 1 << 18;
/** A history of this size is mostly judged at one level within the limit of time. */
const MEDIUM_BYTES = 5_000_000;
/** Limit of time for one process: it hears a signal only after that. */
const SMALL_MS = 250;
const MS_PER_MEGABYTE = 150;
const HUGE_PAGES = 'glibc.malloc.hugetlb=1';

// Node's own exit code, 1, means a violation; main.js listens once it is there.
process.on('uncaughtException', cannotStart);

const words = process.argv.slice(2);
// In the environment of all processes below this one.
const [mark, value] = ['ISOLAB_STARTED_BY', `${process.pid}-${Date.now() - Math.round(1000 * process.uptime())}`];
let command;
/** Why it could not be started, which Node tells later. */
let failure = null;
if (words.length === 1 && ['-V', '--version'].includes(words[0])) printVersion();
else {
  // The stack of an error is shown by the compiled files.
  const bundle = words.some((word) => word === '--verbose' || word === '-v') ? null : bundled();
  const limitMs = words[0] === 'check' ? limitOf(words.slice(1)) : null;
  (limitMs === null ? begin(bundle) : checkAtOnce(bundle, limitMs)).catch(cannotStart);
}

/** Takes no second process and nothing compiled. */
function printVersion() {
  process.stdout.on('error', ({ code }) => process.exit(code === 'EPIPE' ? 2 : 3)); // as ExitCode has it; Node's own 1 means a violation
  const { version, gitHead } = require('./package.json');
  const { spawnSync } = require('node:child_process');
  const isCheckout = require('node:fs').existsSync(`${__dirname}/src`);
  const head = () => spawnSync('git', ['rev-parse', 'HEAD'], { cwd: __dirname, encoding: 'utf8' }).stdout;
  const commit = gitHead || (isCheckout && head()) || '';
  process.stdout.write(/^[0-9a-f]{40}/.test(commit) ? `${version} (${commit.slice(0, 12)})\n` : `${version}\n`);
}

async function checkAtOnce(bundle, limitMs) {
  // From Node 22 on, compiled code is cached. This saves a quarter of the time of a small check without the bundle.
  if (bundle === null) require('node:module').enableCompileCache?.();
  const { hear } = await waiting(bundle);
  process.off('uncaughtException', cannotStart);
  const { tryAtOnce, deliver } = await (bundle === null ? import('./dist/at-once.js') : require(bundle).atOnce());
  const done = await tryAtOnce(words, limitMs);
  await (done === null ? begin(bundle) : deliver(done, hear));
}

async function begin(bundle) {
  command = start(bundle ?? path.join(__dirname, 'dist/command-main.js'));
  const { waitFor } = await waiting(bundle);
  process.off('uncaughtException', cannotStart);
  waitFor(failure ?? command, `${mark}=${value}`);
}

/** The module main.js, which decides the exit code. */
function waiting(bundle) {
  return bundle === null ? import('./dist/main.js') : require(bundle).main();
}

function start(file) {
  const { fork } = require('node:child_process');
  try {
    const env = { ...process.env, [mark]: value, GLIBC_TUNABLES: withHugePages(process.env.GLIBC_TUNABLES) };
    const child = fork(file, words, { stdio: 'inherit', env });
    return child.on('error', (error) => (failure = error));
  } catch (error) {
    return error;
  }
}

/**
 * Large columns get huge pages on Linux, which takes a third of the CPU time of a large history away. The process that
 * works gives its own children the settings without it.
 */
function withHugePages(tunables) {
  return tunables ? `${tunables}:${HUGE_PAGES}` : HUGE_PAGES;
}

/** No verdict: 1 would mean that a violation was shown. */
function cannotStart(error) {
  const isMissing = String(error.code).endsWith('MODULE_NOT_FOUND');
  process.stderr.write(
    `isolab: ${error.message}\n${isMissing ? 'In a clone, run npm start once to compile it.\n' : ''}`,
  );
  if (command?.pid !== undefined) command.kill('SIGKILL');
  process.exit(3);
}

/** Milliseconds for a check of one regular file in this process; null if the words ask for more, or Node for an option. */
function limitOf([file, ...flags]) {
  if (process.env.NODE_OPTIONS || process.execArgv.length > 0) return null;
  const isPlain =
    flags.every((word, i) => i % 2 === 1 || ['-l', '--level', '--format', '--output'].includes(word)) &&
    // Of several levels each may take its time; and files would be written twice if the second process has to begin anew.
    !flags.some((word) => word === 'all' || word.includes(',') || word.includes('='));
  try {
    const info = statSync(file, { bigint: true });
    const isOneLevel = flags.includes('-l') || flags.includes('--level');
    if (!isPlain || !info.isFile() || info.size > (isOneLevel ? MEDIUM_BYTES : SMALL_BYTES)) return null;
    return SMALL_MS + (MS_PER_MEGABYTE * Number(info.size)) / 1e6;
  } catch {
    return null;
  }
}

/** The bundle, unless something was compiled since it was made; an installed isolab has none. */
function bundled() {
  try {
    const at = path.join(__dirname, 'bundle');
    const { node, folder, compiled } = JSON.parse(readFileSync(path.join(at, 'compiled.json'), 'utf8'));
    const isOf = ([file, time]) => statSync(path.join(at, file)).mtimeMs === time;
    if (node !== process.version || !Object.entries(compiled).every(isOf)) return null;
    return require.resolve(path.join(at, folder, 'start.cjs'));
  } catch {
    return null;
  }
}
