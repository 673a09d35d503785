import type { Checker } from '@isolab/checker';
import { describe, test } from 'vitest';
import { type ConformanceOptions, conformanceChecks } from './conformance.ts';

/** The conformance suite as tests: what every checker must do, at every level and in every variant that it names. */
export function describeChecker<Options>(checker: Checker<Options>, options: ConformanceOptions = {}): void {
  describe(`${checker.info.name} conforms`, () => {
    const checks = conformanceChecks(checker, options);
    for (const group of new Set(checks.map((check) => check.group))) {
      describe(group, () => {
        for (const { name, run } of checks.filter((check) => check.group === group)) test(name, run);
      });
    }
  });
}
