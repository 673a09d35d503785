#!/usr/bin/env node
// Starts the process that works, and only then loads main.js, which waits for it. Node starts CommonJS soonest; and npm
// links a command only if its file is there before anything is compiled.
const { fork } = require('node:child_process');
const { readFileSync, statSync } = require('node:fs');
const path = require('node:path');

// In the environment of all processes below this one.
const [mark, value] = ['ISOLAB_STARTED_BY', `${process.pid}-${Date.now()}`];
const command = start();
import('./dist/main.js').then(({ waitFor }) => waitFor(command, `${mark}=${value}`), cannotStart);

function start() {
  const bundle = path.join(__dirname, 'bundle');
  // The stack of an error is shown by the compiled files.
  const isBundled = process.argv[2] === 'check' && !process.argv.includes('--verbose') && isUpToDate(bundle);
  const file = isBundled ? path.join(bundle, 'start.cjs') : path.join(__dirname, 'dist/command-main.js');
  try {
    return fork(file, process.argv.slice(2), { stdio: 'inherit', env: { ...process.env, [mark]: value } });
  } catch (error) {
    return error;
  }
}

/** No verdict: 1 would mean that a violation was shown. */
function cannotStart(error) {
  process.stderr.write(`isolab: ${error.message}\nIn a clone, run npm start once to compile it.\n`);
  if (command.pid !== undefined) command.kill('SIGKILL');
  process.exit(3);
}

/** Whether nothing was compiled since the bundle was made; an installed isolab has none. */
function isUpToDate(bundle) {
  try {
    const { node, compiled } = JSON.parse(readFileSync(path.join(bundle, 'compiled.json'), 'utf8'));
    const files = Object.entries(compiled);
    return (
      node === process.version && files.every(([file, time]) => statSync(path.join(bundle, file)).mtimeMs === time)
    );
  } catch {
    return false;
  }
}
