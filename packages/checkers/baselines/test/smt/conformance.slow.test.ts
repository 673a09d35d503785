// Slow: gives Z3 hundreds of histories.
import { type ConformanceOptions, conformanceChecks } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { baselinesSmt } from '../../src/smt/index.ts';
import { encodingsFor } from './support/encodings.ts';

const { levels, variants } = baselinesSmt.info;

const options: ConformanceOptions = {
  runs: 2,
  size: 8,
  certificates: 'satisfied',
  exhaustive: [{ bounds: { sessions: 3, transactions: 3, keys: 2, operations: 2 }, every: 2999 }],
};

/**
 * A question to Z3 takes some 15 ms. So the two checks that ask the most are left to encodings.test.ts, which makes them
 * with fewer histories, and an encoding is tried at one level, unless it is the default, which is tried at all.
 */
const ELSEWHERE = ['gives the same verdict twice', 'certifies its verdicts'];
const groups = [
  ...levels,
  ...(['snapshot-isolation', 'serializable'] as const).flatMap((level) =>
    encodingsFor(level)
      .slice(1)
      .map((encoding) => `${level}, ${encoding}`),
  ),
];
const checks = conformanceChecks(baselinesSmt, options).filter(({ name }) => !ELSEWHERE.includes(name));

test('every encoding is a variant, and decides a level', () => {
  const decided = levels.flatMap((level) => encodingsFor(level));
  expect(new Set(decided)).toEqual(new Set(Object.keys(variants)));
});

describe.each(['info', ...groups])('baselines-smt conforms: %s', (wanted) => {
  test.each(checks.filter(({ group }) => group === wanted).map(({ name, run }) => [name, run] as const))(
    '%s',
    async (_, run) => {
      expect(await run()).toBeUndefined();
    },
  );
});
