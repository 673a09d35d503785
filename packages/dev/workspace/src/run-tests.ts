/**
 * Runs the packages' tests through nx, then prints the totals over all of them as the last line:
 *
 *   N passed, N failed, N skipped
 *
 * Arguments select projects: `npm test -- history formats`. Tests that take long, in files *.slow.test.ts, are left out
 * without `--slow`. With `--ci`, every skipped test is named, and one that .ci/may-be-skipped.json does not allow
 * fails. Every package's vitest leaves a test-results.json, which nx caches as an output: a cache hit still counts.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { workspaceFolders } from './packages.ts';
import { mayBeSkipped, reasonsIn, skippedOf, wronglySkipped } from './skipped.ts';
import { type TestReport, failuresOf, inWords, sum, totalsOf } from './totals.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const folders = workspaceFolders(root);
const resultFile = (folder: string): string => path.join(root, folder, 'test-results.json');

// Results of an earlier run must not be counted again if this run crashes before it writes its own.
for (const folder of folders) rmSync(resultFile(folder), { force: true });

const words = process.argv.slice(2);
const isSlow = words.includes('--slow') || process.env.ISOLAB_SLOW !== undefined;
const isCi = words.includes('--ci');
const projects = words.filter((word) => word !== '--slow' && word !== '--ci');
const flag = projects.find((word) => word.startsWith('-'));
if (flag !== undefined) {
  console.error(
    `There is no flag ${flag}: npm test -- [--slow] [--ci] [PACKAGE...], such as npm test -- history formats`,
  );
  process.exit(3);
}

const succeeded = runTests();
const results = folders
  .filter((folder) => existsSync(resultFile(folder)))
  .map((folder) => ({ folder, report: readReport(folder) }))
  .map(({ folder, report }) => ({
    folder,
    totals: totalsOf(report),
    failures: failuresOf(report, root),
    skipped: skippedOf(report, root, folder),
  }));
let total = sum(results.map((each) => each.totals));

// nx fails without a failing test when a process crashes or a name selects no project.
if (!succeeded && total.failed === 0) {
  console.log('The run failed although no test did; nx prints the reason above. This counts as one failure.');
  total = { ...total, failed: 1 };
}
if (total.passed + total.failed === 0) console.log('No test ran, so the run has failed.');

for (const { folder, totals } of results) console.log(`  ${folder}: ${inWords(totals)}`);
for (const { failures } of results) for (const failure of failures) console.log(`  failed: ${failure}`);
const skipped = results.flatMap((each) => each.skipped);
const wrong = wronglySkipped(skipped, isCi ? mayBeSkipped(root) : null);
const rightly = skipped.filter((each) => !wrong.includes(each));
const lines = isCi ? rightly.map(({ test, why }) => `skipped: ${test}: ${why}`) : reasonsIn(rightly);
for (const line of lines) console.log(`  ${line}`);
for (const { test, why } of wrong) console.log(`  must not be skipped: ${test}: ${why}`);
if (wrong.length > 0) {
  console.log(
    '  .ci/may-be-skipped.json lists the tests that may be skipped. Other skipped tests count as one failure.',
  );
  total = { ...total, failed: total.failed + 1 };
}
const leftOut = isSlow ? 0 : results.reduce((count, { folder }) => count + slowFilesIn(folder), 0);
if (leftOut > 0) console.log(`  ${leftOut} files of slow tests were left out; npm test -- --slow includes them.`);
console.log(inWords(total));
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

function slowFilesIn(folder: string): number {
  const tests = path.join(root, folder, 'test');
  if (!existsSync(tests)) return 0;
  return readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.slow.test.ts'))
    .length;
}

function runTests(): boolean {
  // The set-up has built everything with one `tsc -b`, so nx need not build each package before its tests. nx starts
  // with the tasks that most others wait for: `tested` is an empty task that depends on the slowest tests.
  const args = ['run-many', '--targets=test,tested', '--outputStyle=static-failures-only', '--excludeTaskDependencies'];
  // While the tests of some packages wait for a server or a lock, those of others use the cores.
  args.push(`--parallel=${Math.max(5, availableParallelism())}`);
  if (projects.length > 0) args.push(`--projects=${projects.join(',')}`);
  const nx = path.join(root, 'node_modules/nx/dist/bin/nx.js');
  return spawnSync(process.execPath, [nx, ...args], { cwd: root, env: environment(), stdio: 'inherit' }).status === 0;
}

function environment(): NodeJS.ProcessEnv {
  const { ISOLAB_DATASETS: datasets, INIT_CWD: startedIn = process.cwd() } = process.env;
  return {
    ...process.env,
    // Each package's tests run in its own folder, but a relative path refers to the user's working directory.
    ...(datasets ? { ISOLAB_DATASETS: path.resolve(startedIn, datasets) } : {}),
    ...(isSlow ? { ISOLAB_SLOW: '1' } : {}),
    // A second thread of a package loads all modules once more, which takes a sixth of the CPU time of most packages.
    ...(projects.length === 1 ? {} : { VITEST_MAX_WORKERS: '1' }),
    // nx also finds programs of tests beside Node, except those that are part of the cache key.
    PATH: [process.env.PATH, path.dirname(process.execPath)].join(path.delimiter),
    // npm's report of a failed script would hide the output of the tests.
    npm_config_loglevel: 'silent',
  };
}

function readReport(folder: string): TestReport {
  return JSON.parse(readFileSync(resultFile(folder), 'utf8')) as TestReport;
}
