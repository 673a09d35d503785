/**
 * Runs the tests of one package in its folder, as its script `test` does. nx runs this in place of the script, because npm
 * and a process of nx between take half as long as vitest needs to start.
 *
 *   node packages/dev/workspace/test-package.mjs packages/core/history
 */
import path from 'node:path';
import process from 'node:process';

const here = import.meta.dirname;
const vitest = new URL('../vitest.mjs', import.meta.resolve('vitest/config'));
process.chdir(path.resolve(here, '../../..', process.argv[2]));
process.argv.splice(2, 1, 'run', '--config', path.join(here, 'vitest.config.mjs'), '--root', '.');
await import(vitest.href);
