import { describe, expect, test } from 'vitest';
import { type ConformanceOptions, conformanceChecks, describeChecker } from '../src/index.ts';
import { MUTANTS } from './support/mutants.ts';
import { reference } from './support/reference.ts';

// The oracle finds no cycles, so it certifies only what is satisfied; and it takes too long for many transactions.
const OPTIONS: ConformanceOptions = { certificates: 'satisfied', size: 6, runs: 40 };

describeChecker(reference(), OPTIONS);

describe('the suite catches a checker that', () => {
  test.each(Object.entries(MUTANTS))('%s', async (_, mutation) => {
    expect(await firstFailure(reference(mutation))).not.toBeNull();
  });
});

async function firstFailure(checker: ReturnType<typeof reference>): Promise<string | null> {
  for (const { name, run } of conformanceChecks(checker, OPTIONS)) {
    try {
      await run();
    } catch (error) {
      return `${name}: ${String(error)}`;
    }
  }
  return null;
}
