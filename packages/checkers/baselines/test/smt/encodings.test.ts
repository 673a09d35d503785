import { verifyCertificate } from '@isolab/verifier';
import { arbitraryHistory, h, observeForTest, inputFor } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { baselinesSmt } from '../../src/smt/index.ts';
import { encodingsFor } from './support/encodings.ts';

const PAIRS = baselinesSmt.info.levels.flatMap((level) =>
  encodingsFor(level).map((encoding) => [encoding, level] as const),
);

describe('an encoding', () => {
  test.each(PAIRS)('%s certifies satisfied histories at %s', async (variant, level) => {
    const histories = arbitraryHistory({
      transactions: 7,
      atLeast: 5,
      sessions: 3,
      keys: 2,
      operations: 3,
      disturbances: 0,
    });
    let satisfied = 0;
    for (const history of fc.sample(histories, { numRuns: 6, seed: 3 })) {
      const { verdict } = await observeForTest(baselinesSmt, inputFor(baselinesSmt, history), level, {
        variant,
        certify: true,
      });
      if (verdict.status !== 'satisfied') continue;
      satisfied++;
      expect(verifyCertificate(history, level, 'satisfied', verdict.certificate!)).toEqual({ ok: true });
    }
    expect(satisfied).toBeGreaterThan(0);
  });

  test.each([
    ['gsi-z3', 'serializable', 'adya-snapshot-isolation, snapshot-isolation, not serializable; use linear-order'],
    ['tc', 'snapshot-isolation', 'plain-serializable, serializable, not snapshot-isolation; use gsi-z3'],
  ] as const)('%s says that it is not for %s', async (variant, level, levels) => {
    const input = inputFor(baselinesSmt, h`w(x,1)`);
    const { verdict } = await observeForTest(baselinesSmt, input, level, { variant });
    const detail = expect.stringContaining(`the encoding ${variant} decides ${levels}`);
    expect(verdict).toEqual({ status: 'unknown', reason: 'unsupported', detail });
  });

  test.each(PAIRS.filter((_, i) => i % 2 === 0))('%s gives the same verdict twice at %s', async (variant, level) => {
    for (const history of fc.sample(arbitraryHistory({ transactions: 6, atLeast: 5 }), { numRuns: 4, seed: 1 })) {
      const run = () =>
        observeForTest(baselinesSmt, inputFor(baselinesSmt, history), level, { variant, certify: true });
      expect((await run()).verdict).toEqual((await run()).verdict);
    }
  });

  test('an encoding of Viper’s ASI takes a lost update for one, and a write skew for none', async () => {
    const lostUpdate = h`r(x,0) w(x,1)
                         r(x,0) w(x,2)`;
    const writeSkew = h`r(x,0) r(y,0) w(x,1)
                        r(x,0) r(y,0) w(y,1)`;
    for (const [history, status] of [
      [lostUpdate, 'violated'],
      [writeSkew, 'satisfied'],
    ] as const) {
      const input = inputFor(baselinesSmt, history);
      const { verdict } = await observeForTest(baselinesSmt, input, 'snapshot-isolation', { variant: 'asi-z3' });
      expect(verdict.status).toBe(status);
    }
  });
});
