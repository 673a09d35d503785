import { NAMED_HISTORIES, TestContext, prepare } from '@isolab/testkit';
import { Stop } from '@isolab/contract';
import { describe, expect, test } from 'vitest';
import { cobra } from '../src/index.ts';
import { DEFAULTS, run } from './support/run.ts';

const check = async (name: string, asPublished: boolean): Promise<string> => {
  const { history } = NAMED_HISTORIES.find((named) => named.name.startsWith(name))!;
  const verdict = await cobra.check(
    prepare(history),
    'serializable',
    { ...DEFAULTS, asPublished },
    new TestContext({ certify: false }),
  );
  return verdict.status;
};

describe('Table 5 of the Plume paper', () => {
  test.each([...'abcdefghijklmn'].map((tap) => [tap, !'defj'.includes(tap)] as const))(
    'pattern %s is found as published: %s',
    async (tap, found) => {
      expect(await check(`tap-${tap}-`, false)).toBe('violated');
      expect(await check(`tap-${tap}-`, true)).toBe(found ? 'violated' : 'satisfied');
    },
  );
});

test('the checker stops before it exceeds its memory for reachability', async () => {
  const { history } = NAMED_HISTORIES.find(({ name }) => name === 'mtc-n-write-skew')!;
  const blind = NAMED_HISTORIES.find(({ name }) => name === 'tap-n-conflict-cm')!.history;
  await expect(run(blind, 'serializable', { maxClosureBytes: 1 })).rejects.toThrow(Stop);
  // There is no constraint to prune.
  expect((await run(history, 'serializable', { maxClosureBytes: 1 })).verdict.status).toBe('violated');
});
