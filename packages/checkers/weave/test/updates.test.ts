import { verifyCertificate } from '@isolab/verifier';
import type { PlainTransaction } from '@isolab/history';
import { historyOf, inputFor, observeForTest } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import weave from '../src/index.ts';

/** A lock that is acquired and released this many times, by clients in turn, and acquired `more` times beyond. */
function lock(times: number, more: number) {
  const update = (from: bigint, to: bigint): PlainTransaction => ({
    status: 'committed',
    operations: [
      { kind: 'read', key: 'lock', value: from },
      { kind: 'write', key: 'lock', value: to },
    ],
  });
  const sessions: PlainTransaction[][] = Array.from({ length: 5 }, () => []);
  for (let i = 0; i < times; i++) sessions[i % 5]!.push(update(0n, 1n), update(1n, 0n));
  for (let i = 0; i < more; i++) sessions[i % 5]!.push(update(0n, 1n));
  return historyOf(sessions);
}

describe('a lock that is taken more often than it is given back', () => {
  test.each([
    'adya-snapshot-isolation',
    'snapshot-isolation',
    'plain-serializable',
    'serializable',
    'strict-serializable',
  ] as const)(
    'a lock that is taken more often than it is given back is found at once at %s, with a certificate',
    async (level) => {
      const history = lock(150, 2);
      const { verdict } = await observeForTest(weave, inputFor(weave, history), level, {
        certify: true,
        maxSteps: 100_000,
      });
      expect(verdict).toMatchObject({ status: 'violated', anomalies: [{ name: 'lost-update' }] });
      const { certificate } = verdict.status === 'violated' ? verdict.anomalies[0]! : {};
      expect(certificate).toMatchObject({ kind: 'updates' });
      expect(verifyCertificate(history, level, 'violated', certificate!)).toEqual({ ok: true });
    },
  );

  test('a lock that is taken more often than it is given back is none if it is taken once more, or at prefix consistency', async () => {
    const status = async (more: number, level: 'serializable' | 'prefix') =>
      (await observeForTest(weave, inputFor(weave, lock(20, more)), level, {})).verdict.status;
    expect(await status(1, 'serializable')).toBe('satisfied');
    expect(await status(2, 'prefix')).toBe('satisfied');
  });
});
