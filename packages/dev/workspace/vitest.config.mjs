import { cpus, loadavg } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** How many times as long as on a quiet machine tests may take: by the load of each core, ten times at most. */
export const patienceAt = (load, cores) => Math.min(10, Math.max(1, Math.ceil(load / cores)));

/** The code of a test whose own limits of time, ten seconds and more, are this many times as long. */
export const withPatience = (code, patience) =>
  code.replaceAll(/(\btimeout: |^\s*\}, )(\d[\d_]{4,})\b/gm, (_, before, limit) => {
    const ms = Number(limit.replaceAll('_', ''));
    return `${before}${ms >= 10_000 ? ms * patience : limit}`;
  });

const patience = patienceAt(loadavg()[0], cpus().length);

/** Tests that take long run where they are asked for: all of them by `npm test -- --slow`, or one of them by its name. */
const SLOW = '**/*.slow.test.ts';
const isAskedForSlow =
  process.env.ISOLAB_SLOW !== undefined || process.argv.some((word) => word.includes('.slow.test'));

/** The one test configuration: every package's test script names this file and its own folder as root. */
export default defineConfig({
  plugins: [
    {
      name: 'patience',
      enforce: 'pre',
      transform: (code, id) => (/\/test\/.*\.ts$/.test(id) && patience > 1 ? withPatience(code, patience) : null),
    },
  ],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/fixtures/**', ...(isAskedForSlow ? [] : [SLOW])],
    passWithNoTests: true,
    setupFiles: [fileURLToPath(new URL('seed-tests.mjs', import.meta.url))],
    // The code under test is pure, so test files can share a thread and its loaded modules: a third less CPU time.
    pool: 'threads',
    isolate: false,
    // What other packages have compiled is loaded as Node does: not transformed once more, and half the CPU time of a start.
    server: { deps: { external: [/\/packages\/[^/]+\/[^/]+\/dist\//] } },
    // vitest leaves one core free, which on two cores means one worker.
    maxWorkers: '100%',
    // Tests are bounded in steps, not in time; this only ends a hang, within ten minutes on the busiest machine.
    testTimeout: 60_000 * patience,
    hookTimeout: 10_000 * patience,
    reporters: ['default', 'json'],
    outputFile: { json: 'test-results.json' },
  },
});
