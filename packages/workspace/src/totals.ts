/** Adds up what vitest's JSON reporter says. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of a test-results.json that is used here. */
export interface TestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** Whatever neither passed nor failed (skipped, pending, todo, disabled) counts as skipped. */
export function totalsOf({ testResults }: TestReport): Totals {
  return sum(
    testResults.map(({ status, assertionResults }) => {
      const passed = assertionResults.filter((test) => test.status === 'passed').length;
      const failed = assertionResults.filter((test) => test.status === 'failed').length;
      const skipped = assertionResults.length - passed - failed;
      // A file that does not even load has failed, but has no test to say so.
      return { passed, failed: status === 'failed' ? Math.max(failed, 1) : failed, skipped };
    }),
  );
}

export function sum(totals: readonly Totals[]): Totals {
  return {
    passed: totals.reduce((count, each) => count + each.passed, 0),
    failed: totals.reduce((count, each) => count + each.failed, 0),
    skipped: totals.reduce((count, each) => count + each.skipped, 0),
  };
}

/** The closing line of `npm test`, whose form is fixed: programs read it. */
export function inWords({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
