import type { LevelName, Verdict } from '@isolab/contract';
import { verifyCertificate } from '@isolab/verifier';
import { buildReadFrom, findInternalAnomalies, type History } from '@isolab/history';
import { expect } from 'vitest';
import { cobra } from '../../src/index.ts';
import type { CobraOptions } from '../../src/polygraph/options.ts';

export interface Run {
  readonly verdict: Verdict;
  readonly counters: Readonly<Record<string, number>>;
  readonly stages: readonly string[];
}

export const DEFAULTS = Object.fromEntries(
  Object.entries(cobra.info.options).map(([name, spec]) => [name, spec.default]),
) as unknown as CobraOptions;

/** Runs the checker and verifies the certificate of its verdict. */
export async function run(history: History, level: LevelName, options: Partial<CobraOptions> = {}): Promise<Run> {
  const counters: Record<string, number> = {};
  const stages: string[] = [];
  const index = buildReadFrom(history);
  const input = { kind: 'history' as const, history, index, internal: findInternalAnomalies(history, index) };
  const verdict: Verdict = await cobra.check(
    input,
    level,
    { ...DEFAULTS, ...options },
    {
      certify: true,
      findAll: false,
      stage: (name) => void stages.push(name),
      count: (name, amount) => void (counters[name] = (counters[name] ?? 0) + amount),
      progress: () => {},
      tick: () => {},
    },
  );
  if (verdict.status === 'unknown') throw new Error(`unknown: ${verdict.reason}`);
  const certificate = verdict.status === 'satisfied' ? verdict.certificate : verdict.anomalies[0]!.certificate;
  expect(verifyCertificate(history, level, verdict.status, certificate!)).toEqual({ ok: true });
  return { verdict, counters, stages };
}
