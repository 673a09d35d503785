import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/**
 * Gives the tests of a package a folder for temporary files, and removes it after them. A server with its database in
 * this folder that still runs fails the run.
 */
export default function setup() {
  const folder = mkdtempSync(path.join(tmpdir(), 'isolab-tests-'));
  chmodSync(folder, 0o1777); // servers run as another user
  process.env.TMPDIR = folder;
  return () => {
    const left = readdirSync(folder).filter(
      (name) => name.startsWith('isolab-engine-') && hasServer(path.join(folder, name)),
    );
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    if (left.length === 0) return;
    process.stderr.write(`The tests have not ended the servers of these databases: ${left.join(', ')}\n`);
    process.exitCode = 1;
  };
}

/** Returns whether a process of a .pid file in the folder of a database runs. A killed program leaves the folder alone. */
function hasServer(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.pid'))
    .some((name) => isRunning(Number.parseInt(readFileSync(path.join(folder, name), 'utf8'), 10)));
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
