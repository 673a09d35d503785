import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Sums the reports of vitest's JSON reporter. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Used fields of a test-results.json. */
export interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly TestResult[];
  }[];
}

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: readonly string[];
  readonly meta?: { readonly lack?: { readonly need: string; readonly why: string } };
}

/** Sums the tests; skipped, pending, todo and disabled ones count as skipped. */
export function totalsOf({ testResults }: TestReport): Totals {
  return sum(
    testResults.map(({ status, assertionResults }) => {
      const passed = assertionResults.filter((test) => test.status === 'passed').length;
      const failed = assertionResults.filter((test) => test.status === 'failed').length;
      const skipped = assertionResults.length - passed - failed;
      // A file that fails to load counts as a failed test.
      return { passed, failed: status === 'failed' ? Math.max(failed, 1) : failed, skipped };
    }),
  );
}

/** Lists failed tests as `FILE > TEST: MESSAGE`, to repeat them at the end of a long log. */
export function failuresOf({ testResults }: TestReport, root: string): string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = path.relative(root, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [`${file}: ${firstLine(message)}`] : [];
    return failed.map((test) => `${file} > ${test.fullName}: ${firstLine(test.failureMessages?.[0])}`);
  });
}

const firstLine = (message = ''): string => stripVTControlCharacters(message).split('\n', 1)[0]!.slice(0, 300);

export function sum(totals: readonly Totals[]): Totals {
  return {
    passed: totals.reduce((count, each) => count + each.passed, 0),
    failed: totals.reduce((count, each) => count + each.failed, 0),
    skipped: totals.reduce((count, each) => count + each.skipped, 0),
  };
}

/** Closing line of `npm test`, in a fixed form that programs read. */
export function inWords({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
