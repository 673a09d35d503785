import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests that take long run where they are asked for: all of them by `npm test -- --slow`, or one of them by its name. */
const SLOW = '**/*.slow.test.ts';
const isAskedForSlow =
  process.env.ISOLAB_SLOW !== undefined || process.argv.some((word) => word.includes('.slow.test'));

/** Tests are bounded in steps, not in time; this only ends a hang, on a busy machine, too. */
const HANG_MS = isAskedForSlow ? 600_000 : 120_000;

/** The one test configuration: every package's test script names this file and its own folder as root. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/fixtures/**', ...(isAskedForSlow ? [] : [SLOW])],
    passWithNoTests: true,
    globalSetup: fileURLToPath(new URL('temporary-folder.mjs', import.meta.url)),
    setupFiles: [fileURLToPath(new URL('seed-tests.mjs', import.meta.url))],
    // The code under test is pure, so test files can share a thread and its loaded modules: a third less CPU time.
    pool: 'threads',
    isolate: false,
    // What other packages have compiled is loaded as Node does: not transformed once more, and half the CPU time of a start.
    server: { deps: { external: [/\/packages\/[^/]+\/[^/]+\/dist\//] } },
    // vitest leaves one core free, which on two cores means one worker.
    maxWorkers: '100%',
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    reporters: ['default', 'json'],
    outputFile: { json: 'test-results.json' },
  },
});
