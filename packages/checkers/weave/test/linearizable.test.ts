import type { Verdict } from '@isolab/contract';
import { verifyCertificate } from '@isolab/verifier';
import { type History, toRegisters } from '@isolab/history';
import { levelsSatisfied } from '@isolab/oracle';
import { h, observeForTest, prepare } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { weave } from '../src/weave.ts';

async function check(given: History, run = {}): Promise<Verdict> {
  const { history } = toRegisters(given);
  const { verdict } = await observeForTest(weave, prepare(history), 'linearizable', { certify: true, ...run });
  const certificates =
    verdict.status === 'violated'
      ? verdict.anomalies.map(({ certificate }) => certificate!)
      : verdict.status === 'satisfied'
        ? [verdict.certificate!]
        : [];
  for (const certificate of certificates)
    expect(verifyCertificate(history, 'linearizable', verdict.status as 'violated', certificate)).toEqual({ ok: true });
  return verdict;
}

describe('linearizability', () => {
  test('linearizability is of keys: sessions order operations on one key only, where times do not', async () => {
    const crossed = h`r(x,1) | w(y,1)
      r(y,1) | w(x,1)`;
    expect(await check(crossed)).toMatchObject({ status: 'satisfied' });
    expect(await check(h`w(x,1) | r(x,0)`)).toMatchObject({ status: 'violated' });
  });

  test('linearizability is violated by a stale read, in numbers of the history, for any other keys', async () => {
    const stale = h`w(y,1) @1-2 | w(x,1) @3-4
      r(y,1) @5-6 | r(x,0) @7-8 | r(y,1) @9-10`;
    expect(await check(stale)).toMatchObject({ anomalies: [{ name: 'stale-read', transactions: expect.any(Array) }] });
    const twice = h`w(y,1) @1-2 | w(x,1) @3-4
      r(y,0) @5-6 | r(x,0) @7-8`;
    expect(await check(twice, { findAll: true })).toMatchObject({ anomalies: [{}, {}] });
    const fine = h`w(x,1) @1-9
      r(x,0) @2-3 | r(x,1) @4-5`;
    expect(await check(fine)).toMatchObject({ status: 'satisfied' });
  });

  test('linearizability names a violation by its key', async () => {
    const shownTwice = h`a(x,3) @1-2
      r(x,[3 3]) @3-4`;
    expect(await check(shownTwice)).toMatchObject({ anomalies: [{ name: 'duplicate-elements' }] });
    expect(await check(h`w(x,1) | r(x,0)`)).toMatchObject({ anomalies: [{ name: 'G-single-process' }] });
  });

  test('linearizability takes compare-and-sets as they are lowered, and unknown outcomes', async () => {
    const history = h`cas(x,0,1) @1-2
      ?cas(x,1,2) @3-4 | r(x,2) @9-10
      r(x,1) @7-8`;
    expect(await check(history)).toMatchObject({ status: 'satisfied' });
    const lost = h`cas(x,0,1) @1-4
      cas(x,0,2) @2-3`;
    expect(await check(lost)).toMatchObject({ status: 'violated' });
  });

  test('linearizability takes an open outcome that contradicts itself for one that did not happen, wherever its key stands', async () => {
    const oneOfTwo = h`w(y,1)
      ?w(x,1) r(x,0) | r(y,1)
      ?w(x,1)
      r(x,1)`;
    expect(await check(oneOfTwo)).toMatchObject({ status: 'satisfied' });
    const neither = h`w(y,1)
      ?w(x,1) r(x,0) | r(y,1)
      ?w(x,1) r(x,0)
      r(x,1)`;
    expect(await check(neither)).toMatchObject({ status: 'violated' });
  });

  test('linearizability lets an abandoned operation take effect after that client went on with another key', async () => {
    const late = h`?w(x,1) @1-4 | r(y,0) @5-6
      r(x,0) @7-8 | r(x,1) @9-10`;
    expect(await check(late)).toMatchObject({ status: 'satisfied' });
    expect(levelsSatisfied(late)).toContain('linearizable');
    expect(levelsSatisfied(late)).not.toContain('strict-serializable');
  });

  test('linearizability refuses failed compare-and-sets where nothing else would be left', async () => {
    const failed = h`w(x,0) @1-2 | cas!(x,0,5) @3-4`;
    expect(await check(failed)).toMatchObject({ status: 'unknown', reason: 'unsupported' });
  });

  test('linearizability is not of transactions on several keys', async () => {
    expect(await check(h`w(x,1) w(y,1)`)).toMatchObject({ status: 'unknown', reason: 'unsupported' });
  });
});
