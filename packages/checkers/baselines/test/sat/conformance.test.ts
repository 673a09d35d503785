import { conformanceChecks } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { baselinesSat } from '../../src/sat/index.ts';
import { ENCODINGS } from '../../src/sat/history/encodings.ts';

/** A variant is an encoding, which decides some of the levels; that it says so at others is tested in options.test.ts. */
const isOfLevel = (group: string): boolean => {
  const [level, variant] = group.split(', ');
  const encoding = Object.entries(ENCODINGS).find(([name]) => name === variant);
  return encoding === undefined || (encoding[1].levels as readonly string[]).includes(level!);
};

const checks = conformanceChecks(baselinesSat, {
  certificates: 'satisfied',
  runs: 5,
  exhaustive: [
    { bounds: { sessions: 2, transactions: 2, keys: 2, operations: 2 }, every: 23 },
    { bounds: { sessions: 3, transactions: 3, keys: 2, operations: 2 }, every: 2999 },
  ],
}).filter(({ group }) => isOfLevel(group));

const groups = [...new Set(checks.map(({ group }) => group))];

describe.each(groups)('baselines-sat conforms: %s', (wanted) => {
  test.each(checks.filter(({ group }) => group === wanted).map(({ name, run }) => [name, run] as const))(
    '%s',
    async (_, run) => {
      expect(await run()).toBeUndefined();
    },
  );
});
