import { defineConfig } from 'vitest/config';

/** The one test configuration: every package's test script names this file and its own folder as root. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/fixtures/**'],
    passWithNoTests: true,
    // The code under test is pure, so test files can share a thread and its loaded modules: a third less CPU time.
    pool: 'threads',
    isolate: false,
    // vitest leaves one core free, which on two cores means one worker.
    maxWorkers: '100%',
    // Tests are bounded in steps, not in time; this only ends a hang, on a busy machine too.
    testTimeout: 60_000,
    reporters: ['default', 'json'],
    outputFile: { json: 'test-results.json' },
  },
});
