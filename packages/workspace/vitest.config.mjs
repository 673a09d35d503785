import { defineConfig } from 'vitest/config';

/** The one test configuration: every package's test script names this file and its own folder as root. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/fixtures/**'],
    passWithNoTests: true,
    reporters: ['default', 'json'],
    outputFile: { json: 'test-results.json' },
  },
});
