import { type LevelName, certificateOf } from '@isolab/contract';
import { verifyCertificate } from '@isolab/verifier';
import { h, observeForTest, prepare } from '@isolab/testkit';
import type { History } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { weave } from '../src/weave.ts';

async function check(history: History, level: LevelName, options = {}) {
  const { verdict } = await observeForTest(weave, prepare(history), level, { certify: true, options });
  const certificate = certificateOf(verdict);
  if (certificate !== undefined && verdict.status !== 'unknown')
    expect(verifyCertificate(history, level, verdict.status, certificate)).toEqual({ ok: true });
  return { ...verdict, certificate };
}

describe('reads of values that several transactions wrote', () => {
  const stale = h`w(x,1) | w(x,2)
    w(x,1) | w(x,2)
    r(x,2) | r(x,1) | r(x,2) | r(x,1)`;

  test('reads of values that several transactions wrote may see a later writer of the same value, but not the same one twice', async () => {
    expect((await check(stale, 'serializable')).status).toBe('violated');
    const once = h`w(x,1) | w(x,2)
      w(x,1) | w(x,2)
      r(x,2) | r(x,1) | r(x,2)`;
    expect((await check(once, 'serializable')).status).toBe('satisfied');
  });

  test.each(['always', 'never'])(
    'reads of values that several transactions wrote are refuted by a proof, whether facts are looked for or not (%s)',
    async (saturation) => {
      const { certificate } = await check(stale, 'snapshot-isolation', { saturation });
      expect(certificate).toMatchObject({
        kind: 'proof',
        steps: expect.arrayContaining([{ kind: 'learned', clause: [] }]),
      });
    },
  );

  test('reads of values that several transactions wrote are certain where all but one writer cannot be, and facts may rest on them', async () => {
    const history = h`w(x,1) w(y,1) | w(x,2) w(y,2) | r(x,1) | r(y,1) w(z,1)
      r(z,1) | w(x,1) | r(y,3)
      w(y,3)`;
    for (const saturation of ['always', 'never'])
      expect((await check(history, 'serializable', { saturation })).status).toBe('violated');
  });

  test('reads of values that several transactions wrote are settled at the weak levels, too, and the certificate says how', async () => {
    // The session may have seen the first 1 of each writer, but not go back to one of them after its 2.
    expect((await check(stale, 'causal')).certificate).toMatchObject({ kind: 'proof' });
    expect((await check(stale, 'read-committed')).certificate).toMatchObject({ kind: 'commit-order' });
    const once = h`w(x,1) | w(x,3) w(y,1)
      w(x,1)
      r(y,1) r(x,1)`;
    expect((await check(once, 'read-committed')).certificate).toMatchObject({ sources: [[5, 2]] });
  });

  test('reads of values that several transactions wrote see one writer at read atomic where they repeat, and need not at read committed', async () => {
    const twice = h`w(x,1) | w(y,1)
      w(x,1) | w(y,2) w(x,2)
      r(y,1) r(x,1) r(y,1) r(x,1)`;
    for (const level of ['read-committed-pl2', 'read-committed', 'read-atomic', 'causal'] as const)
      expect((await check(twice, level)).status).toBe('satisfied');
  });
});

describe('transactions of unknown outcome', () => {
  test('transactions of unknown outcome happen where a read takes them, and go by where none does', async () => {
    const history = h`?w(x,1) r(y,1) | r(x,1) | w(x,2) w(y,1)
      r(x,2) | w(x,1)`;
    expect((await check(history, 'serializable')).status).toBe('violated'); // r(x,1) comes before any transaction could write it
    const late = h`?w(x,1) r(y,1) | r(y,1) | r(x,1)
      w(x,2) w(y,1) | w(x,1) | r(x,2)`;
    expect((await check(late, 'serializable')).status).toBe('violated');
    expect((await check(late, 'plain-serializable')).status).toBe('satisfied');
  });

  test('transactions of unknown outcome happen at the weak levels, too, only if a read takes them, and then with their own reads', async () => {
    const blind = h`?w(x,1) w(y,5) r(y,6)
      ?w(x,1) r(z,1) | w(z,1)
      r(x,1)`;
    const { certificate, status } = await check(blind, 'read-committed-pl2');
    expect(status).toBe('satisfied'); // without sessions, the second one may have read later values of its own session
    expect(certificate).toMatchObject({ order: expect.arrayContaining([1]) });
    expect((await check(blind, 'read-committed')).certificate).toMatchObject({
      kind: 'proof',
      steps: expect.arrayContaining([expect.objectContaining({ kind: 'internal' })]),
    });
  });
});

describe('lists of appends', () => {
  test.each([
    [
      'incompatible',
      h`a(x,1)
      a(x,2)
      r(x,[1 2])
      r(x,[2])`,
      'incompatible-order',
    ],
    [
      'torn apart',
      h`a(x,1) a(x,2)
      a(x,3)
      r(x,[1 3 2])`,
      'incompatible-order',
    ],
    [
      'showing an element twice',
      h`a(x,1)
      r(x,[1 1])`,
      'duplicate-elements',
    ],
  ])('lists of appends that are %s violate every level', async (_, history, anomaly) => {
    for (const level of ['prefix', 'serializable'] as const) {
      const { certificate } = await check(history, level);
      expect(certificate).toMatchObject({ kind: 'lists', anomaly });
    }
  });

  test('lists of appends order the appends that they show, and the unread ones behind them', async () => {
    const behind = h`r(x,[1]) a(y,1)
      a(x,1)
      a(x,2) | r(y,[])
      r(y,[1]) | r(x,[1])`;
    expect((await check(behind, 'serializable')).certificate).toMatchObject({ kind: 'cycle' });
    const seen = h`r(x,[1]) a(y,1)
      a(x,1)
      a(x,2) | r(y,[1])
      r(y,[1]) | r(x,[1 2])`;
    expect((await check(seen, 'serializable')).status).toBe('satisfied');
  });
});
