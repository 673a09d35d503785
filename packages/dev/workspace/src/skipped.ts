/**
 * Lists the skipped tests with their reasons, from the reports of vitest; `unless` of @isolab/needs writes the reasons
 * there. In CI, where all installable tools are present, a test may be skipped only for a reason in
 * `.ci/may-be-skipped.json`.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestReport } from './totals.ts';

export interface Skipped {
  readonly test: string;
  readonly folder: string;
  /** Need that is missing on this machine; null if the test does not state it. */
  readonly need: string | null;
  readonly why: string;
}

export function skippedOf({ testResults }: TestReport, root: string, folder: string): Skipped[] {
  return testResults.flatMap(({ name, status, assertionResults }) =>
    assertionResults
      // In a failed file, the tests after the failure did not run.
      .filter((test) => test.status !== 'passed' && test.status !== 'failed' && status !== 'failed')
      .map(({ fullName, meta: { lack } = {} }) => ({
        test: `${path.relative(root, name)} > ${fullName}`,
        folder,
        need: lack?.need ?? null,
        why: lack?.why.split('\n', 1)[0] ?? 'it has no reason; skip it with unless() of @isolab/needs',
      })),
  );
}

/** A line per reason: the number of skipped tests, and their packages. */
export function reasonsIn(skipped: readonly Skipped[]): string[] {
  return [...new Set(skipped.map(({ why }) => why))].map((why) => {
    const tests = skipped.filter((each) => each.why === why);
    const places = [...new Set(tests.map(({ folder }) => path.basename(folder)))].join(', ');
    return `skipped: ${tests.length} ${tests.length === 1 ? 'test' : 'tests'} of ${places}: ${why}`;
  });
}

/** Needs for which a test may be skipped in CI, with the reasons. */
export function mayBeSkipped(root: string): ReadonlyMap<string, string> {
  const text = readFileSync(path.join(root, '.ci/may-be-skipped.json'), 'utf8');
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}

/** Skipped tests that fail the run: those without a reason, and in CI those that the list does not allow. */
export function wronglySkipped(skipped: readonly Skipped[], allowed: ReadonlyMap<string, string> | null): Skipped[] {
  return skipped.filter(({ need }) => need === null || (allowed !== null && !allowed.has(need)));
}
