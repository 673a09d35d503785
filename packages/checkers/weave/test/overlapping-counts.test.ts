import { type LevelName, type Verdict, evidenceOf } from '@isolab/contract';
import { type History, toRegisters, withoutTimes } from '@isolab/history';
import { TestContext, defaultsOf, draws, prepare } from '@isolab/testkit';
import { verifyEvidence } from '@isolab/verifier';
import { findWorkload, resolveParameters, simulate } from '@isolab/workloads';
import { expect, test } from 'vitest';
import { weave } from '../src/weave.ts';

const ROWS = findWorkload('rows')!;
const DRAWN = draws(5);

/** A history of a snapshot database under load: its transactions overlap, and many of their reads are aggregates. */
const simulated = (seed: number, level: 'strict-serializable' | 'strong-snapshot-isolation'): History =>
  simulate(ROWS, resolveParameters(ROWS, {}), {
    level,
    sessions: 8,
    transactions: 60,
    seed,
    clocks: { drift: 3000, differs: 0 },
  }).history;

const verdictOf = (withScans: History, level: LevelName): Verdict => {
  const input = { ...prepare(toRegisters(withScans, new Map()).history), kind: 'scans' as const, withScans };
  return weave.check(input, level, defaultsOf(weave), new TestContext()) as Verdict;
};

test.each([
  ['strong-snapshot-isolation', true],
  ['generalized-snapshot-isolation', true],
  ['snapshot-isolation', true],
  ['snapshot-isolation', false],
  ['serializable', false],
] as const)('counts of overlapping transactions are explained at %s, with times: %s', (level, isTimed) => {
  for (let seed = 0; seed < DRAWN; seed++) {
    const timed = simulated(seed, level === 'serializable' ? 'strict-serializable' : 'strong-snapshot-isolation');
    const history = isTimed ? timed : withoutTimes(timed);
    const verdict = verdictOf(history, level);
    expect([seed, verdict.status]).toEqual([seed, 'satisfied']);
    const { certificate } = evidenceOf(verdict)!;
    expect(verifyEvidence(history, level, 'satisfied', { certificate: certificate! })).toMatchObject({ ok: true });
  }
});
