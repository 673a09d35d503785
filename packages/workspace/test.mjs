/**
 * Runs the packages' tests through nx, then prints the totals over all of them as the last line:
 *
 *   N passed, N failed, N skipped
 *
 * Arguments select projects: `npm test -- history formats`.
 * Every package's vitest leaves a test-results.json, which nx caches as an output: a cache hit still counts.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const resultFiles = workspaceFolders().map((folder) => path.join(folder, 'test-results.json'));

// What an earlier run left must not be counted again when this run crashes before it writes its own.
for (const file of resultFiles) rmSync(file, { force: true });

const succeeded = runTests(process.argv.slice(2));
const results = resultFiles.filter((file) => existsSync(file)).map((file) => totalsOf(file));

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const { totals } of results) for (const state of Object.keys(sum)) sum[state] += totals[state];

// A run can fail without a failing test: a crashed process, a configuration that does not load, a name that selects nothing.
if (!succeeded && sum.failed === 0) {
  console.log('The run failed although no test did; nx says why above. It is counted as one failure.');
  sum.failed = 1;
}

for (const { name, totals } of results) console.log(`  ${name}: ${inWords(totals)}`);
if (sum.skipped > 0 && !process.env.ISOLAB_DATASETS) {
  console.log('ISOLAB_DATASETS is not set: the tests on the real histories are among the skipped.');
}
if (sum.passed + sum.failed === 0) console.log('No test ran, which counts as a failure of the run.');
console.log(inWords(sum));
process.exitCode = succeeded && sum.failed === 0 && sum.passed > 0 ? 0 : 1;

/** Every folder that package.json's `workspaces` names, whose entries are a folder or end in `/*`. */
function workspaceFolders() {
  const { workspaces } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return workspaces.flatMap((entry) => {
    if (!entry.endsWith('/*')) return [path.join(root, entry)];
    const parent = path.join(root, entry.slice(0, -2));
    return existsSync(parent) ? readdirSync(parent).map((child) => path.join(parent, child)) : [];
  });
}

function runTests(projects) {
  // set-up has built everything with one `tsc -b`, so nx need not build each package again before its tests.
  const args = ['run-many', '--targets=test', '--outputStyle=static-failures-only', '--excludeTaskDependencies'];
  if (projects.length > 0) args.push(`--projects=${projects.join(',')}`);
  const nx = path.join(root, 'node_modules/nx/dist/bin/nx.js');
  return spawnSync(process.execPath, [nx, ...args], { cwd: root, stdio: 'inherit' }).status === 0;
}

function totalsOf(file) {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const { status, assertionResults } of testResults) {
    for (const test of assertionResults) {
      totals[test.status === 'passed' || test.status === 'failed' ? test.status : 'skipped']++;
    }
    // A file that does not even load has failed, but has no test to say so.
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) totals.failed++;
  }
  return { name: path.relative(path.join(root, 'packages'), path.dirname(file)), totals };
}

function inWords({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
