import { type Checker, type LevelName, evidenceOf, takes } from '@isolab/contract';
import type { History } from '@isolab/history';
import { prepare } from '@isolab/runner';
import { inputFor, observeForTest } from '@isolab/testkit';
import type { Claim } from './judge.ts';

/**
 * Returns a checker's verdict on a history at a level, with its certificate; null if the verdict is unknown or has no
 * certificate.
 */
export async function claimOf(history: History, level: LevelName, checker: Checker<object>): Promise<Claim | null> {
  const input = takes(checker.info, 'scans') ? prepare(history).inputFor(checker) : inputFor(checker, history);
  const { verdict } = await observeForTest(checker, input, level, { certify: true, maxSteps: 1_000_000 });
  const evidence = evidenceOf(verdict);
  if (verdict.status === 'unknown' || evidence?.certificate === undefined) return null;
  const { certificate, passedOver } = evidence;
  const data = { verdict: verdict.status, certificate, ...(passedOver !== undefined && { passedOver }) };
  return JSON.parse(JSON.stringify(data)) as Claim;
}
