import type { LevelName, Verdict } from '@isolab/contract';
import { verifyCertificate } from '@isolab/verifier';
import type { History } from '@isolab/history';
import { expect } from 'vitest';
import { TestContext, defaultsOf, prepare } from '@isolab/testkit';
import { cobra } from '../../src/index.ts';
import type { CobraOptions } from '../../src/polygraph/options.ts';

export interface Run {
  readonly verdict: Verdict;
  readonly counters: Readonly<Record<string, number>>;
  readonly stages: readonly string[];
}

export const DEFAULTS = defaultsOf(cobra);

/** Runs the checker and verifies the certificate of its verdict. */
export async function run(history: History, level: LevelName, options: Partial<CobraOptions> = {}): Promise<Run> {
  const context = new TestContext();
  const verdict: Verdict = await cobra.check(prepare(history), level, { ...DEFAULTS, ...options }, context);
  if (verdict.status === 'unknown') throw new Error(`unknown: ${verdict.reason}`);
  const certificate = verdict.status === 'satisfied' ? verdict.certificate : verdict.anomalies[0]!.certificate;
  expect(verifyCertificate(history, level, verdict.status, certificate!)).toEqual({ ok: true });
  return { verdict, counters: context.counters, stages: context.stages };
}
