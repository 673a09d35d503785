import type { Checker } from '@isolab/contract';
import { describe, expect, test } from 'vitest';
import { type ConformanceOptions, conformanceChecks } from './conformance.ts';

/** Registers the conformance suite as tests, for every level and every named variant of a checker. */
export function describeChecker<Options>(checker: Checker<Options>, options: ConformanceOptions = {}): void {
  const checks = conformanceChecks(checker, options);
  const groups = [...new Set(checks.map(({ group }) => group))];
  describe.each(groups)(`${checker.info.name} conforms: %s`, (wanted) => {
    test.each(checks.filter(({ group }) => group === wanted).map(({ name, run }) => [name, run] as const))(
      '%s',
      async (_, run) => {
        expect(await run()).toBeUndefined();
      },
    );
  });
}
