import { verifyCertificate } from '@isolab/verifier';
import { decide } from '@isolab/oracle';
import { arbitraryHistory, h, inputFor, observeForTest } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { baselinesAsp } from '../../src/asp/index.ts';

describe('CausalC', () => {
  test('CausalC agrees with the oracle on transactions of one operation', async () => {
    const bounds = { transactions: 7, atLeast: 5, sessions: 3, keys: 2, operations: 1, disturbances: 2 };
    const decided = { satisfied: 0, violated: 0, unknown: 0 };
    for (const history of fc.sample(arbitraryHistory(bounds), { numRuns: 120, seed: 5 })) {
      if (history.opKind.length > history.txnStatus.length) continue; // disturbed by one operation more
      const input = inputFor(baselinesAsp, history);
      const { verdict } = await observeForTest(baselinesAsp, input, 'causal', { variant: 'causal-c', certify: true });
      decided[verdict.status]++;
      expect(verdict.status).toBe(decide(history, 'causal').satisfied ? 'satisfied' : 'violated');
      if (verdict.status !== 'satisfied') continue;
      expect(verifyCertificate(history, 'causal', 'satisfied', verdict.certificate!)).toEqual({ ok: true });
    }
    expect(Math.min(decided.satisfied, decided.violated)).toBeGreaterThan(10);
  });

  test('CausalC takes no other transactions', async () => {
    const input = inputFor(baselinesAsp, h`w(x,1) | r(x,1) w(y,1)`);
    const { verdict } = await observeForTest(baselinesAsp, input, 'causal', { variant: 'causal-c' });
    const detail = 'the encoding causal-c requires one operation in each transaction; transaction 1 does not fit';
    expect(verdict).toEqual({ status: 'unknown', reason: 'unsupported', detail });
  });
});

test.each([
  ['acyclic-si', 'serializable', 'snapshot-isolation, not serializable; use acyclic-ser'],
  ['causal-c-plus', 'snapshot-isolation', 'causal, not snapshot-isolation; use acyclic-si'],
] as const)('%s says that it is not for %s', async (variant, level, levels) => {
  const input = inputFor(baselinesAsp, h`w(x,1)`);
  const { verdict } = await observeForTest(baselinesAsp, input, level, { variant });
  const detail = `the encoding ${variant} decides ${levels}`;
  expect(verdict).toEqual({ status: 'unknown', reason: 'unsupported', detail });
});

test('causal violations name the transactions that must come before themselves', async () => {
  const history = h`w(x,1) | w(x,2) w(y,1)
                    r(y,1) | r(x,1)`;
  const { verdict } = await observeForTest(baselinesAsp, inputFor(baselinesAsp, history), 'causal', {});
  expect(verdict).toEqual({
    status: 'violated',
    anomalies: [{ name: 'causality-violation', transactions: [0, 1] }],
    uncertified: 'solver',
  });
});
