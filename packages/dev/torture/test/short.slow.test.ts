// Slow: tortures everything for a while.
import { describe, expect, test } from 'vitest';
import { SUITES } from '../src/suites.ts';
import { Tally } from '../src/suite/tally.ts';

describe('the short form of every suite', () => {
  for (const suite of SUITES) {
    test(`${suite.name}: ${suite.title}`, async () => {
      const tally = new Tally();
      await suite.run(suite.short, 1, tally);
      expect(tally.failures).toEqual([]);
      expect(tally.total().survived + tally.total().skipped).toBeGreaterThan(0);
    });
  }
});
