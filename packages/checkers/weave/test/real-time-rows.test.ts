import type { LevelName, Verdict } from '@isolab/contract';
import { type History, toRegisters } from '@isolab/history';
import { TestContext, defaultsOf, draws, prepare } from '@isolab/testkit';
import { verifyEvidence } from '@isolab/verifier';
import { findWorkload, resolveParameters, simulate } from '@isolab/workloads';
import { expect, test } from 'vitest';
import { weave } from '../src/weave.ts';

const ROWS = findWorkload('rows')!;
const DRAWN = draws(12);

/** A history of a snapshot database under load: its transactions overlap, and many of their reads are aggregates. */
const simulated = (seed: number): History =>
  simulate(ROWS, resolveParameters(ROWS, {}), {
    level: 'strong-snapshot-isolation',
    sessions: 8,
    transactions: 60,
    seed,
    clocks: { drift: 3000, differs: 0 },
  }).history;

const verdictOf = (withScans: History, level: LevelName): Verdict => {
  const input = { ...prepare(toRegisters(withScans, new Map()).history), kind: 'scans' as const, withScans };
  return weave.check(input, level, defaultsOf(weave), new TestContext()) as Verdict;
};

test.each(['strong-snapshot-isolation', 'generalized-snapshot-isolation', 'snapshot-isolation'] as const)(
  'counts of overlapping transactions are explained at %s',
  (level) => {
    for (let seed = 0; seed < DRAWN; seed++) {
      const history = simulated(seed);
      const verdict = verdictOf(history, level);
      expect([seed, verdict.status]).toEqual([seed, 'satisfied']);
      if (verdict.status === 'satisfied')
        expect(verifyEvidence(history, level, 'satisfied', { certificate: verdict.certificate! })).toMatchObject({
          ok: true,
        });
    }
  },
);
