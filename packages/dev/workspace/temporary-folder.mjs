import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/**
 * Gives the tests of a package a folder for temporary files, and removes it after them. The folder of a database that is
 * still there names a server that no test has ended, which fails the run.
 */
export default function setup() {
  const folder = mkdtempSync(path.join(tmpdir(), 'isolab-tests-'));
  chmodSync(folder, 0o1777); // servers run as another user
  process.env.TMPDIR = folder;
  return () => {
    const left = readdirSync(folder).filter((name) => name.startsWith('isolab-engine-'));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    if (left.length === 0) return;
    process.stderr.write(`The tests have left databases behind, whose servers may still run: ${left.join(', ')}\n`);
    process.exitCode = 1;
  };
}
