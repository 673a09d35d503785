import { describe, expect, test } from 'vitest';
import { type ConformanceOptions, conformanceChecks, describeChecker } from '../src/index.ts';
import { MUTANTS } from './support/mutants.ts';
import { reference } from './support/reference.ts';

// The oracle finds no cycles, so it certifies only satisfied levels; and it takes too long for many transactions.
const OPTIONS: ConformanceOptions = { certificates: 'satisfied', size: 6, runs: 40 };

describeChecker(reference(), OPTIONS);

describe('the suite catches a checker that', () => {
  test.each(Object.entries(MUTANTS))('%s', async (name, mutation) => {
    const failure = await firstFailure(reference(mutation));
    expect(failure).not.toBeNull();
    // It is caught by a check, not because the mutant falls over by accident.
    expect(/: (Type|Range)Error/.test(failure!)).toBe(name.startsWith('crashes'));
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
