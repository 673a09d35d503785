import { conformanceChecks } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { baselinesAsp } from '../../src/asp/index.ts';

const { levels } = baselinesAsp.info;

/** CausalC does not take every history (see encodings.test.ts); the other encodings are the defaults of their levels. */
const checks = conformanceChecks(baselinesAsp, {
  runs: 6,
  certificates: 'satisfied',
  exhaustive: [{ bounds: { sessions: 3, transactions: 3, keys: 2, operations: 2 }, every: 797 }],
}).filter(({ group }) => group === 'info' || levels.some((level) => level === group));

describe.each(['info', ...levels])('baselines-asp conforms: %s', (wanted) => {
  test.each(checks.filter(({ group }) => group === wanted).map(({ name, run }) => [name, run] as const))(
    '%s',
    async (_, run) => {
      expect(await run()).toBeUndefined();
    },
  );
});
