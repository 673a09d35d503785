import { draws } from '@isolab/testkit';
import { verifyCertificate } from '@isolab/verifier';
import { fromPlain } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainHistories } from './support/arbitrary.ts';
import { history } from './support/notation.ts';
import { LEVELS, run } from './support/run.ts';

describe.each(LEVELS)('certificates of %s', (level) => {
  test('all stand the test of the verifier', () => {
    const verified: Record<string, number> = {};
    const shape = { sessions: 5, transactions: 12, operations: 4, keys: 4, uncertain: 12 };
    fc.assert(
      fc.property(plainHistories(shape), fc.constantFrom('latest', 'all'), (plain, writers) => {
        const source = fromPlain(plain);
        const { verdict } = run(source, level, { writers }, { certify: true, findAll: true });
        if (verdict.status === 'satisfied') {
          expect(verifyCertificate(source, level, 'satisfied', verdict.certificate!)).toEqual({ ok: true });
          verified['satisfied'] = (verified['satisfied'] ?? 0) + 1;
        } else if (verdict.status === 'violated') {
          for (const { certificate, pattern } of verdict.anomalies) {
            const verification = verifyCertificate(source, level, 'violated', certificate!);
            expect({ pattern, verification }).toEqual({ pattern, verification: { ok: true } });
            verified[pattern!] = (verified[pattern!] ?? 0) + 1;
          }
        }
      }),
      { numRuns: draws(2000) },
    );
    // Not every pattern is sure to turn up by chance, but most are; the histories of patterns.test.ts show them all.
    const numPatterns = { 'cut-isolation': 1, 'read-committed': 7, 'read-atomic': 10, causal: 12 }[level];
    expect(Object.keys(verified).length).toBeGreaterThan(numPatterns);
  });
});

test('a session that misses its own write is a cycle of two edges', () => {
  const { verdict } = run(history('w(x,1) | w(x,2) | r(x,1)'), 'read-atomic', {}, { certify: true });
  const visible = [{ from: 1, to: 2, reason: { kind: 'session' } }];
  expect(verdict).toMatchObject({
    status: 'violated',
    anomalies: [
      {
        name: 'fractured-read',
        pattern: 'TAP-k',
        transactions: [0, 1, 2],
        certificate: {
          kind: 'cycle',
          edges: [
            { from: 0, to: 1, reason: { kind: 'session' } },
            { from: 1, to: 0, reason: { kind: 'overwritten', write: 1, read: 2, visible } },
          ],
        },
      },
    ],
  });
});

test('without being asked, a run carries no certificates', () => {
  expect(run(history('w(x,1)'), 'causal').verdict).toEqual({ status: 'satisfied' });
  const { verdict } = run(history('r(x,1) w(y,1)', 'r(y,1) w(x,1)', 'r(z,9)'), 'causal');
  expect(verdict.status === 'violated' && verdict.anomalies.every(({ certificate }) => !certificate)).toBe(true);
});

test('only a number of anomalies beside the first of each pattern are certified', () => {
  const stale = history(...Array.from({ length: 9 }, (_, i) => `w(k${i},1) | r(k${i},0)`));
  const { verdict } = run(stale, 'causal', { certificates: 3 }, { certify: true, findAll: true });
  expect(verdict.status === 'violated' && verdict.anomalies.filter(({ certificate }) => certificate).length).toBe(4);
});
